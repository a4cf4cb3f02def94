"""Runs from Python: the same bits as by the command, and what is asked of them against NumPy."""
import json
import pathlib
import pickle
import shutil

import numpy as np
import pytest

import kelvin
from conftest import tensors_of, write_csv


def options(settings):
    """Settings as the command takes them."""
    return [word for name, value in settings.items() for word in ("--" + name.replace("_", "-"), str(value))]


def drawn(folder):
    """All bytes that hold draws or logits."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.suffix in (".npy", ".csv") and path.name != "times.csv"}, \
        {str(path.relative_to(folder)): tensors_of(path)[0] for path in sorted(pathlib.Path(folder).rglob("samples-*"))}


def same(one, other):
    bytes_one, tensors_one = drawn(one)
    bytes_other, tensors_other = drawn(other)
    assert bytes_one == bytes_other
    assert tensors_one.keys() == tensors_other.keys() and tensors_one
    for name, arrays in tensors_one.items():
        for tensor, values in arrays.items():
            assert np.array_equal(values, tensors_other[name][tensor]), (name, tensor)


def test_same_bits_as_the_command_by_name(tmp_path, command, quick):
    command("sample", "--data", "toy", "--seed", 3, *options(dict(quick, batch=18)), "-o", "run", folder=tmp_path)
    kelvin.sample("toy", seed=3, folder=tmp_path / "python", **dict(quick, batch=18))
    same(tmp_path / "run", tmp_path / "python")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_as_the_command_from_arrays(tmp_path, command, quick, table, dtype):
    X, y = table[0].astype(dtype), np.array(["a", "b", "c"])[table[1]]
    write_csv(tmp_path / "table.csv", X, y)
    command("sample", "--data", "csv:table.csv,label=label", "--seed", 3, *options(quick), "-o", "run", folder=tmp_path)
    kelvin.sample((X, y), seed=3, folder=tmp_path / "python", **quick)
    same(tmp_path / "run", tmp_path / "python")


def test_same_bits_with_what_is_chosen(tmp_path, command, table):
    write_csv(tmp_path / "table.csv", *table)
    command("sample", "--data", "csv:table.csv,label=label,split=0", "-o", "run", folder=tmp_path)
    run = kelvin.sample(table, split=0, folder=tmp_path / "python")
    same(tmp_path / "run", tmp_path / "python")
    config = json.loads((tmp_path / "run" / "run.json").read_text())
    assert {name: run.config[name] for name in config if not name.startswith("data")} == \
        {name: config[name] for name in config if not name.startswith("data")}


@pytest.mark.parametrize("sampler", ["hmc", "mclmc"])
def test_same_bits_of_other_samplers(tmp_path, command, table, sampler):
    X, y = table
    settings = dict(sampler=sampler, model="mlp:4", density="categorical", prior="normal:1", chains=2, iterations=30,
                    warmup=15, seed=2)
    write_csv(tmp_path / "table.csv", X, y)
    command("sample", "--data", "csv:table.csv,label=label", *options(settings), "-o", "run", folder=tmp_path)
    kelvin.sample((X, y), folder=tmp_path / "python", **settings)
    same(tmp_path / "run", tmp_path / "python")


def test_samples_are_those_of_the_files(run):
    stored = [tensors_of(path)[0] for path in sorted(pathlib.Path(run.folder).rglob("samples-*"))]
    for name in run.samples:
        assert np.array_equal(run.samples[name], np.concatenate([arrays[name] for arrays in stored]))
    third = run.samples[3]
    assert all(np.array_equal(third[name], run.samples[name][3]) for name in run.samples)
    assert run.samples.n == 8 and list(run.samples.chain) == [0] * 4 + [1] * 4
    with pytest.raises(IndexError):
        run.samples[8]
    with pytest.raises(KeyError):
        run.samples["layers.9.weight"]


def test_logits_are_the_networks(run, table):
    """The network once more, by NumPy in double: logits in single precision are off by some roundings of their size."""
    mean, deviation = standardisation(run)
    X = (table[0] - mean) / deviation
    z = run.predict_logits(table[0])
    for i in range(run.samples.n):
        theta = {name: value.astype(float) for name, value in run.samples[i].items()}
        hidden = np.maximum(X @ theta["layers.0.weight"].T + theta["layers.0.bias"], 0)
        expected = hidden @ theta["layers.1.weight"].T + theta["layers.1.bias"]
        assert np.abs(z[i] - expected).max() <= 1e-5 * (1 + np.abs(expected).max())
    saved = np.load(pathlib.Path(run.folder, "logits_test.npy"))
    assert np.array_equal(run.logits["test"].reshape(saved.shape), saved)
    assert list(run.logits) == ["train", "test"]


def test_labels(run, table):
    assert np.array_equal(run.labels["test"], np.load(pathlib.Path(run.folder, "labels_test.npy")))
    assert np.array_equal(np.bincount(run.labels["train"]), [40, 40, 40]) and list(run.labels) == ["train", "test"]
    with pytest.raises(KeyError):
        run.labels["other"]


@pytest.mark.parametrize("header", [True, False])
def test_arrays_for_a_run_of_the_commands(tmp_path, command, quick, table, header):
    """A table of numbers, with names and without: arrays, logits and frames are asked about as its file is."""
    X, y = table
    write_csv(tmp_path / "table.csv", X, y)
    if not header:
        (tmp_path / "table.csv").write_text("\n".join((tmp_path / "table.csv").read_text().split("\n")[1:]))
    command("sample", "--data", "csv:table.csv,label=5", *options(quick), "-o", "run", folder=tmp_path)
    run = kelvin.open(tmp_path / "run")
    expected = run.predict(f"csv:{tmp_path / 'table.csv'},label=5,split=0")
    assert expected.shape == (150, 3) and np.array_equal(run.predict(X), expected)
    z = run.predict_logits(X).astype(float)
    p = np.exp(z - z.max(2, keepdims=True))
    assert np.allclose((p / p.sum(2, keepdims=True)).mean(0), expected, atol=1e-12)
    assert run.evaluate((X, y)).accuracy == pytest.approx((expected.argmax(1) == y).mean())


def standardisation(run):
    """Means and deviations of the training rows, as its folder has them."""
    from kelvin._library import library
    data = library.kelvin_run_data(run._looked_at())
    return (np.array([ask(data, i) for i in range(4)])
            for ask in (library.kelvin_data_mean, library.kelvin_data_deviation))


def test_probabilities_and_doubt(run, table):
    """By NumPy from the logits: means, entropies."""
    X = table[0]
    z = run.predict_logits(X).astype(float)
    p = np.exp(z - z.max(2, keepdims=True))
    p /= p.sum(2, keepdims=True)
    mean = p.mean(0)
    entropy = -(mean * np.log(mean)).sum(1)
    aleatoric = -(p * np.log(p)).sum(2).mean(0)
    found = run.uncertainty(X)
    assert np.allclose(run.predict(X), mean, atol=1e-12)
    assert np.allclose(found.entropy, entropy, atol=1e-12)
    assert np.allclose(found.aleatoric, aleatoric, atol=1e-12)
    assert np.allclose(found.epistemic, entropy - aleatoric, atol=1e-12)
    assert np.array_equal(run.predict(X), np.concatenate([run.predict(X[:70]), run.predict(X[70:])]))
    assert run.predict(X[:0]).shape == (0, 3)


def test_metrics(run, table):
    X, y = table
    p = run.predict(X)
    metrics = run.evaluate((X, y))
    assert metrics.accuracy == pytest.approx((p.argmax(1) == y).mean())
    assert metrics["mean_log_likelihood"].ensemble == pytest.approx(np.log(p[np.arange(150), y]).mean())
    assert metrics.brier == pytest.approx(((p - np.eye(3)[y]) ** 2).sum(1).mean())
    assert metrics.bins["n"].sum() == 150 and metrics.observations == 150
    assert run.evaluate().on == "test" and run.evaluate("train").observations == 120
    assert "accuracy" in repr(metrics) and "accuracy" in dir(metrics)


def test_metrics_are_the_commands(run, command, tmp_path):
    said = json.loads(command("eval", run.folder, "--json", folder=tmp_path))
    text = json.dumps(said)
    assert f"{run.evaluate()['accuracy'].ensemble:.6g}"[:6] in text


def test_diagnosis_is_the_commands(run, command, tmp_path):
    found = run.diagnose()
    said = json.loads(command("diagnose", run.folder, "--json", folder=tmp_path))
    text = json.dumps(said)
    assert found.grade in ("sound", "usable with care", "not to be used")
    assert found.verdict.startswith(found.grade) and found.grade in text
    assert {each.code for each in found.advice} == {each["code"] for each in said["advice"]}
    assert not any("--" in each.text for each in found.advice)  # words of Python's


def test_history(run):
    rows = run.history
    stored = np.genfromtxt(pathlib.Path(run.folder, "chain-001", "history.csv"), delimiter=",", names=True)
    mine = rows[rows["chain"] == 1]
    assert len(mine) == len(stored) == 40
    for name in stored.dtype.names:
        assert np.allclose(mine[name], stored[name], rtol=1e-8, equal_nan=True), name


def test_pickles(run, table):
    again = pickle.loads(pickle.dumps(run))
    assert again.folder != run.folder
    assert np.array_equal(again.predict(table[0]), run.predict(table[0]))
    assert again.diagnose().verdict == run.diagnose().verdict
    assert again.evaluate(table).accuracy == run.evaluate(table).accuracy


def test_temporary_folder_goes_with_its_run(table, quick):
    short = kelvin.sample(table, **quick)
    folder = pathlib.Path(short.folder)
    assert folder.is_dir()
    del short
    assert not folder.exists()


def test_save_open_report(run, table, tmp_path):
    kept = run.save(tmp_path / "kept")
    opened = kelvin.open(tmp_path / "kept")
    assert np.array_equal(opened.predict(table[0]), kept.predict(table[0])) and opened.finished
    assert "<h1>" in pathlib.Path(opened.report(tmp_path / "page.html")).read_text()
    screen = opened._repr_html_()
    assert opened.diagnose().grade in screen and "<nav" not in screen
    assert np.load(opened.export(tmp_path / "run.npz"))["layers.0.weight"].shape == (2, 4, 5, 4)
    with pytest.raises(kelvin.UsageError):
        opened.export(tmp_path / "run.xyz")


def test_resumed_after_an_exception(tmp_path, table, quick):
    """A callback that raises stops the run; going on gives the bits of one that was left alone."""
    settings = dict(quick, epochs=20000)
    calls = []

    def fails(progress):
        calls.append(progress)
        if progress.row > 0:
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        kelvin.sample(table, seed=1, folder=tmp_path / "stopped", callback=fails, **settings)
    assert calls[-1].total == 2 * 20000 * 2 and calls[-1].values  # batches of 50 of 120 rows: 2 whole ones
    assert not kelvin.open(tmp_path / "stopped").finished
    with pytest.raises(kelvin.FormatError, match="has not ended.*kelvin.resume"):
        kelvin.open(tmp_path / "stopped").samples
    with pytest.raises(kelvin.UsageError, match=r"kelvin\.resume\('.*', \(X, y\)\)"):
        kelvin.resume(tmp_path / "stopped")
    kelvin.resume(tmp_path / "stopped", table)
    kelvin.sample(table, seed=1, folder=tmp_path / "whole", **settings)
    same(tmp_path / "stopped", tmp_path / "whole")


def test_a_callback_that_says_false(table, quick):
    with pytest.raises(kelvin.StoppedByWatch) as stopped:
        kelvin.sample(table, callback=lambda progress: progress.row < 100, **dict(quick, epochs=20000))
    assert kelvin.resume() is stopped.value.run and stopped.value.run.samples.n == 8


def test_started_from_a_state_dict(table, quick, tmp_path):
    """Steps of next to no length: draws are where chains began."""
    settings = dict(quick, lr=1e-12, temperature=1e-12, epochs=8)
    random = np.random.RandomState(0)
    state = {"layers.0.weight": random.randn(5, 4), "layers.0.bias": random.randn(5),
             "layers.1.weight": random.randn(3, 5), "layers.1.bias": random.randn(3)}
    for named in (state, {f"{i}.x": value for i, value in enumerate(state.values())}):  # names, or the order
        found = kelvin.sample(table, init=named, **settings)
        for name, value in state.items():
            assert np.allclose(found.samples[name], value[None], atol=1e-5), name
    with pytest.raises(kelvin.Error, match="layers.0.weight"):
        kelvin.sample(table, init=dict(state, **{"layers.0.weight": np.zeros((4, 5))}), **settings)
    with pytest.raises(kelvin.UsageError, match="model"):
        kelvin.sample(table, init=state)


def test_frames(tmp_path, command, quick):
    """Texts and missing cells: as the command makes of the same table."""
    pandas = pytest.importorskip("pandas")
    random = np.random.RandomState(0)
    frame = pandas.DataFrame({"a": random.randn(120), "colour": random.choice(["red", "blue"], 120)})
    frame["label"] = np.where((frame["a"] > 0) ^ (frame["colour"] == "red"), "yes", "no")
    frame.loc[::7, "a"] = np.nan
    frame.to_csv(tmp_path / "table.csv", index=False, float_format="%.17g")
    command("sample", "--data", "csv:table.csv,label=label", *options(quick), "-o", "run", folder=tmp_path)
    run = kelvin.sample(frame, label="label", folder=tmp_path / "python", **quick)
    same(tmp_path / "run", tmp_path / "python")
    assert np.array_equal(run.predict(frame.drop(columns="label")), run.predict(str(tmp_path / "table.csv")))
    with pytest.raises(kelvin.UsageError, match="label"):
        kelvin.sample(frame, label="nothing")


def test_frames_of_numbers_by_their_names(table, quick):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table[0], columns=list("abcd"))
    run = kelvin.sample((frame, table[1]), **quick)
    assert np.array_equal(run.predict(frame), run.predict(frame[list("dcba")]))
    assert {each.name for each in run.effects()} == set("abcd")
    with pytest.raises(kelvin.UsageError, match="no column 'c'"):
        run.predict(frame[["a", "b", "d"]])
    missing = frame.copy()
    missing.loc[3, "b"] = np.nan
    with pytest.warns(RuntimeWarning, match="X: line 5: the value of 'b' is missing"):
        p = run.predict(missing)
    assert np.array_equal(np.delete(p, 3, 0), np.delete(run.predict(frame), 3, 0))
    with pytest.raises(kelvin.UsageError, match="rows that the run was made from"):
        pickle.loads(pickle.dumps(run)).effects()


def test_a_table_for_a_run_of_named_arrays(table, quick, tmp_path):
    """The label of arrays has no name, and their columns have: a file is matched by these."""
    run = kelvin.sample(table, columns=list("abcd"), **quick)
    write_csv(tmp_path / "new.csv", table[0], table[1], list("abcd"))
    assert np.array_equal(run.predict(f"csv:{tmp_path / 'new.csv'}"), run.predict(table[0]))


def test_images(quick):
    random = np.random.RandomState(0)
    X = random.randint(0, 255, (60, 1, 8, 8)).astype(np.uint8)
    y = np.arange(60) % 2
    X[y == 1, :, :4] //= 4
    run = kelvin.sample((X, y), **dict(quick, model="cnn:4,kernel=3,stride=2", batch=20))
    assert run.predict(X[:, 0]).shape == (60, 2) and run.evaluate((X, y)).observations == 60
    with pytest.raises(kelvin.UsageError, match="expected .1, 8, 8."):
        run.predict(X[:, :, :7])


def test_lists():
    assert list(kelvin.members("samplers")) == ["sghmc", "hmc", "mclmc"]
    assert "hmc" in kelvin.fields()["step_size"].replace("sghmc", "") and "mclmc" in kelvin.fields()["step_size"]
    assert "step_size" in kelvin.fields() and "density" in kelvin.fields()
    assert kelvin.describe("digits")["rows"] == (1438, 359)
    with pytest.raises(kelvin.UsageError, match="densities"):
        kelvin.members("density")


def test_other_folders_stay(tmp_path, table, quick):
    (tmp_path / "there").mkdir()
    with pytest.raises(kelvin.UsageError, match="already exists"):
        kelvin.sample(table, folder=tmp_path / "there", **quick)
    shutil.rmtree(tmp_path / "there")
