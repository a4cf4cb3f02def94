"""Densities of one's own: exact moments, and what can go wrong in a function of the user's."""
import numpy as np
import pytest

import kelvin

DEVIATION = np.array([0.5, 1.0, 3.0])
MEAN = np.array([1.0, -2.0, 0.0])


def normal(x):
    z = (x - MEAN) / DEVIATION
    return -0.5 * z @ z, -z / DEVIATION


@pytest.mark.parametrize("sampler", [kelvin.hmc, kelvin.mclmc])
def test_moments(sampler):
    """Means within five standard errors, by the effective sample size; variances of a normal have an error of
    sqrt(2 / n). A draw in a million would fail."""
    draws = sampler(normal, np.zeros(3), seed=1)
    assert draws.x.shape == (4, 1000, 3) and draws.logp.shape == (4, 1000)
    ess = draws.ess
    assert (draws.rhat < 1.02).all() and (ess > 400).all()
    x = draws.x.reshape(-1, 3).astype(float)
    assert (np.abs(x.mean(0) - MEAN) < 5 * DEVIATION / np.sqrt(ess)).all()
    assert (np.abs(x.var(0) / DEVIATION**2 - 1) < 5 * np.sqrt(2 / (ess / 4)) + 0.02).all()
    assert draws.settings["step_size"] > 0 and draws.calls > 4000
    assert "R-hat" in repr(draws)


def test_log_density_is_that_of_the_draw():
    draws = kelvin.hmc(normal, np.zeros(3), draws=50, warmup=50)
    for chain in range(4):
        assert draws.logp[chain, -1] == pytest.approx(normal(draws.x[chain, -1].astype(float))[0], rel=1e-4, abs=1e-4)


def test_same_seed_same_draws():
    first, again, other = (kelvin.hmc(normal, np.zeros(3), draws=20, warmup=20, seed=seed).x for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_temperature():
    """exp(logp / T) of a normal has T times its variance."""
    draws = kelvin.hmc(lambda x: (-0.5 * x @ x, -x), np.zeros(2), temperature=4.0)
    assert draws.x.astype(float).var() == pytest.approx(4.0, rel=0.15)


def test_starts_and_settings():
    draws = kelvin.hmc(normal, np.zeros((2, 3)), draws=10, warmup=0, step_size=0.1, steps=5)
    assert draws.x.shape == (2, 10, 3) and draws.settings["step_size"] == pytest.approx(0.1)


def fails(x):
    raise RuntimeError("mine")


def late(x, calls=[]):
    calls.append(1)
    if len(calls) > 500:
        raise RuntimeError("later")
    return normal(x)


CASES = {
    "raises": (lambda: kelvin.hmc(fails, np.zeros(3)), RuntimeError, "mine"),
    "raises later": (lambda: kelvin.hmc(late, np.zeros(3)), RuntimeError, "later"),
    "no pair": (lambda: kelvin.hmc(lambda x: 1.0, np.zeros(3)), ValueError, "pair"),
    "gradient's shape": (lambda: kelvin.hmc(lambda x: (0.0, np.zeros(2)), np.zeros(3)), ValueError, r"\(2,\)"),
    "log-density's shape": (lambda: kelvin.hmc(lambda x: (x, x), np.zeros(3)), ValueError, "one number"),
    "not finite": (lambda: kelvin.hmc(lambda x: (np.nan, x), np.zeros(3)), ValueError, "not finite"),
    "start": (lambda: kelvin.hmc(normal, np.array([np.nan, 0, 0])), ValueError, "x0"),
    "start's shape": (lambda: kelvin.hmc(normal, np.zeros((2, 2, 2))), ValueError, "x0"),
    "chains": (lambda: kelvin.hmc(normal, np.zeros((2, 3)), chains=3), ValueError, "chains is 3"),
    "draws": (lambda: kelvin.hmc(normal, np.zeros(3), draws=0), ValueError, "draws is 0"),
    "setting": (lambda: kelvin.hmc(normal, np.zeros(3), stepsize=1), ValueError, "step_size"),
    "no chains": (lambda: kelvin.hmc(normal, np.zeros(3), chains=0), ValueError, "chains is 0|x0"),
    "half a draw": (lambda: kelvin.hmc(normal, np.zeros(3), draws=10.5), ValueError, "draws is 10.5"),
    "seed": (lambda: kelvin.hmc(normal, np.zeros(3), seed=-1), ValueError, "seed is -1"),
    "one dimension": (lambda: kelvin.mclmc(lambda x: (-0.5 * x @ x, -x), np.zeros(1)), ValueError, "at least 2"),
    "flat": (lambda: kelvin.hmc(lambda x: (0.0, 0 * x), np.zeros(2)), kelvin.DivergedError, "infinity"),
    "temperature": (lambda: kelvin.hmc(normal, np.zeros(3), temperature=0), ValueError, "temperature"),
}


@pytest.mark.parametrize("case", CASES)
def test_sentence(case):
    call, kind, words = CASES[case]
    with pytest.raises(kind, match=words):
        call()


def test_jax():
    jax = pytest.importorskip("jax")
    draws = kelvin.hmc(jax.jit(jax.value_and_grad(lambda x: -0.5 * (x**2).sum())), np.zeros(2), draws=50, warmup=50)
    assert draws.x.shape == (4, 50, 2)


def test_torch():
    torch = pytest.importorskip("torch")

    def density(x):
        theta = torch.tensor(x, requires_grad=True)
        logp = -0.5 * (theta**2).sum()
        logp.backward()
        return logp.detach(), theta.grad

    assert kelvin.hmc(density, np.zeros(2), draws=50, warmup=50).x.shape == (4, 50, 2)
