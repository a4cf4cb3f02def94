"""Literals of the library that have words of the command line, a line each. Usage: test_words.py SOURCE_ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
EXCEPTIONS = {
    "src/fetch/npm.c": "runs npm, and has npm's options",
    "src/report/section_cases.c": "writes CSS, where a property of one's own begins with --",
    "src/report/section_classes.c": "the same",
}
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)



def without_comments(token):
    return token[0] if token[0][0] == '"' else " "


commands = re.findall(r'\.name = "([a-z]+)"', "".join(p.read_text() for p in root.glob("src/cli/*_command.c")))
assert {"sample", "resume", "data"} <= set(commands), commands
of_commands = re.compile(r"(?<![\w-])--[a-z]|\bkelvin (%s)\b|\bapt-get\b" % "|".join(commands))
words = set(re.findall(r"^ +KELVIN_WORD_(\w+)", (root / "include/kelvin/base.h").read_text(), re.M)) | {"BLAME"}
assert {"FIELD", "RESUME"} <= words, words

files = [p for p in sorted(root.glob("src/*/*.[ch]")) + sorted(root.glob("include/kelvin/*.h")) if p.parent.name != "cli"]
needed, literals = set(), 0
for path in files:
    name, text = str(path.relative_to(root)), path.read_text()
    # one that goes on in the next line is one
    found = re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', TOKEN.sub(without_comments, text))
    found = [re.sub(r'"\s*"', "", literal) for literal in found]
    literals += len(found)
    for literal in filter(of_commands.search, found):
        needed.add(name)
        if name not in EXCEPTIONS:
            print(f"{name}: {literal}")
    for used in re.findall(r"KELVIN_REFER\((\w+), ", text):
        if used not in words and used != "word":
            print(f"{name}: {used} is no word of kelvin/base.h")
for name in EXCEPTIONS.keys() - needed:
    print(f"{name}: is no exception any more")
assert len(files) > 200 and literals > 2000, (len(files), literals)
