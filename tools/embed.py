#!/usr/bin/env python3
"""Turns a text file into a C header: an array of its characters, 0 after the last.

    embed.py decision-boundary.gp decision_boundary_gp.h

Characters and not a string: C11 compilers need not take a string literal of more than 4,095 characters. One array and
not one per line: pointers to lines would all have to be put right whenever a program starts.
"""
import pathlib
import re
import sys


def main(source, target):
    name = re.sub(r"\W", "_", pathlib.Path(target).stem)
    text = pathlib.Path(source).read_text(encoding="utf-8")
    if not text.isascii() or not re.sub(r"[\t\n]", "", text).isprintable():
        sys.exit(f"embed.py: {source}: only printable ASCII can be embedded")
    lines = [",".join(map(str, line.encode())) + ",\n" for line in text.splitlines(keepends=True)]
    pathlib.Path(target).write_text(
        f"/* Made from {pathlib.Path(source).name} by tools/embed.py. */\n"
        f"static const char {name}[] = {{\n" + "".join(lines) + "0};\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: embed.py SOURCE TARGET.h")
    main(*sys.argv[1:])
