"""The reference of C++, from the installed headers: each documented name with its comment."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

LOG = logging.getLogger("mkdocs.plugins.headers")
TYPES = {"class_specifier", "struct_specifier", "enum_specifier"}
NAMED = {
    "declaration",
    "function_definition",
    "alias_declaration",
    "concept_definition",
    "type_definition",
}


def headers_as_markdown(root: Path) -> str:
    """A section per layer and header, lowest layer first. Names in `detail` are left out."""
    parser = Parser(Language(tree_sitter_cpp.language()))
    parts = []
    for layer in _layers(root):
        headers = sorted((root / "cpp/include/lapwing" / layer).rglob("*.hpp"))
        parts += [f"## {layer}"] * bool(headers)
        for header in headers:
            parts += _header(header, header.relative_to(root / "cpp/include"), parser)
    return "\n\n".join(parts)


def _layers(root: Path) -> list[str]:
    """The layers of C++, lowest first, as the table of CONTRIBUTING.md lists them."""
    text = (root / "CONTRIBUTING.md").read_text()
    table = re.search(r"^\| C\+\+ \|.*\n(?:\|.*\n)+", text, re.M)
    return re.findall(r"^\| `(\w+)` \|", table[0] if table else "", re.M)


def _header(header: Path, name: Path, parser: Parser) -> Iterator[str]:
    source = header.read_bytes()
    top = parser.parse(source).root_node
    yield f"### {name}"
    about = [c for c in top.children if c.type == "comment" and c.start_point.row <= 6]
    yield _prose(_run(about[:1] and _following(about[0])))
    for comment, nodes in documented(top):
        yield "```cpp\n" + "\n".join(map(signature, nodes)) + "\n```"
        if not comment:  # a warning, and so an error of `make docs`
            LOG.warning(
                "%s:%d: a public name without a comment", name, nodes[0].start_point.row + 1
            )
        yield _prose(comment)


def documented(top: Node) -> list[tuple[str, list[Node]]]:
    """The declarations with their comments; what follows without a blank line shares one."""
    groups: list[tuple[str, list[Node]]] = []
    for node in _declarations(top):
        comment = _comment(node)
        last = groups[-1][1][-1] if groups else None
        if last is not None and not comment and node.start_point.row == last.end_point.row + 1:
            groups[-1][1].append(node)
        else:
            groups.append((comment, [node]))
    return groups


def _declarations(node: Node) -> Iterator[Node]:
    """All declarations in namespaces but `detail`, without those that only announce a class."""
    for child in node.children:
        if child.type == "namespace_definition":
            name = child.child_by_field_name("name")
            body = child.child_by_field_name("body")
            if name is not None and name.text != b"detail" and body is not None:
                yield from _declarations(body)
        elif child.type in TYPES:
            if child.child_by_field_name("body") is not None:
                yield child
        elif child.type in NAMED or child.type == "template_declaration":
            yield child


def _comment(node: Node) -> str:
    """The comment lines right above a declaration, or behind it on its line."""
    lines: list[Node] = []
    above = node.prev_sibling
    below = node.start_point.row
    while above is not None and above.type == "comment" and above.end_point.row == below - 1:
        if (
            above.prev_sibling is not None
            and above.prev_sibling.end_point.row == above.start_point.row
        ):
            break  # behind another declaration
        lines.insert(0, above)
        below, above = above.start_point.row, above.prev_sibling
    behind = node.next_sibling
    while behind is not None and behind.type == ";":
        behind = behind.next_sibling
    if (
        behind is not None
        and behind.type == "comment"
        and behind.start_point.row == node.end_point.row
    ):
        lines.append(behind)
    return _run(lines)


def _following(first: Node) -> list[Node]:
    lines = [first]
    while (after := lines[-1].next_sibling) is not None and after.type == "comment":
        if after.start_point.row != lines[-1].end_point.row + 1:
            break
        lines.append(after)
    return lines


def _run(comments: list[Node]) -> str:
    return "\n".join(_text(c).removeprefix("//").removeprefix(" ") for c in comments)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def signature(node: Node) -> str:
    """A declaration without the bodies of functions and the private part of classes."""
    text = _text(node)
    column = node.start_point.column
    text = re.sub(rf"^ {{{column}}}", "", text, flags=re.MULTILINE) if column else text
    cut = _private_from(node)
    if cut is not None:
        text = text[: cut - node.start_byte].rstrip() + "\n};"
    if node.type == "function_definition" or _holds_function(node):
        body = _body(node)
        if body is not None and body.start_byte - node.start_byte > 0:
            text = _text(node)[: body.start_byte - node.start_byte].rstrip() + ";"
    return text if text.rstrip().endswith((";", "}")) else text + ";"


def _holds_function(node: Node) -> bool:
    return node.type == "template_declaration" and any(
        c.type == "function_definition" for c in node.children
    )


def _body(node: Node) -> Node | None:
    if node.type == "template_declaration":
        node = next(c for c in node.children if c.type == "function_definition")
    return node.child_by_field_name("body")


def _private_from(node: Node) -> int | None:
    """Where the private part of a class begins, in bytes of the file."""
    if node.type == "template_declaration":
        node = next((c for c in node.children if c.type in TYPES), node)
    body = node.child_by_field_name("body") if node.type in TYPES else None
    for child in body.children if body else ():
        if child.type == "access_specifier" and _text(child).startswith("private"):
            return child.start_byte
    return None


def _prose(text: str) -> str:
    """A comment as Markdown: what would be taken for markup outside of code is not."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _literal(part) for part in parts)


def _literal(text: str) -> str:
    text = re.sub(r"([*_\[\]])", r"\\\1", text)
    return text.replace("<", "&lt;").replace(">", "&gt;")
