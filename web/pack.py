#!/usr/bin/env python3
"""Puts the explorer into one file: style, scripts, WebAssembly.

    web/pack.py OUT SOURCES PLAIN.wasm RELAXED.wasm KNOWN.json STYLE.css...

Scripts are the modules of the folder SOURCES, as a browser would load them from main.js and worker.js, one after the
other in one scope: so no two modules may use one name at their top. WebAssembly is packed by gzip, and written in
base64."""
import base64
import gzip
import os
import re
import sys

IMPORT = re.compile(r"^import\s+(?:\{[^}]*\}\s+from\s+)?'\./([\w-]+\.js)';\n", re.M)
TOP = re.compile(r"^(?:export\s+)?(?:async\s+)?(?:function\*?|class|const|let|var)\s+(\w+)", re.M)
MOST = 1500000  # bytes of the page


def bundle(folder, first):
    """The text of a module and of all that it imports, each after what it needs itself."""
    texts, names, seen = [], {}, []

    def take(name, above):
        if name in above:
            sys.exit(f"pack: {name} imports itself, by {' and '.join(above)}")
        if name in seen:
            return
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        for other in IMPORT.findall(text):
            take(other, above + [name])
        seen.append(name)
        text = IMPORT.sub("", text)
        if re.search(r"^(import|export\s+(default|\{|\*))", text, re.M):
            sys.exit(f"pack: {name}: expected import {{ names }} from './file.js' and export before a declaration")
        for top in TOP.findall(text):
            if top in names:
                sys.exit(f"pack: {name}: {top} is the name of something in {names[top]} too")
            names[top] = name
        texts.append(f"// ---- {name} ----\n" + re.sub(r"^export\s+", "", text, flags=re.M))

    take(first, [])
    return "\n".join(texts)


def packed(path):
    with open(path, "rb") as file:
        return base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()


def main():
    out, folder, plain, relaxed, known, *styles = sys.argv[1:]
    style = ""
    for path in styles:
        with open(path, encoding="utf-8") as file:
            style += file.read()
    with open(known, encoding="utf-8") as file:
        known = file.read().strip()
    parts = {
        "style": style,
        "wasm-plain": packed(plain),
        "wasm-relaxed": packed(relaxed),
        "known": known,
        "worker": bundle(folder, "worker.js"),
        "main": bundle(folder, "main.js"),
    }
    for name, text in parts.items():
        if "</script" in text or "</style" in text:
            sys.exit(f"pack: {name}: holds the end of a script or style, which would end it in the page")
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        page = file.read()
    for name, text in parts.items():
        mark = f"/* pack: {name} */"
        if page.count(mark) != 1:
            sys.exit(f"pack: index.html: expected one place for {mark}")
        page = page.replace(mark, text)
    size = len(page.encode())
    if size > MOST:
        sys.exit(f"pack: the page has {size} bytes; expected at most {MOST}")
    with open(out, "w", encoding="utf-8") as file:
        file.write(page)


main()
