"""KelvinClassifier: scikit-learn's own checks, all of them, and what people do with estimators."""
import copy
import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import kelvin  # noqa: E402
from kelvin import KelvinClassifier  # noqa: E402
from kelvin._classifier import row_order  # noqa: E402
from conftest import write_csv  # noqa: E402


@parametrize_with_checks([KelvinClassifier()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def short():
    return KelvinClassifier(model="mlp:5", prior="normal:1", n_samples=8, random_state=0)


@pytest.fixture(scope="module")
def fitted(short, table):
    return clone(short).fit(*table)


def test_pipeline_and_search(short, table):
    search = GridSearchCV(make_pipeline(StandardScaler(), short), {"kelvinclassifier__temperature": [0.5, 1]}, cv=2)
    search.fit(*table)
    assert search.best_score_ > 0.7 and len(search.predict(table[0])) == 150


def test_loky(short, table):
    """Other processes, to which joblib gives arrays as read-only maps of files: the same bits."""
    from joblib import Parallel, delayed
    expected = clone(short).fit(*table).predict_proba(table[0])
    for found in Parallel(n_jobs=2, backend="loky", max_nbytes=100)(
            delayed(fit_of_a_map)(clone(short), *table) for _ in range(3)):
        assert np.array_equal(found, expected)
    assert len(cross_val_score(short, *table, cv=3, n_jobs=2, scoring="neg_log_loss")) == 3


def fit_of_a_map(model, X, y):
    assert isinstance(X, np.memmap) and not X.flags.writeable
    return model.fit(X, y).predict_proba(X)


def test_pickles(fitted, table):
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(again.predict_proba(table[0]), fitted.predict_proba(table[0]))
        assert np.array_equal(again.classes_, fitted.classes_)


def test_joblib_files(fitted, table, tmp_path):
    import joblib
    joblib.dump(fitted, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert np.array_equal(again.predict_proba(table[0]), fitted.predict_proba(table[0]))


def test_calibration_display(short, table):
    pytest.importorskip("matplotlib").use("Agg")
    from sklearn.calibration import CalibrationDisplay
    X, y = table
    binary = clone(short).fit(X, y == 1)
    assert CalibrationDisplay.from_estimator(binary, X, y == 1).prob_true.size > 0


def test_texts_as_labels(short, table):
    y = np.array(["setosa", "versicolor", "virginica"])[table[1]]
    model = clone(short).fit(table[0], y)
    assert list(model.classes_) == ["setosa", "versicolor", "virginica"] == model.posterior_.classes
    assert model.score(table[0], y) > 0.7 and model.predict(table[0]).dtype == y.dtype
    assert model.posterior_.evaluate((table[0], y)).accuracy == pytest.approx(model.score(table[0], y))


def test_frames(short, table):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table[0], columns=["a", "b", "c", "d"])
    model = clone(short).fit(frame, pandas.Series(table[1]))
    assert list(model.feature_names_in_) == list("abcd") and model.n_features_in_ == 4
    assert np.array_equal(model.predict_proba(frame), clone(short).fit(*table).predict_proba(table[0]))
    assert {each.name for each in model.posterior_.effects()} == set("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_frames_with_texts_and_missing_cells(table):
    pandas = pytest.importorskip("pandas")
    random = np.random.RandomState(0)
    frame = pandas.DataFrame({"a": random.randn(200), "colour": random.choice(["red", "blue"], 200)})
    y = np.where((frame["a"] > 0) ^ (frame["colour"] == "red"), "yes", "no")
    frame.loc[::9, "a"] = np.nan
    model = KelvinClassifier().fit(frame, y)
    whole = frame["a"].notna().to_numpy()
    assert model.score(frame[whole], y[whole]) > 0.9
    assert list(model.classes_) == ["no", "yes"] and model.predict(frame).shape == (200,)
    assert model.predict_uncertainty(frame).entropy[~whole].mean() > 0.3  # a coin, where a is missing
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize("rows", [2, 3, 4, 6])
def test_a_handful_of_rows(rows):
    """Steps that are right for most tables are too large for these: chains leave for infinity, and smaller ones are
    taken."""
    X, y = np.random.RandomState(0).randn(rows, 3), np.arange(rows) % 2
    model = KelvinClassifier().fit(X, y)
    assert not model.posterior_.diverged and model.posterior_.samples.n == 128 and model.score(X, y) == 1


def test_images():
    random = np.random.RandomState(0)
    X = random.randint(0, 255, (60, 8, 8)).astype(np.uint8)
    y = np.arange(60) % 2
    X[y == 1, :4] //= 4
    model = KelvinClassifier(model="cnn:4,kernel=3,stride=2", prior="normal:1", n_samples=8).fit(X, y)
    assert model.score(X, y) > 0.9 and model.predict_proba(X).shape == (60, 2)


def test_order_of_rows_does_not_count(short, table):
    X, y = table
    order = np.random.RandomState(1).permutation(150)
    one, other = clone(short).fit(X, y), clone(short).fit(X[order], y[order])
    assert np.array_equal(one.posterior_.samples.matrix(), other.posterior_.samples.matrix())


def test_weights_are_repetitions(short, table):
    X, y = table
    weights = np.random.RandomState(1).randint(0, 4, 150)
    one = clone(short).fit(X, y, sample_weight=weights)
    other = clone(short).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.array_equal(one.posterior_.samples.matrix(), other.posterior_.samples.matrix())


def test_same_bits_as_the_command(tmp_path, command, table):
    """At all defaults: the command, with rows in the classifier's order."""
    X, y = table
    order = row_order(X, y)
    write_csv(tmp_path / "table.csv", X[order], y[order])
    command("sample", "--data", "csv:table.csv,label=label,split=0", "--density", "categorical", "-o", "run",
            folder=tmp_path)
    model = KelvinClassifier().fit(X, y)
    assert np.array_equal(model.posterior_.samples.matrix(), kelvin.open(tmp_path / "run").samples.matrix())


def test_random_state_and_jobs(short, table):
    first = clone(short).fit(*table).predict_proba(table[0])
    assert np.array_equal(clone(short).set_params(n_jobs=1).fit(*table).predict_proba(table[0]), first)
    assert not np.array_equal(clone(short).set_params(random_state=1).fit(*table).predict_proba(table[0]), first)
    a, b = (clone(short).set_params(random_state=np.random.RandomState(3)).fit(*table).predict_proba(table[0])
            for _ in range(2))
    assert np.array_equal(a, b)


def test_uncertainty(fitted, table):
    found = fitted.predict_uncertainty(table[0])
    p = fitted.predict_proba(table[0])
    assert np.allclose(found.entropy, -(p * np.log(p)).sum(1))
    assert np.allclose(found.entropy, found.aleatoric + found.epistemic) and (found.epistemic >= -1e-12).all()


def test_defaults_are_as_good_as_a_linear_model(table):
    """On rows that were held out, in nats: within 0.1, where chance is 1.1."""
    X, y = table
    loss = [-np.log(cross_val_predict(model, X, y, cv=3, method="predict_proba")[np.arange(150), y]).mean()
            for model in (KelvinClassifier(), LogisticRegression(max_iter=1000))]
    assert loss[0] < loss[1] + 0.1


@pytest.mark.parametrize("sampler", ["hmc", "mclmc"])
def test_other_samplers(table, sampler):
    model = KelvinClassifier(model="mlp:4", prior="normal:1", sampler=sampler, n_samples=40).fit(*table)
    assert model.posterior_.samples.n == 40 and model.score(*table) > 0.7


@pytest.mark.parametrize("parameters, words", [({"n_samples": 0}, "n_samples"), ({"n_samples": 1.5}, "n_samples"),
                                               ({"n_jobs": 0}, "n_jobs"), ({"density": "x"}, "density"),
                                               ({"temperature": -1}, "temperature"), ({"model": "mpl:3"}, "mlp")])
def test_wrong_parameters(table, parameters, words):
    with pytest.raises(ValueError, match=words):
        KelvinClassifier(**parameters).fit(*table)
