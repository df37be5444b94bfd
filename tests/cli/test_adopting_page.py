"""docs/adopting.md: its commands, one after the other, give what they show."""

from __future__ import annotations

import json
from pathlib import Path

from console_examples import blocks, examples, folder_of_page, require_printed

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "adopting.md").read_text(encoding="utf-8")


def test_the_examples_print_what_they_show(tmp_path) -> None:
    folder = folder_of_page(PAGE, tmp_path)
    for number, (command, shown) in enumerate(examples(PAGE)):
        require_printed(command, folder, shown)
        if number == 0:
            (entry,) = json.loads((folder / "lane-lint-baseline.json").read_text())["findings"]
            assert json.loads(blocks(PAGE, "json")[0]) == {**entry, "fingerprint": "..."}
