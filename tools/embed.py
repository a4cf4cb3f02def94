#!/usr/bin/env python3
"""Turns a text file into a C header: an array of its lines, NULL after the last.

    embed.py decision-boundary.gp decision_boundary_gp.h

An array of lines and not one string: C11 compilers need not take a string literal of more than 4,095 characters.
"""
import pathlib
import re
import sys

ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n"}


def literal(line):
    escaped = "".join(ESCAPES.get(c, c) for c in line)
    if not escaped.isascii() or not escaped.isprintable():
        sys.exit(f"embed.py: only printable ASCII can be embedded, not {line!r}")
    return f'    "{escaped}",\n'


def main(source, target):
    name = re.sub(r"\W", "_", pathlib.Path(target).stem)
    lines = pathlib.Path(source).read_text(encoding="utf-8").splitlines(keepends=True)
    pathlib.Path(target).write_text(
        f"/* Made from {pathlib.Path(source).name} by tools/embed.py. */\n#include <stddef.h>\n"
        f"static const char *const {name}[] = {{\n" + "".join(map(literal, lines)) + "    NULL,\n};\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: embed.py SOURCE TARGET.h")
    main(*sys.argv[1:])
