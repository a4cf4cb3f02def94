#!/usr/bin/env python3
"""Turns docs/api.md into the manual page kelvin(3):

    manual.py docs/api.md VERSION DATE kelvin.3

Of Markdown it knows what that page needs: a title `# NAME: what it is`, sections, paragraphs, blocks of code that are
indented by four, and `code` in a line. Code is set smaller: the page is to be printed on two sheets of A4.
"""
import pathlib
import re
import sys


def escape(text, dash="\\-"):
    text = text.replace("\\", "\\e").replace("-", dash)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def prose(text):
    """A paragraph, with code in bold type."""
    parts = re.split(r"`([^`]*)`", " ".join(text.split()))
    text = "".join(escape(part, "-") if i % 2 == 0 else f"\\fB{escape(part)}\\fR" for i, part in enumerate(parts))
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > 78:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join(("\\&" + each if each[0] in ".'" else each) for each in lines + [line])


def code(block):
    lines = [line[4:] for line in block.splitlines()]
    return ".ps 8.5\n.vs 10\n.EX\n" + escape("\n".join(lines)) + "\n.EE\n.ps\n.vs"


def convert(text, version, date):
    title, *blocks = re.split(r"\n\s*\n", text.strip("\n"))
    name, about = re.match(r"# (\S+): (.*)", title).groups()
    out = [f".TH {name.upper()} 3 {date} \"kelvin {version}\" \"Library Functions\"", ".ad l", ".nr HY 0", ".SH NAME",
           f"{name} \\- {escape(about)}"]
    fresh = True  # after a heading: a paragraph needs no macro
    for block in blocks:
        heading = re.match(r"## (.*)(?:\n([\s\S]*))?$", block)
        if heading:
            out.append(".SH " + escape(heading.group(1).upper()))
            block, fresh = heading.group(2), True
            if not block:
                continue
        if block.startswith("    "):
            out.append(code(block))
        else:
            out += ([] if fresh else [".PP"]) + [prose(block)]
        fresh = False
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: manual.py docs/api.md VERSION DATE kelvin.3")
    source, version, date, target = sys.argv[1:]
    pathlib.Path(target).write_text(convert(pathlib.Path(source).read_text(), version, date))
