"""What the site has beyond the pages in docs/: files of the root, references from sources."""

from __future__ import annotations

import os
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))

from command_pages import commands_as_markdown
from fortran_pages import fortran_as_markdown
from header_pages import headers_as_markdown
from parity import parity_as_markdown

ROOT = Path(__file__).resolve().parents[2]

C_HEADERS = ("lapwing.h", "solvers.h")

# pages of the site that lie outside docs/, by their path from the root
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "examples/README.md": "examples.md",
    "lab/README.md": "laboratory.md",
}
WHOLE_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?!https?:|#)[^)\s#]+)\)")
LINK = re.compile(r"\]\(((?!https?:|#)[^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the root."""
    for name, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Write in what is generated, and turn links of the repository into those of the site."""
    source = page.file.src_uri
    if source == "reference/commands.md":
        markdown = markdown.replace("<!-- commands -->", commands_as_markdown())
    if source == "reference/cpp.md":
        markdown = markdown.replace("<!-- headers -->", headers_as_markdown(ROOT))
    if source == "reference/fortran.md":
        markdown = markdown.replace("<!-- fortran -->", fortran_as_markdown(ROOT))
    if source == "reference/parity.md":
        markdown = markdown.replace("<!-- parity -->", parity_as_markdown())
    if source == "reference/c.md":
        headers = [(ROOT / "cpp/include/lapwing/c" / name).read_text() for name in C_HEADERS]
        shown = "\n\n".join(f"```c\n{header}```" for header in headers)
        markdown = markdown.replace("<!-- header -->", shown)
    names = {page: name for name, page in OUTSIDE.items()}
    here = names.get(source) or f"docs/{source}"
    markdown = WHOLE_LINK.sub(lambda link: _in_repository(link, here), markdown)
    return LINK.sub(lambda link: _on_site(link, here, source), markdown)


def _in_repository(link: re.Match[str], here: str) -> str:
    """A link to a file that is on no page becomes its text."""
    target = os.path.normpath(f"{posixpath.dirname(here) or '.'}/{link[2]}")
    on_site = target in OUTSIDE or target.startswith("docs/") or not (ROOT / target).exists()
    return link[0] if on_site else f"`{link[1].strip('`')}`"


def _on_site(link: re.Match[str], here: str, source: str) -> str:
    target = os.path.normpath(f"{posixpath.dirname(here) or '.'}/{link[1]}")
    if target in OUTSIDE:
        page = OUTSIDE[target]
    elif target.startswith("docs/"):
        page = target.removeprefix("docs/")
    else:
        return link[0]  # which the build then complains about
    return f"]({os.path.relpath(page, posixpath.dirname(source) or '.')}{link[2] or ''})"
