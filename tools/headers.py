"""The public headers as text: what tools/update-abi lists of them, and tools/python-bindings makes ctypes of.

They are read by patterns, which is enough for headers that are written in one way: tests/test_abi.sh and
tests/test_python.sh notice where it is not.
"""
import pathlib
import re

BRACES = r"\{((?:[^{}]|\{[^{}]*\})*)\}"


def text_of(include):
    """All headers, without comments, directives and what is for C++."""
    text = "\n".join(path.read_text() for path in sorted(pathlib.Path(include, "kelvin").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*", " ", text, flags=re.M)


def plain(text):
    return re.sub(r"\s+", " ", text).strip().replace("( ", "(").replace(" )", ")")


def functions(text):
    """{name: declaration}"""
    found = {}
    for declaration in re.findall(r"\bKELVIN_API\b([^;{]*);", text):
        declaration = re.sub(r"\bKELVIN_MUST_CHECK\b|\bKELVIN_PRINTF\([^)]*\)", " ", declaration)
        name = re.search(r"\b(kelvin_\w+)\s*(?=[(\[;]|$)", declaration).group(1)
        found[name] = plain(declaration)
    return found


def unmarked(text):
    """Names of functions that are declared without KELVIN_API."""
    text = re.sub(BRACES, "", text)
    statements = [plain(statement) for statement in text.split(";")]
    return [re.search(r"(\w+) ?\(", each).group(1) for each in statements
            if re.match(r"(?!typedef|KELVIN_API)[\w *]+\(", each)]


def fields(body):
    """Names of the members in a struct's braces."""
    body = re.sub(r"\{[^{}]*\}", " ", body)  # a struct or an enumeration within: its name alone
    for declaration in filter(None, map(plain, body.split(";"))):
        pointer = re.search(r"\(\s*\*\s*(?:const\s+)?(\w+)", declaration)  # to a function
        if pointer:
            yield pointer.group(1)
            continue
        for part in re.sub(r"\[[^\]]*\]", "", declaration).split(","):
            yield re.search(r"(\w+)\s*$", part).group(1)


def structs(text):
    """[(name, what is in its braces)] of all open structs, in their order."""
    return [(name, body) for _, body, name in
            re.findall(r"\btypedef\s+struct\s*(\w*)\s*" + BRACES + r"\s*(\w+)\s*;", text)]


def constants(text):
    """[(name, value as it is written, or "" for one more than the last, the first of its enumeration)]"""
    found = []
    for body in re.findall(r"\benum\s*\w*\s*" + BRACES, text):
        for i, constant in enumerate(filter(None, map(plain, body.split(",")))):
            name, _, value = map(str.strip, constant.partition("="))
            found.append((name, value, i == 0))
    return found
