"""Bytes to text and lines, as Python and flake8 see them; columns counted in characters."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class SourceError(Exception):
    """The bytes of a file are no Python text.

    Args:
        line: Where the reading stopped, 1-based.
        reason: What is wrong there, one line without a full stop.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Source:
    r"""The text of one file. Every line end is a `\n`, as it is in the lines flake8 hands to a plugin.

    Attributes:
        path: What the user calls the file; nothing is read from disk under that name.
        text: The text without a byte order mark.
        lines: The text's lines with their ends; a form feed or U+2028 ends none.
    """

    path: str
    text: str
    lines: tuple[str, ...]

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """Decode a file's bytes.

        Raises:
            SourceError: The declared encoding is unknown, or the bytes are not in it.

        Source: PEP 263, "Defining Python Source Code Encodings".
        """
        return cls.from_text(path, _decoded(data))

    @classmethod
    def from_text(cls, path: str, text: str) -> Source:
        r"""Take text with any of the line ends `\n`, `\r\n` and `\r`."""
        text = text.removeprefix(_BYTE_ORDER_MARK)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(path, text, tuple(io.StringIO(text)))

    @classmethod
    def from_lines(cls, path: str, lines: Sequence[str]) -> Source:
        """Take the lines that flake8 hands to a plugin, which keep their ends."""
        return cls.from_text(path, "".join(lines))


def _decoded(data: bytes) -> str:
    encoding = declared_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(data, error) from None
    except (LookupError, ValueError) as error:
        # Codecs such as rot13 turn no bytes into text, others refuse in their own words.
        raise SourceError(1, f"cannot decode as {encoding}: {error}") from None


def declared_encoding(data: bytes) -> str:
    """The codec of a file's bytes: `utf-8-sig` where they begin with a byte order mark.

    Raises:
        SourceError: The encoding that the bytes declare is unknown.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as precise:
            raise _undecodable(data, precise) from None
        raise SourceError(1, str(error.msg)) from None
    return encoding


def _undecodable(data: bytes, error: UnicodeDecodeError) -> SourceError:
    line = data.count(b"\n", 0, error.start) + 1
    return SourceError(line, f"byte 0x{data[error.start]:02x} is not {error.encoding}: {error.reason}")
