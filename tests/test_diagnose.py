"""kelvin diagnose --json against NumPy and SciPy. Usage: test_diagnose.py RUN JSON...

Written from the papers, not from the C: ranks by scipy.stats.rankdata, scores by scipy.stats.norm.ppf, all
autocovariances at once by FFT, Geyer's sequence on an array of them, probabilities by scipy.special.
"""
import glob
import json
import struct
import sys

import numpy as np
from scipy.special import log_softmax, softmax
from scipy.stats import norm, rankdata

MOST_OBSERVED, MOST_PAIRS = 1000, 50


def load(path):
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:8 + size])
    head.pop("__metadata__")
    return {name: np.frombuffer(raw[8 + size:][slice(*t["data_offsets"])], "<f4").reshape(t["shape"])
            for name, t in head.items() if t["dtype"] == "F32"}


def chain_draws(folder, chain):
    """(draws, parameters) of a chain, over all of its files."""
    files = sorted(glob.glob(f"{folder}/chain-{chain:03d}/samples-*.safetensors"))
    tensors = [load(f) for f in files]
    return np.concatenate([np.concatenate([a.reshape(len(a), -1) for a in t.values()], axis=1)
                           for t in tensors]).astype(float)


# ---- one number for each quantity of x (quantities, chains, draws) ----

def paper_rhat(x):
    n = x.shape[2]
    within = x.var(axis=2, ddof=1).mean(axis=1)
    between = x.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(((n - 1) / n * within + between) / within)


def scores(x):
    ranks = rankdata(x.reshape(len(x), -1), axis=1)
    return norm.ppf((ranks - 0.375) / (ranks.shape[1] + 0.25)).reshape(x.shape)


def ess(x):
    quantities, chains, n = x.shape
    centred = x - x.mean(axis=2, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=2)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), axis=2)[:, :, :n].mean(axis=1) / n
    within = x.var(axis=2, ddof=1).mean(axis=1)
    total = (n - 1) / n * within + x.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1 - (within[:, None] - covariance) / total[:, None]
    rho[:, 0] = 1
    out = np.full(quantities, np.nan)
    for q in np.flatnonzero(total > 0):
        pairs = rho[q, 0:n - 1:2] + rho[q, 1:n:2]
        most = max(0, (n - 3) // 2)                      # Geyer: pairs while they are positive, but not the last ones
        negative = np.flatnonzero(pairs[:most] <= 0)
        m = negative[0] if len(negative) else most
        tau = -1 + 2 * np.minimum.accumulate(pairs[:m]).sum()
        if rho[q, 2 * m] > 0 or pairs[m] >= 0:
            tau += rho[q, 2 * m]
        size = chains * n
        out[q] = size / max(tau, 1 / np.log10(size))
    return out


def convergence(x):
    quantities, chains, draws = x.shape
    half = draws // 2
    split = np.concatenate([x[:, :, :half], x[:, :, draws - half:]], axis=2).reshape(quantities, 2 * chains, half)
    rhat = paper_rhat(x)
    moved = (x != x[:, :1, :1]).any(axis=(1, 2))
    order = np.sort(split.reshape(quantities, -1), axis=1)
    low, high = order[:, chains * half - 1][:, None, None], order[:, chains * half][:, None, None]
    folded = np.abs((split - low) + (split - high))      # twice |x - median|, and the two in the middle tie exactly
    rank = np.fmax(paper_rhat(scores(split)), paper_rhat(scores(folded)))
    tail = np.fmin(*[ess((split <= np.quantile(x.reshape(quantities, -1), q, axis=1)[:, None, None]).astype(float))
                     for q in (0.05, 0.95)])
    bulk = ess(scores(split))
    if half < 5:
        bulk[:] = tail[:] = np.nan
    rank, bulk, tail = rank[moved], bulk[moved], tail[moved]
    return {"quantities": quantities, "chains": chains, "draws": draws, "rhat_mean": rhat.mean(),
            "rhat_max": rhat.max(), "rank_rhat_median": np.nanmedian(rank), "rank_rhat_max": np.nanmax(rank),
            "ess_bulk_median": np.nanmedian(bulk), "ess_bulk_min": np.nanmin(bulk), "ess_tail_min": np.nanmin(tail)}


# ---- agreement; p is (samples, observations, classes) ----

def differ(p, q):
    return np.array([(p.argmax(-1) != q.argmax(-1)).mean(), np.abs(p - q).sum(-1).mean() / 2])


def agreement(p, chain):
    numbers = sorted(set(chain))
    mean = [p[chain == c].mean(axis=0) for c in numbers]
    matrix = np.array([[differ(a, b) for b in mean] for a in mean])
    above = matrix[np.triu_indices(len(mean), 1)]
    within = []
    for c in numbers:
        mine = np.flatnonzero(chain == c)
        half = len(mine) // 2
        starts = len(mine) - half if len(mine) > 1 else 0
        pairs = min(starts, MOST_PAIRS)
        within += [differ(p[mine[i * starts // pairs]], p[mine[i * starts // pairs + half]]) for i in range(pairs)]
    within = np.mean(within, axis=0) if within else [None, None]
    return {name: {"mean": above[:, k].mean(), "max": above[:, k].max(), "within": within[k],
                   "matrix": matrix[:, :, k].tolist()} for k, name in enumerate(("disagreement", "variation"))}


# ---- a run ----

def history(folder, chain):
    return np.genfromtxt(f"{folder}/chain-{chain:03d}/history.csv", delimiter=",", names=True)


def temperatures(rows, unit):
    """Of the last rows of each chain: what its sampler measures; None if that is nothing."""
    out = {unit: len(rows[0]), "chains": len(rows), "set": rows[0]["temperature"].mean()}
    names = [n for n in ("kinetic", "configurational") if n + "_temperature" in rows[0].dtype.names]
    for name in names:
        means = np.array([r[name + "_temperature"].mean() for r in rows])
        out[name] = {"mean": means.mean(), "error": means.std(ddof=1) / np.sqrt(len(means))}
    return out if names else None


def median_of_absolute(x):
    return np.median(np.abs(x))


def read(folder, config):
    """Parameters (samples, parameters), the chain of each sample, and what the sampler says of itself."""
    chains = range(config["chains"])
    warmup = config.get("warmup", 0)
    draws = [chain_draws(folder, c)[warmup:] for c in chains]
    rows = [history(folder, c) for c in chains]
    out = {}
    if "epochs" in config:
        cycles = config["samples"] // config["chains"] if config["schedule"] == "cyclical" else 1
        rows, unit = [r[-max(1, config["epochs"] // cycles // 20):] for r in rows], "epochs"
    else:
        rows, unit = [r[warmup:] for r in rows], "iterations"
    for name, column, number in (("acceptance", "accepted", np.mean), ("energy_error", "energy_error", median_of_absolute),
                                 ("energy_variance", "energy_variance", np.median),
                                 ("energy_variance_mean", "energy_variance", np.mean)):
        there = column in rows[0].dtype.names
        out[name] = number(np.concatenate([r[column] for r in rows])) if there else None
    out["temperatures"] = temperatures(rows, unit)
    return np.concatenate(draws), np.repeat(chains, len(draws[0])), out


def expected(folder):
    config = json.load(open(f"{folder}/run.json"))
    theta, chain, out = read(folder, config)
    try:
        logits, side = np.load(f"{folder}/logits_test.npy").astype(float), "test"
    except FileNotFoundError:
        logits, side = np.load(f"{folder}/logits_train.npy").astype(float), "train"
    p = softmax(logits, axis=2)
    n, classes = p.shape[1:]
    observed = np.arange(min(n, MOST_OBSERVED)) * n // min(n, MOST_OBSERVED)
    probabilities = p[:, observed, :1 if classes == 2 else classes].reshape(len(p), -1)
    shape = (-1, config["chains"], len(p) // config["chains"])
    z, y = np.load(f"{folder}/logits_train.npy").astype(float), np.load(f"{folder}/labels_train.npy")
    q = softmax(z, axis=2)
    out.update(side=side, observations=len(observed), samples=len(p), training_accuracy=(z.argmax(2) == y).mean(),
               training_log_likelihood=log_softmax(z, axis=2)[:, np.arange(len(y)), y].mean(), training_confidence=q.max(2).mean(),
               agreement=agreement(p, chain))
    if shape[2] > 1:
        out.update(parameters=convergence(theta.T.reshape(shape)),
                   predictions=convergence(probabilities.T.reshape(shape)))
    else:
        out.update(parameters={"rhat_mean": None, "ess_bulk_min": None, "rank_rhat_max": None},
                   predictions={"rhat_max": None, "ess_tail_min": None, "rank_rhat_median": None})
    return out


worst = 0


def compare(should, found, where):
    global worst
    if isinstance(should, dict):
        for key, value in should.items():
            compare(value, found[key], f"{where}.{key}")
    elif isinstance(should, list):
        assert len(should) == len(found), where
        for i, (a, b) in enumerate(zip(should, found)):
            compare(a, b, f"{where}[{i}]")
    elif should is None or isinstance(should, str) or found is None:
        assert (None if should is None or isinstance(should, float) and not np.isfinite(should) else should) == found, \
            f"{where}: is {found}, should be {should}"
    else:
        apart = abs(found - should) / max(abs(should), 1e-3)
        worst = max(worst, apart)
        assert apart < 1e-6, f"{where}: is {found!r}, should be {should!r}"


for folder, path in zip(sys.argv[1::2], sys.argv[2::2]):
    compare(expected(folder), json.load(open(path)), folder)
assert worst > 0  # something was compared, and not with itself
