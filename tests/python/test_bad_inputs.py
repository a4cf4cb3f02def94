"""What is wrong with inputs is said in a sentence, as an exception that one would expect."""
import numpy as np
import pytest

import kelvin

X = np.random.RandomState(0).randn(20, 3)
Y = np.arange(20) % 2


def changed(value):
    X_other = X.copy()
    X_other[4, 1] = value
    return X_other


CASES = {
    "nan": (lambda: kelvin.sample((changed(np.nan), Y)), ValueError, "row 5, column 2"),
    "infinite": (lambda: kelvin.sample((changed(np.inf), Y)), ValueError, "row 5, column 2"),
    "one class": (lambda: kelvin.sample((X, Y * 0)), ValueError, "at least 2"),
    "too few labels": (lambda: kelvin.sample((X, Y[:5])), ValueError, r"\(5,\).*20 rows"),
    "missing labels": (lambda: kelvin.sample((X, np.where(Y, np.nan, 0.0))), ValueError, "missing"),
    "one axis": (lambda: kelvin.sample((X[:, 0], Y)), ValueError, "shape"),
    "three axes": (lambda: kelvin.sample((X[:, :, None], Y)), ValueError, "shape"),
    "texts": (lambda: kelvin.sample((np.full((20, 2), "red"), Y)), ValueError, "convert"),
    "objects": (lambda: kelvin.sample((np.array([[{}, 1]] * 20, dtype=object), Y)), TypeError, "number"),
    "complex": (lambda: kelvin.sample((X + 1j, Y)), ValueError, "complex"),
    "no rows": (lambda: kelvin.sample((X[:0], Y[:0])), ValueError, "no rows"),
    "negative weights": (lambda: kelvin.sample((X, Y), weights=-np.ones(20)), ValueError, "weights"),
    "too few weights": (lambda: kelvin.sample((X, Y), weights=np.ones(3)), ValueError, r"\(3,\)"),
    "split": (lambda: kelvin.sample((X, Y), split=1.5), ValueError, "split is 1.5"),
    "unknown setting": (lambda: kelvin.sample((X, Y), densty="x"), ValueError, "did you mean 'density'"),
    "unknown density": (lambda: kelvin.sample((X, Y), density="dirclp:1,-5"), ValueError, "did you mean 'dirclip'"),
    "no data": (lambda: kelvin.sample(3), ValueError, r"\(X, y\)"),
    "no file": (lambda: kelvin.sample("nothing.csv"), OSError, "nothing.csv"),
    "no run": (lambda: kelvin.open("nothing"), OSError, "nothing"),
    "no stopped run": (lambda: kelvin.resume(), ValueError, "no run was stopped"),
    "test of another shape": (lambda: kelvin.sample((X, Y), test=(X[:, :2], Y)), ValueError, "expected"),
    "test of another class": (lambda: kelvin.sample((X, Y), test=(X, Y + 7)), ValueError, "label 7"),
    "names": (lambda: kelvin.sample((X, Y), columns=["a"]), ValueError, "1 names"),
    "init": (lambda: kelvin.sample((X, Y), init=3, model="mlp:3"), ValueError, "init is a int"),
    "weights of a name": (lambda: kelvin.sample("digits", weights=[1]), ValueError, "weights is for arrays"),
    "more memory than there is": (lambda: kelvin.sample((np.broadcast_to(np.float32(0), (2**40, 3)), Y)),
                                  (MemoryError, ValueError), "."),
}


@pytest.mark.parametrize("case", CASES)
def test_sentence(case):
    call, kind, words = CASES[case]
    with pytest.raises(kind, match=words) as caught:
        call()
    assert "\n" not in str(caught.value) and "--" not in str(caught.value)


def test_field_to_blame():
    with pytest.raises(kelvin.UsageError) as caught:
        kelvin.sample((X, Y), density="dirclp:1,-5")
    assert caught.value.field == "density"


def test_predict(run):
    wrong = [(np.zeros((3, 5)), "expected"), (np.zeros(4), "shape"), (np.full((3, 4), np.nan), "row 1, column 1"),
             ([["a"] * 4], "convert")]
    for rows, words in wrong:
        with pytest.raises(ValueError, match=words):
            run.predict(rows)


def test_rows_in_many_pieces(run, table):
    """More rows than are asked about at once; a read-only map of a file; another order in memory."""
    rows = np.tile(table[0], (300, 1))
    rows.flags.writeable = False
    p = run.predict(rows)
    assert np.array_equal(p, np.tile(run.predict(table[0]), (300, 1)))
    assert np.array_equal(run.predict(np.asfortranarray(rows[:200])), p[:200])
    assert np.array_equal(run.predict(rows.tolist()[:20]), p[:20])


def test_diverged(table):
    with pytest.raises(kelvin.DivergedError, match="lr"):
        kelvin.sample(table, model="mlp:5", density="categorical", prior="normal:1", lr=1e6, epochs=20, samples=4,
                      chains=2, batch=50)


def test_nothing_is_left_of_what_could_not_start(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40) % 3, "label": ["u", "v"] * 20})
    with pytest.raises(kelvin.UsageError):
        kelvin.sample(frame, label="label", density="dirclp", folder=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_without_scikit_learn():
    """The classifier by itself: parameters, a fit, what is asked before one."""
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-c", """
import sys
sys.modules["sklearn"] = None
import numpy as np, kelvin
X = np.random.RandomState(0).randn(40, 2); y = np.where(X[:, 0] > 0, "a", "b")
model = kelvin.KelvinClassifier(model="mlp:3", prior="normal:1", n_samples=8)
try: model.predict(X)
except ValueError as error: print(error)
print(model)
print(model.set_params(n_samples=4).fit(X, y).score(X, y) > 0.8)
for wrong in (X[:, :1], X * np.nan):
    try: model.predict(wrong)
    except ValueError as error: print(error)
"""], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "this KelvinClassifier has not been fitted; call fit first",
        "KelvinClassifier(prior='normal:1', model='mlp:3', n_samples=8)", "True",
        "X has 1 features, but KelvinClassifier is expecting 2 features as input",
        "X has numbers that are missing or infinite"], done.stderr
