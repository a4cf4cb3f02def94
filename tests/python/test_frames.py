"""Frames of pandas: with texts, missing cells and odd names, for fitting and for asking, in all combinations."""
import pickle

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

import kelvin  # noqa: E402
from kelvin import KelvinClassifier  # noqa: E402

NAMES = {"texts": list("abcd"), "numbers": [0, 1, 2, 3], "texts of numbers": list("3210"),
         "odd": ["a,b", 'q"x', "line\nbreak", "ü;x"]}


@pytest.fixture
def model():
    return KelvinClassifier(model="mlp:5", prior="normal:1", n_samples=8, sampler="hmc")


def frames(table, names):
    """The same table: whole, with missing cells, with a column of texts."""
    whole = pandas.DataFrame(table[0], columns=NAMES[names])
    missing, texts = whole.copy(), whole.copy()
    missing.iloc[::5, 0] = np.nan
    texts[NAMES[names][1]] = np.where(whole.iloc[:, 1] > 0, "high", "low")
    return {"whole": whole, "missing": missing, "texts": texts}


@pytest.mark.filterwarnings("ignore:.*is missing, as none was in training")
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("fitted, asked", [("missing", "missing"), ("missing", "whole"), ("texts", "texts"),
                                           ("whole", "missing")])
def test_asked_of_fitted(model, table, names, fitted, asked):
    """Row by row: each is answered as it is alone, and rows without missing cells as the others."""
    given = frames(table, names)
    model.fit(given[fitted], table[1])
    if (fitted, asked, names) == ("whole", "missing", "numbers"):  # no names to find columns by
        with pytest.raises(ValueError, match="row 1, column 1"):
            model.predict_proba(given[asked])
        return
    p = model.predict_proba(given[asked])
    assert p.shape == (150, 3)
    for i in (0, 7, 149):
        assert np.array_equal(model.predict_proba(given[asked].iloc[[i]])[0], p[i]), i
    assert (p.argmax(1) == table[1]).mean() > 0.7
    whole_rows = ~given["missing"].iloc[:, 0].isna().to_numpy()
    if "texts" not in (fitted, asked):
        assert np.array_equal(p[whole_rows], model.predict_proba(given["whole"])[whole_rows])
    assert model.posterior_.evaluate((given[asked], table[1])).accuracy == pytest.approx((p.argmax(1) == table[1]).mean())
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(given[asked]), p)


def test_other_orders_of_columns(model, table):
    given = frames(table, "texts")
    for kind in ("missing", "texts"):
        model.fit(given[kind], table[1])
        run = model.posterior_
        assert np.array_equal(run.predict(given[kind][list("dbca")]), run.predict(given[kind]))
    run = kelvin.sample((given["whole"], table[1]), test=(given["whole"][list("dcba")], table[1]), model="mlp:5",
                        prior="normal:1", samples=8)
    assert run.evaluate("test").accuracy == run.evaluate("train").accuracy > 0.7
    with pytest.raises(kelvin.UsageError, match="X of test has no column 'a'"):
        kelvin.sample((given["whole"], table[1]), test=(given["whole"].rename(columns={"a": "z"}), table[1]))


def test_order_of_rows_does_not_count(model, table):
    order = np.random.RandomState(1).permutation(150)
    for kind, frame in frames(table, "texts").items():
        one = model.fit(frame, table[1]).posterior_.samples.matrix()
        other = model.fit(frame.iloc[order], table[1][order]).posterior_.samples.matrix()
        assert np.array_equal(one, other), kind


@pytest.mark.parametrize("label", [2, "2", "b\\el", "x,y", "label"])
def test_label_by_its_name(label):
    """Whatever it is: a number is a name, not a place."""
    random = np.random.RandomState(0)
    frame = pandas.DataFrame({0: random.randn(90), 1: random.randint(0, 5, 90), label: random.randint(0, 2, 90),
                              "t": random.choice(["u", "v"], 90)})
    run = kelvin.sample(frame, label=label, model="mlp:3", prior="normal:1", samples=4, epochs=20)
    assert run.classes == ["0", "1"]


def test_a_column_called_label(model, table):
    frame = frames(table, "texts")["texts"].rename(columns={"a": "label", "c": "label_"})
    assert model.fit(frame, table[1]).score(frame, table[1]) > 0.7


def test_commas_in_folders(table, tmp_path):
    frame = frames(table, "texts")["texts"].assign(y=table[1])
    run = kelvin.sample(frame, label="y", model="mlp:3", prior="normal:1", samples=4, epochs=20, folder=tmp_path / "a,b=c")
    assert run.predict(frame.drop(columns="y")).shape == (150, 3)


def test_arrays_for_a_run_of_a_table(model, table):
    given = frames(table, "texts")
    model.fit(given["missing"], table[1])
    assert np.array_equal(model.posterior_.predict(table[0]), model.posterior_.predict(given["whole"]))
    with pytest.raises(kelvin.UsageError, match=r"expected \(rows, 4\)"):
        model.posterior_.predict(table[0][:, :3])


def test_sentences(table):
    given = frames(table, "texts")
    with pytest.raises(kelvin.UsageError, match="label='name'"):
        kelvin.sample((given["texts"], table[1]))
    with pytest.raises(kelvin.Error, match="^the frame: ") as caught:
        kelvin.sample(given["texts"].assign(y=table[1], when="2020-01-01"), label="y")
    assert "kelvin-" not in str(caught.value)
    run = kelvin.sample(given["texts"].assign(y=table[1]), label="y", model="mlp:3", prior="normal:1", sampler="hmc")
    with pytest.raises(kelvin.Error, match="^X: line 2, column 1 .'a'.: 'one' is not a number"):
        run.predict(given["texts"].assign(a="one"))
    with pytest.raises(kelvin.UsageError, match="put in order"):
        kelvin.sample((table[0], np.array(["a", None] * 75, dtype=object)))


def test_labels_of_an_opened_run(table, quick, tmp_path):
    """Those of a folder are texts; numbers are found among them."""
    kelvin.sample((table[0], table[1].astype(float)), folder=tmp_path / "run", **quick)
    assert kelvin.open(tmp_path / "run").evaluate((table[0], table[1])).observations == 150
