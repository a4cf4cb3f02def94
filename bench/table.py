"""What the scripts here share: results as JSON, one file per program and round, and a table of them beside targets."""
import json
import pathlib


def results(folder, name):
    """All rounds of a program, in order; none if it did not run."""
    return [json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob(name + "-[0-9]*.json"))]


def best(rounds, key, choose=min):
    return choose(r[key] for r in rounds)


def head(about, rounds):
    print(f"{about}; best of {len(rounds)} round{'' if len(rounds) == 1 else 's'}\n")
    print(f"{'':<50} {'':>18} {'target':>10}  met")


def row(title, value, unit, target="", met=None):
    print(f"{title:<50} {value:>9} {unit:<8} {target:>10}  {'' if met is None else 'yes' if met else 'no'}".rstrip())


def at_least(title, value, target, digits=2):
    """A ratio that should be large."""
    row(title, f"{value:.{digits}f}", "x", f">= {target:g} x", value >= target)


def markdown(head, rows):
    """Lines of a table of Markdown; the first column is text, the others are numbers."""
    return [
        "| " + " | ".join(head) + " |",
        "|---|" + "--:|" * (len(head) - 1),
        *("| " + " | ".join(cells) + " |" for cells in rows),
    ]
