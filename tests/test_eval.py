"""Every number of `kelvin eval --json` by NumPy and SciPy from the same files of logits.

    test_eval.py make KIND RUN [KIND RUN]...    puts logits and labels of a kind into a run's folder
    test_eval.py check                          lines from standard input:
        JSON PART RUN [ROWS]    what eval printed, against RUN/logits_PART.npy, or against its first ROWS rows
        JSON ood RUN ROWS       AUROC of the training part against its own first ROWS rows
"""
import json
import sys

import numpy as np
from scipy.special import logsumexp
from scipy.stats import entropy, mannwhitneyu

SUBSET, SUBSETS, ORDERS, FIRST_ORDER, USER = 8, 100, 20, 1000, 1000
TOLERANCE = 1e-6


# ---- random numbers: Philox 4x32-10 (Salmon et al. 2011), written from the paper ----

def philox(counter, key):
    c, k, low = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & low, (a >> 32) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    return c


def below(bound, index, step):
    """Lemire's method without bias; another try takes another stream."""
    stream = USER
    while True:
        word = philox((index // 32 * 8 + index % 8, step, 0, stream), (0, 0))[index // 8 % 4]
        if word * bound & 0xFFFFFFFF >= 2**32 % bound:
            return word * bound >> 32
        stream += 1 << 16


def permutation(n, step):
    out = []
    for i in range(n):
        j = below(i + 1, i, step)
        out.append(i)
        out[i] = out[j]
        out[j] = i
    return out


# ---- metrics ----

def calibration(confidence, hit, bins):
    edges = np.arange(bins + 1) / bins
    width = np.clip(np.searchsorted(edges, confidence, side='left') - 1, 0, bins - 1)
    below_it = np.searchsorted(np.sort(confidence), confidence, side='left')
    mass = bins * below_it // len(confidence)
    return [np.abs(np.bincount(b, hit - confidence)).sum() / len(hit) for b in (width, mass)]


def predictive(log_p):
    return logsumexp(log_p, axis=0) - np.log(len(log_p))


def entropies(log_p):
    return entropy(np.exp(log_p), axis=2)


def metrics(log_p, y, bins, of_samples):
    """Of the ensemble of log_p (samples, n, classes), where samples have these entropies (samples, n)."""
    e = predictive(log_p)
    p, rows = np.exp(e), np.arange(len(y))
    confidence, hit = p.max(1), (p.argmax(1) == y).astype(float)
    width, mass = calibration(confidence, hit, bins)
    h, aleatoric = entropy(p, axis=1), of_samples.mean(0)
    return {'accuracy': hit.mean(), 'log_likelihood': e[rows, y].sum(), 'mean_log_likelihood': e[rows, y].mean(),
            'brier': ((p - np.eye(p.shape[1])[y])**2).sum(1).mean(), 'ece': width, 'ece_mass': mass,
            'confidence': confidence.mean(), 'entropy': h.mean(), 'aleatoric': aleatoric.mean(),
            'epistemic': (h - aleatoric).mean()}


compared = 0


def same(what, found, expected):
    global compared
    compared += 1
    if expected is None or np.isnan(expected):
        assert found is None, f'{what}: found {found}, expected null'
        return
    assert found is not None and np.isfinite(expected), f'{what}: found {found}, expected {expected}'
    assert abs(found - expected) <= TOLERANCE * max(1, abs(expected)), f'{what}: found {found}, expected {expected}'


def many(log_p, y, bins, sets):
    h = entropies(log_p)
    values = [metrics(log_p[s], y, bins, h[s]) for s in sets]
    return {name: np.array([v[name] for v in values]) for name in values[0]}


def check_singles(run, log_p, y, bins, chain):
    for name, x in many(log_p, y, bins, [[s] for s in range(len(log_p))]).items():
        means = np.array([x[chain == c].mean() for c in np.unique(chain)])
        error = means.std(ddof=1) / len(means)**0.5 if len(means) > 1 else None
        same(f'single {name}', run['single'][name]['mean'], x.mean())
        same(f'single {name}, error', run['single'][name]['error'], error)


def check_subsets(run, log_p, y, bins):
    if len(log_p) <= SUBSET:
        assert run['ensembles'] is None
        return
    assert run['ensembles']['subsets'] == SUBSETS and run['ensembles']['samples'] == SUBSET
    sets = [permutation(len(log_p), i)[:SUBSET] for i in range(SUBSETS)]
    for name, x in many(log_p, y, bins, sets).items():
        for key, q in (('low', 10), ('median', 50), ('high', 90)):
            same(f'subsets {name}, {key}', run['ensembles'][name][key], np.percentile(x, q))


def check_sizes(run, log_p, y, bins):
    orders = [permutation(len(log_p), FIRST_ORDER + i) for i in range(ORDERS)]
    sizes = [s['samples'] for s in run['sizes']]
    assert sizes[-1] == len(log_p) and sizes == sorted(set(sizes)), sizes
    for size in run['sizes']:
        for name, x in many(log_p, y, bins, [o[:size['samples']] for o in orders]).items():
            same(f'size {name}, mean', size[name]['mean'], x.mean())
            same(f'size {name}, low', size[name]['low'], np.percentile(x, 10))
            same(f'size {name}, high', size[name]['high'], np.percentile(x, 90))


def check_reliability(run, log_p, y, bins):
    p = np.exp(predictive(log_p))
    confidence, hit = p.max(1), p.argmax(1) == y
    width = run['reliability']['width']
    assert sum(b['observations'] for b in width) == len(y) == sum(b['observations'] for b in run['reliability']['mass'])
    for i, b in enumerate(width):
        here = (confidence > i / bins) & (confidence <= (i + 1) / bins)
        assert b['observations'] == here.sum() and b['hits'] == hit[here].sum(), (i, b)
        same('bin', b['confidence'], confidence[here].mean() if here.any() else None)
    mass = [b for b in run['reliability']['mass'] if b['observations']]
    assert all(b['from'] - 1e-12 <= b['confidence'] <= b['to'] + 1e-12 for b in mass)
    same('mass', sum(b['observations'] * b['confidence'] for b in mass), confidence.sum())


def check_classes(run, log_p, y):
    p, found = np.exp(predictive(log_p)), run['by_class']
    classes = p.shape[1]
    counts = np.zeros((classes, classes), int)
    np.add.at(counts, (y, p.argmax(1)), 1)
    assert len(found['classes']) == classes and found['confusion'] == counts.tolist(), found['confusion']
    between = []
    for k in range(classes):
        own, others = p[y == k, k], np.sort(p[y != k, k])
        same('recall', found['recall'][k], counts[k, k] / counts[k].sum() if counts[k].sum() else None)
        same('precision', found['precision'][k], counts[k, k] / counts[:, k].sum() if counts[:, k].sum() else None)
        if not len(own) or not len(others):
            assert found['auc'][k] is None
            continue
        # Probabilities that differ in their last bits alone may be equal here and not there.
        pairs = [np.searchsorted(others, own - 1e-13, 'left'), np.searchsorted(others, own + 1e-13, 'right')]
        ties = (pairs[1] - pairs[0]).sum() / 2
        auc, slack = mannwhitneyu(own, others).statistic / (len(own) * len(others)), ties / (len(own) * len(others)) + 1e-12
        assert abs(found['auc'][k] - auc) <= slack, (k, found['auc'][k], auc, slack)
        between.append((auc, slack))
    if between:
        auc, slack = np.mean(between, axis=0)
        assert abs(found['auc_mean'] - auc) <= slack, (found['auc_mean'], auc, slack)


def load(folder, part, rows=None):
    z = np.load(f'{folder}/logits_{part}.npy').astype(float)[:, :rows]
    return z - logsumexp(z, axis=2, keepdims=True), np.load(f'{folder}/labels_{part}.npy')[:rows]


def check(found, part, folder, rows=None):
    run, bins = found['runs'][0], found['bins']
    log_p, y = load(folder, part, rows)
    chain = np.repeat(np.arange(run['chains']), len(log_p) // run['chains'])
    assert run['samples'] == len(log_p) and run['observations'] == len(y) and run['classes'] == log_p.shape[2]
    for name, x in metrics(log_p, y, bins, entropies(log_p)).items():
        same(f'ensemble {name}', run['ensemble'][name], x)
    check_singles(run, log_p, y, bins, chain)
    check_subsets(run, log_p, y, bins)
    check_reliability(run, log_p, y, bins)
    check_classes(run, log_p, y)
    if run['sizes']:
        check_sizes(run, log_p, y, bins)


def doubts(log_p):
    e = predictive(log_p)
    h = entropy(np.exp(e), axis=1)
    return {'entropy': h, 'confidence': 1 - np.exp(e).max(1), 'epistemic': h - entropies(log_p).mean(0)}


def check_ood(found, folder, rows):
    run = found['runs'][0]
    log_p, _ = load(folder, 'train')
    assert run['ood']['observations'] == rows
    for name, x in doubts(log_p).items():
        u = mannwhitneyu(x[:rows], x).statistic / (rows * len(x))
        same(f'AUROC of {name}', run['ood'][f'auroc_{name}'], u)


# ---- logits that are awkward ----

def make(kind, folder):
    z = np.load(f'{folder}/logits_test.npy')
    samples, n, classes = z.shape
    random = np.random.default_rng(2385)
    y = random.integers(0, classes, n)
    z = random.normal(size=z.shape) * 2 + random.normal(size=(1, n, classes)) * 2
    i = np.arange(n)
    z[:, i, y] += 2
    if kind == 'ties':  # in an observation, in all samples of it, and between observations
        z[:, 0:40] = np.floor(z[:, 0:40])
        z[:, 40:60, 3] = z[:, 40:60, 7] = 9
        z[:, 60:100] = z[:, 100:140]
        z[:, 140:160] = 0.25
    elif kind == 'tails':  # labels at -50, and where doubles have nothing left
        z[:, i[0::3], y[0::3]] -= 50
        z[:, i[1::3], y[1::3]] -= 1e4
        z[1:, i[2::3], y[2::3]] -= 800
    elif kind == 'sure':  # softmax is 0 and 1, and right or wrong
        z = np.where(np.eye(classes)[(y + (i % 3 == 0)) % classes], 1000., -1000.)[None].repeat(samples, 0)
        z[0, ::5] = 0
    np.save(f'{folder}/logits_test.npy', z.astype('<f4'))
    np.save(f'{folder}/labels_test.npy', y.astype('<i8'))


def check_line(path, part, folder, rows=None):
    with open(path) as file:
        found = json.load(file)
    rows = int(rows) if rows else None
    if part == 'ood':
        check_ood(found, folder, rows)
    else:
        check(found, part, folder, rows)


if sys.argv[1] == 'make':
    for kind, folder in zip(sys.argv[2::2], sys.argv[3::2]):
        make(kind, folder)
else:
    for line in sys.stdin:
        try:
            check_line(*line.split())
        except AssertionError as problem:
            sys.exit(f'{line.strip()}: {problem}')
    print(compared, 'numbers compared')
    assert compared > 0
