"""What documentation says in Python is run: cells of notebooks, code of docs/python.md and of the README; and the
reference is what the docstrings say.

    PYTHONPATH=PACKAGE documentation.py     (exits with 77 if scikit-learn, pandas or matplotlib is missing)

All code of docs/python.md runs in one session, block after block, and each block of the README that begins with
`import kelvin` in one of its own. A block that imports what is not installed (JAX, PyTorch, ArviZ) is left out.
"""
import ast
import base64
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEEDED = ("numpy", "sklearn", "pandas", "matplotlib")
OPTIONAL = ("arviz", "jax", "torch")
LARGEST = 60 << 10  # bytes of a picture in a notebook
passed = failed = 0


def check(name, good, why=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}\n{why}", file=sys.stderr)
    return good


def missing(names):
    return [name for name in names if importlib.util.find_spec(name) is None]


# ---- running ----

def show(*values):
    """As a notebook does: what a value is, and its looks."""
    for value in values:
        if value is not None:
            repr(value)
            getattr(value, "_repr_html_", lambda: None)()


def run(code, session, name):
    """Runs a piece of code in a session, and shows the value of its last line. Whether it went well."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, name, "exec"), session)
            if last:
                show(eval(compile(ast.Expression(last.value), name, "eval"), session))
    except Exception:
        return check(name, False, code + "\n\n" + traceback.format_exc())
    return check(name, True)


@contextlib.contextmanager
def empty_folder():
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


# ---- notebooks ----

def stored(name, cells):
    """What a notebook was stored with: outputs, no errors, no large pictures, no places of a machine."""
    outputs = [output for cell in cells for output in cell["outputs"]]
    numbers = [cell["execution_count"] for cell in cells]
    check(f"{name}: cells were run in order", numbers == list(range(1, len(cells) + 1)), str(numbers))
    check(f"{name}: there are no errors in it", all(output["output_type"] != "error" for output in outputs))
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    sizes = [len(base64.b64decode("".join(picture))) for picture in pictures]
    check(f"{name}: pictures are small", sizes and max(sizes) <= LARGEST, str(sizes))
    texts = ["".join(value) for output in outputs for kind, value in
             {"text/": output.get("text", ""), **output.get("data", {})}.items() if kind.startswith("text/")]
    places = re.findall(r"(?<![\w.<&/:])/(?:tmp|home|root|work|usr)/[^\s\"'<]*", "\n".join(texts))
    check(f"{name}: there are no places of a machine in it", not places, str(places))


def check_notebook(path):
    import matplotlib.pyplot

    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    stored(path.name, cells)
    session = {"__name__": "__main__", "display": show}
    with empty_folder():
        for i, cell in enumerate(cells, 1):
            if not run("".join(cell["source"]), session, f"{path.name}, cell {i}"):
                break
    matplotlib.pyplot.close("all")


# ---- pages ----

def blocks(path):
    """[(line, code)] of what a page has in Python"""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start()) + 2, found[1])
            for found in re.finditer(r"(?ms)^```python\n(.*?)^```$", text)]


def wanted_by(code):
    """The optional packages that a block imports, by itself or by kelvin."""
    names = {name.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)}
    return [name for name in OPTIONAL if any(each.split(".")[0] == name for each in names) or f"kelvin.{name}" in code]


def too_old(code):
    """Whether the installed scikit-learn cannot draw this yet: probabilities of more than two classes."""
    import sklearn

    return 'response_method="predict_proba"' in code and sklearn.__version__.startswith(("1.0", "1.1.", "1.2", "1.3", "1.4"))


def check_page(path, found, one_session):
    """Runs blocks of a page; in one session, those after one that fails are not run."""
    session = {"__name__": "__main__"}
    with empty_folder():
        for line, code in found:
            absent = missing(wanted_by(code))
            if absent:
                print(f"{path.name}, line {line}: not run, since {absent[0]} is not installed")
            elif too_old(code):
                print(f"{path.name}, line {line}: not run, since scikit-learn is too old")
            elif not run(code, session, f"{path.name}, line {line}") and one_session:
                break
            if not one_session:
                session = {"__name__": "__main__"}


def main():
    done = subprocess.run([sys.executable, ROOT / "tools" / "python-reference", "--check"], capture_output=True,
                          text=True)
    check("tools/python-reference --check", done.returncode == 0, done.stderr)
    absent = missing(NEEDED)
    if absent:
        print(f"{', '.join(absent)}: not installed; nothing to run the examples of documentation with")
    else:
        import matplotlib

        matplotlib.use("Agg")
        notebooks = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
        check("there are notebooks", len(notebooks) >= 2)
        for path in notebooks:
            check_notebook(path)
        manual, readme = ROOT / "docs" / "python.md", ROOT / "README.md"
        check("there is code in docs/python.md", len(blocks(manual)) >= 10)
        check_page(manual, blocks(manual), True)
        check_page(readme, [each for each in blocks(readme) if each[1].startswith("import kelvin")], False)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 77 if absent else 0)


main()
