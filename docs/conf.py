"""How Sphinx builds these pages: `nox -s docs`. They are plain Markdown, and are read as such in the repository too."""

from __future__ import annotations

project = "state-lane"
author = "The state-lane authors"
extensions = ["myst_parser"]

html_theme = "furo"
html_title = "state-lane"

# A link that leads nowhere is an error; nothing is looked up on the network.
nitpicky = True
# Headings can be linked to by the anchors that plain viewers give them.
myst_heading_anchors = 3
