#!/usr/bin/env python3
"""Prints what a linker is to export: the functions that headers mark with EXPLORER, as options of wasm-ld.

    web/exports.py OUT HEADER..."""
import re
import sys

out, headers = sys.argv[1], sys.argv[2:]
names = []
for header in headers:
    with open(header, encoding="utf-8") as file:
        names += re.findall(r"^EXPLORER\b[^;(]*?\b(\w+)\(", file.read(), re.M)
if not names:
    sys.exit(f"exports: {' '.join(headers)}: nothing is marked with EXPLORER")
with open(out, "w", encoding="utf-8") as file:
    file.writelines(f"--export={name}\n" for name in names)
