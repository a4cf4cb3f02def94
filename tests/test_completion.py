"""What shells offer, beside what kelvin says that there is. Run in the folder that test_completion.sh made:

    test_completion.py bash|zsh KELVIN complete.bash|complete.zsh
"""
import json
import os
import re
import subprocess
import sys

# Options that take a member of a family, by a command that has them.
FAMILIES = {
    "samplers": ["sample", "--sampler"],
    "schedules": ["sample", "--schedule"],
    "models": ["sample", "--model"],
    "densities": ["sample", "--density"],
    "priors": ["sample", "--prior"],
    "data_sets": ["sample", "--data"],
    "augmentations": ["sample", "--augment"],
    "formats": ["export", "run", "--format"],
    "figures": ["figure"],
}


def offered(member):
    """A name as far as it goes, and whether something follows."""
    name = member["name"]
    if member["usage"].startswith(name + ":"):
        return name + ":", True
    return (name[:-1], True) if name.endswith("N") else (name, False)


def cut(words):
    """As bash has the words of a command line: : and = are words of their own."""
    return [part for word in words for part in (re.findall(r"[:=]+|[^:=]+", word) or ["_"])]


def help_text(kelvin, *arguments):
    return subprocess.run([kelvin, *arguments, "--help"], capture_output=True, text=True, check=True).stdout


def bash_cases(kelvin, info):
    """[(words, offers)]"""
    commands = re.findall(r"^  ([a-z]+) ", help_text(kelvin).split("Commands:")[1], re.M)
    yield ["kelvin", "_"], commands + ["--help", "--version", "--man", "--completion"]
    yield ["kelvin", "--man", "_"], commands
    for command in commands:
        options = re.findall(r"^  (?:(-\w), |    )(--[a-z-]+)", help_text(kelvin, command), re.M)
        yield ["kelvin", command, "-"], {word for pair in options for word in pair if word} - {"-h"}
        yield ["kelvin", command, "--th"], [name for _, name in options if name.startswith("--th")]
    for key, words in FAMILIES.items():
        everything = [offered(member)[0] for member in info[key]] + (["all"] if key == "figures" else [])
        yield ["kelvin", *words, "_"], everything
        for name in everything:
            typed = name[:2]
            offers = [other for other in everything if other.startswith(typed)]
            yield ["kelvin", *words, typed], offers
            if words[-1].startswith("--"):
                yield ["kelvin", *words[:-1], words[-1] + "=" + typed], offers
    # bash has what is before the last : or = already
    yield ["kelvin", "sample", "--data", "csv:ta"], ["table.csv"]
    yield ["kelvin", "sample", "--data=csv:table.csv,test=ta"], ["table.csv"]
    yield ["kelvin", "sample", "--data", "csv:"], [name for name in os.listdir()]
    yield ["kelvin", "sample", "--density", "dirclip:"], []
    yield ["kelvin", "data", "dig"], ["digits"]
    yield ["kelvin", "resume", "ru"], ["runs/"]
    yield ["kelvin", "sample", "--init", "ru"], ["runs/"]
    yield ["kelvin", "sample", "--init", "runs/"], ["runs/inner/", "runs/table two.csv"]
    yield ["kelvin", "sample", "--init", "runs/inner/"], ["runs/inner/my run"]
    yield ["kelvin", "sample", "--init=ta"], ["table.csv"]
    yield ["kelvin", "resume", "runs/inner/"], ["runs/inner/my run"]
    yield ["kelvin", "resume", "runs/inner/my run", "_"], []
    yield ["kelvin", "eval", "a", "--json", "--threads", "2", "runs/inner/m"], ["runs/inner/my run"]
    yield ["kelvin", "eval", "a", "--on", "t"], ["test", "train", "toy"]
    yield ["kelvin", "predict", "a", "ta"], ["table.csv"]
    yield ["kelvin", "predict", "--threads", "2", "a", "runs/t"], ["runs/table two.csv"]
    yield ["kelvin", "predict", "a", "b", "ta"], []
    yield ["kelvin", "export", "a", "-o", "ta"], ["table.csv"]
    yield ["kelvin", "figure", "--scale", "l"], ["laptop"]
    yield ["kelvin", "sample", "--seed", "_"], []
    yield ["kelvin", "sample", "_"], []
    yield ["kelvin", "nonsense", "_"], []


def zsh_cases(kelvin, info):
    """[(line, what it becomes)]: of every family the members that a first few letters tell from the others."""
    yield "kelvin samp", "kelvin sample "
    yield "kelvin --vers", "kelvin --version "
    yield "kelvin sample --temperature-s", "kelvin sample --temperature-schedule="
    for key, words in FAMILIES.items():
        names = [offered(member) for member in info[key]]
        for name, more in names:
            typed = next((name[:n] for n in range(1, len(name)) if sum(other.startswith(name[:n]) for other, _ in names) == 1), None)
            if typed and not "all".startswith(typed):
                yield " ".join(["kelvin", *words, typed]), " ".join(["kelvin", *words, name]) + ("" if more else " ")
    yield "kelvin sample --data csv:ta", "kelvin sample --data csv:table.csv "
    yield "kelvin sample --init ta", "kelvin sample --init table.csv "
    yield "kelvin sample --init runs/inner/", r"kelvin sample --init runs/inner/my\ run" # or a file in it
    yield "kelvin resume runs/inner/", r"kelvin resume runs/inner/my\ run "
    yield "kelvin eval a b runs/inner/", r"kelvin eval a b runs/inner/my\ run "
    yield "kelvin figure --scale l", "kelvin figure --scale laptop "
    yield "kelvin predict a ta", "kelvin predict a table.csv "


def main(shell, kelvin, script):
    with open("info.json") as file:
        info = json.load(file)
    failed = 0
    cases = list({"bash": bash_cases, "zsh": zsh_cases}[shell](kelvin, info))
    lines = ["\t".join(cut(words)) if shell == "bash" else words for words, _ in cases]
    answer = subprocess.run([shell, *(["-f"] if shell == "zsh" else []), script], input="\n".join(lines) + "\n",
                            capture_output=True, text=True, timeout=600)
    answers = answer.stdout.splitlines()
    if len(answers) != len(cases):
        sys.exit(f"{len(answers)} answers of {shell} to {len(cases)} lines: {answer.stderr}")
    for (words, expected), got in zip(cases, answers):
        if shell == "bash":
            got, expected = sorted(word for word in got.split("\t") if word), sorted(expected)
        if got != expected:
            failed += 1
            print(f"{words}: {got}, not {expected}", file=sys.stderr)
    sys.exit(f"{failed} of {len(cases)} lines" if failed else 0)


main(*sys.argv[1:])
