"""ArviZ opens runs, and its numbers are those of `kelvin diagnose`."""
import json

import numpy as np
import pytest

arviz = pytest.importorskip("arviz")

import kelvin  # noqa: E402


@pytest.fixture(scope="module")
def long_run(table):
    return kelvin.sample(table, model="mlp:4", density="categorical", prior="normal:1", chains=4, samples=80,
                         epochs=400, lr=0.01, batch=50)


def group(data, name):
    return data[name].dataset if hasattr(data[name], "dataset") else data[name]


def numbers(found, names):
    """All values of what ArviZ says of each parameter."""
    found = group(found, "posterior") if "posterior" in getattr(found, "children", {}) else found
    return np.concatenate([np.ravel(found[name]) for name in names])


def test_arviz_agrees_with_diagnose(long_run, command, tmp_path):
    """R-hat and effective sample sizes of every parameter: their largest, smallest and median ones. From 1.0 on the
    tails of ArviZ are by default at 5.5 and 94.5 %, so they are asked for at 5 and 95 %."""
    data = long_run.to_arviz()
    assert set(group(data, "posterior").data_vars) == set(long_run.samples)
    rhat, bulk, tail = (numbers(found, long_run.samples) for found in (
        arviz.rhat(data), arviz.ess(data, method="bulk"), arviz.ess(data, method="tail", prob=(0.05, 0.95))))
    found = {"rank_rhat_max": rhat.max(), "rank_rhat_median": np.median(rhat), "ess_bulk_min": bulk.min(),
             "ess_bulk_median": np.median(bulk), "ess_tail_min": tail.min()}
    mine = long_run.diagnose().parameters
    said = json.dumps(json.loads(command("diagnose", long_run.folder, "--json", folder=tmp_path)))
    for name, value in found.items():
        assert value == pytest.approx(getattr(mine, name), rel=1e-6), name
        assert f"{getattr(mine, name):.4g}"[:4] in said, name
    assert len(arviz.summary(data)) == long_run.samples.matrix().shape[1]


def test_pictures_and_loo(long_run):
    pytest.importorskip("matplotlib").use("Agg")
    data = long_run.to_arviz()
    plot = getattr(arviz, "plot_trace", None) or arviz.plot_trace_dist
    assert plot(data, var_names=["layers.1.bias"]) is not None
    loo = arviz.loo(data)
    elpd = loo.elpd_loo if hasattr(loo, "elpd_loo") else loo.elpd
    z = long_run.logits["train"].astype(float)
    logp = z - np.log(np.exp(z - z.max(2, keepdims=True)).sum(2, keepdims=True)) - z.max(2, keepdims=True)
    labels = long_run.labels["train"]
    each = logp[:, np.arange(len(labels)), labels]
    stored = group(data, "log_likelihood")["y"].values.reshape(-1, len(labels))
    assert np.allclose(stored, each, atol=1e-6)
    in_sample = np.log(np.exp(each).mean(0)).sum()
    assert in_sample - 100 < float(elpd) < in_sample  # leaving rows out costs something


def test_own_density():
    data = kelvin.hmc(lambda x: (-0.5 * x @ x, -x), np.zeros(2), draws=50, warmup=50).to_arviz()
    assert group(data, "posterior")["x"].shape == (4, 50, 2)
