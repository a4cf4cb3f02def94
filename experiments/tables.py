"""The two tables of a set of results.sh.

    tables.py RUN...     from RUN/run.json, from RUN.train.json and RUN.test.json, which are by kelvin eval --json, and from
                      RUN.diagnosis.json, which is by kelvin diagnose --json

Training accuracy is the mean of single samples, in one clean pass; accuracy and log-likelihood (a sum) on test data are
the ensemble's: the median of 100 random ensembles of 8, and, in the second table, the 10th and 90th percentile, as in
the paper."""
import json
import sys

LEARNT = ['density', 'T', 'start', 'training accuracy, %', 'confidence, %', 'test accuracy, %', 'log-likelihood']
SPREAD = ['density', 'T', 'start', 'test accuracy, 10 .. 90 %', 'log-likelihood', 'kinetic T', 'configurational']


def average(x, scale=1.0, digits=2, sign=' ± '):
    error = '' if x['error'] is None else f'{sign}{scale * x["error"]:.{digits}f}'
    return f'{scale * x["mean"]:.{digits}f}{error}'


def ensemble(part, key, scale=1.0, digits=2):
    """Median, and the range from the 10th to the 90th percentile; the ensemble of all and no range where there are few."""
    bars = part['ensembles']
    if bars is None:
        return f'{scale * part["ensemble"][key]:.{digits}f}', ''
    median, low, high = (f'{scale * bars[key][name]:.{digits}f}' for name in ('median', 'low', 'high'))
    return median, f'{low}..{high}'


def rows(run):
    """The rows of a run in the two tables."""
    config = load(f'{run}/run.json')
    train, test = (load(f'{run}.{part}.json')['runs'][0] for part in ('train', 'test'))
    temperatures = load(f'{run}.diagnosis.json')['temperatures']
    left = '' if train['samples'] == config['samples'] else f' ({train["samples"]} of {config["samples"]})'
    start = 'random' if config['init'] == 'none' else 'fine-tuned'
    name, alpha = (config['density'] + ':').split(':')[:2]
    which = [f'DirClip {alpha.split(",")[0]}' if name == 'dirclip' else config['density'], f'{config["temperature"]:g}']
    accuracy, likelihood = ensemble(test, 'accuracy', 100), ensemble(test, 'log_likelihood', digits=1)
    return (which + [start + left, average(train['single']['accuracy'], 100),
                     average(train['single']['confidence'], 100), accuracy[0], likelihood[0]],
            which + [start, accuracy[1], likelihood[1], average(temperatures['kinetic'], digits=3, sign='±'),
                     average(temperatures['configurational'], digits=3, sign='±')])


def load(path):
    with open(path) as file:
        return json.load(file)


def show(table):
    for cells in table:
        print('| ' + ' | '.join(cells) + ' |')
    print()


learnt, spread = [LEARNT, ['---'] * len(LEARNT)], [SPREAD, ['---'] * len(SPREAD)]
for path in sys.argv[1:]:
    try:
        first, second = rows(path)
        learnt.append(first)
        spread.append(second)
    except json.JSONDecodeError:
        learnt.append([path, 'no report: all chains diverged, or the run has not ended'] + [''] * (len(LEARNT) - 2))
show(learnt)
show(spread)
