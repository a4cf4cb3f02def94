"""One row of the table of results.sh; without arguments the head of the table.

    row.py SET RUN NAME     from RUN/run.json, from RUN.train.json and RUN.test.json, which are by kelvin eval --json, and
                            from RUN.diagnosis.json, which is by kelvin diagnose --json

Training accuracy is the mean of single samples, in one clean pass; accuracy and log-likelihood (a sum) on test data are
the ensemble's: the median of 100 random ensembles of 8, and the 10th and 90th percentile, as in the paper."""
import json
import sys

COLUMNS = ['set', 'density', 'T', 'start', 'lr, epochs', 'samples', 'training accuracy, %', 'training confidence, %',
           'test accuracy, single, %', 'test accuracy, %', 'test log-likelihood', 'kinetic T', 'configurational T']


def average(x, scale=1.0, digits=2):
    error = '' if x['error'] is None else f' ± {scale * x["error"]:.{digits}f}'
    return f'{scale * x["mean"]:.{digits}f}{error}'


def ensemble(part, key, scale=1.0, digits=2):
    bars = part['ensembles']
    if bars is None:
        return f'{scale * part["ensemble"][key]:.{digits}f}'
    median, low, high = (scale * bars[key][name] for name in ('median', 'low', 'high'))
    return f'{median:.{digits}f} ({low:.{digits}f} .. {high:.{digits}f})'


def row(config, train, test, temperatures, name):
    return [
        name, config['density'], f'{config["temperature"]:g}',
        'random' if config['init'] == 'none' else 'fine-tuned',
        f'{config["lr"]:g}, {config["epochs"]}', f'{train["samples"]} of {config["samples"]}',
        average(train['single']['accuracy'], 100), average(train['single']['confidence'], 100),
        average(test['single']['accuracy'], 100), ensemble(test, 'accuracy', 100),
        ensemble(test, 'log_likelihood', digits=1),
        average(temperatures['kinetic'], digits=3), average(temperatures['configurational'], digits=3)
    ]


def load(path):
    with open(path) as file:
        return json.load(file)


def show(cells):
    print('| ' + ' | '.join(cells) + ' |', flush=True)


if len(sys.argv) == 1:
    show(COLUMNS)
    show(['---'] * len(COLUMNS))
else:
    of_set, run, name = sys.argv[1:]
    try:
        train, test = (load(f'{run}.{part}.json')['runs'][0] for part in ('train', 'test'))
        show(row(load(f'{run}/run.json'), train, test, load(f'{run}.diagnosis.json')['temperatures'], of_set))
    except json.JSONDecodeError:
        show([of_set, name, 'no report: all chains diverged, or the run has not ended'] + [''] * (len(COLUMNS) - 3))
