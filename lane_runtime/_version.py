"""The one place of the version, for both packages of the distribution."""

__version__ = "0.1.0"
