"""A file's bytes as text whose line ends, encoding and byte order mark can be put back as they were."""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import dataclass

from lane_lint.fixes.edits import Edit, edited
from lane_lint.fixes.fixer import NotSafeError
from lane_lint.source import Source, SourceError, declared_encoding


@dataclass(frozen=True, slots=True)
class FileText:
    r"""One file's text.

    Attributes:
        data: The bytes.
        encoding: The codec that turns text into these bytes again, with the byte order mark if they have one.
        lines: The lines with their own ends.
        source: The same as the checker sees it, where every line ends with `\n`.
    """

    data: bytes
    encoding: str
    lines: tuple[str, ...]
    source: Source

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> FileText:
        """Decode a file's bytes.

        Raises:
            SourceError: They are no Python text.
            NotSafeError: The text cannot be written back as these bytes.
        """
        source, encoding = Source.from_bytes(path, data), declared_encoding(data)
        text = data.decode(encoding)
        lines = tuple(io.StringIO(text, newline=""))
        if _encoded(text, encoding) != data or len(lines) != len(source.lines):
            raise NotSafeError(f"its bytes would not stay as they are when written as {encoding}")
        return cls(data, encoding, lines, source)

    def with_edits(self, edits: Collection[Edit]) -> FileText:
        """The file after edits in the places of its present text.

        Raises:
            NotSafeError: The new text cannot be written in the file's encoding.
        """
        data = _encoded(edited(self.lines, edits), self.encoding)
        try:
            return FileText.from_bytes(self.source.path, data)
        except SourceError as error:
            raise NotSafeError(f"the change would leave {error}") from None


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeError:
        raise NotSafeError(f"the text cannot be written as {encoding}") from None
