"""Holds docs/api.md to the library.

    test_api.py docs/api.md EXPORTED INCLUDE    fails if the page names a function that is not among the exported names,
                                                or a type that headers do not have
    test_api.py docs/api.md                     prints a program: the block of code that fits arrays, with a table
"""
import pathlib
import re
import sys

PROGRAM = """#include <kelvin/kelvin.h>
#include <stdio.h>
int main(void)
{
    static float x[1000 * 20], new_x[20];
    static int32_t labels[1000];
    double p[2];
    const size_t n = 1;
    for (int i = 0; i < 1000 * 20; i++) x[i] = (float)(i * 7919 %% 1009) / 1009 + (float)(i / 20 %% 2);
    for (int i = 0; i < 1000; i++) labels[i] = i %% 2;
%s
    return st || p[0] < 0.5;
}
"""


def blocks(text):
    return re.findall(r"(?:^    .*\n)+", text, re.M)


def strangers(text, known):
    """Names that are not known: whole ones, and those that leave out what the one before begins with."""
    before = ""
    code = " ".join(blocks(text)) + " ".join(re.findall(r"`([^`]*)`", text))
    for name in re.findall(r"\bkelvin_\w+|(?<=[ ,])_[a-z]\w*", code):
        if name.startswith("_"):
            stems = (before[:i] for i in range(len(before), 0, -1))
            name = next((stem + name for stem in stems if stem + name in known), name)
        else:
            before = name
        if name not in known:
            yield name


def types(include):
    text = "".join(path.read_text() for path in pathlib.Path(include, "kelvin").glob("*.h"))
    return re.findall(r"^(?:typedef [^;{(]*|\} )\b(kelvin_\w+);", text, re.M)


def main(page, exported=None, include=None):
    with open(page) as file:
        text = file.read()
    if exported is None:
        print(PROGRAM % next(block for block in blocks(text) if "kelvin_arrays arrays" in block).rstrip("\n"))
        return 0
    with open(exported) as file:
        wrong = sorted(set(strangers(text, {*file.read().split(), *types(include)})))
    if wrong:
        print("docs/api.md names what the library does not have:", *wrong, file=sys.stderr)
    return bool(wrong)


sys.exit(main(*sys.argv[1:]))
