"""One row of the table of results.sh from the JSON of kelvin diagnose; without arguments the head of the table.

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


def row(run, name):
    train, test, temperatures = run['training'], run['test'], run['temperatures']
    return [
        name, run['density'], f'{run["temperature"]:g}', 'random' if run['init'] == 'none' else 'fine-tuned',
        f'{run["lr"]:g}, {run["epochs"]}', f'{run["samples"]} of {run["samples_asked_for"]}',
        average(train['single']['accuracy'], 100), average(train['single']['confidence'], 100),
        average(test['single']['accuracy'], 100), ensemble(test, 'accuracy', 100),
        ensemble(test, 'log_likelihood', digits=1),
        average(temperatures['kinetic'], digits=3), average(temperatures['configurational'], digits=3)
    ]


def show(cells):
    print('| ' + ' | '.join(cells) + ' |', flush=True)


if len(sys.argv) == 1:
    show(COLUMNS)
    show(['---'] * len(COLUMNS))
else:
    text = sys.stdin.read()
    if text:
        show(row(json.loads(text), sys.argv[1]))
    else:
        show([sys.argv[1], sys.argv[2], 'no report: all chains diverged, or the run has not ended'] +
             [''] * (len(COLUMNS) - 3))
