"""The peers: what a careful user of scikit-learn would write, with its usual settings and enough iterations."""

import resource
import warnings

import numpy as np
import pandas as pd
from score import cpu, scores
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

ITERATIONS = 10000  # 2,000 were too few on the table lognormal
BAG = 8


def prepare():
    """Numbers: imputed by the median, with an indicator, and standardised. Categories: a column per value."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    categories = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="(missing)"), OneHotEncoder(handle_unknown="ignore")
    )
    is_number = make_column_selector(dtype_include="number")
    is_category = make_column_selector(dtype_exclude="number")
    return make_column_transformer((numbers, is_number), (categories, is_category), sparse_threshold=0)


class Bag:
    """Eight MLPs, each fitted to rows drawn with replacement; their probabilities are averaged."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, x, y):
        rng = np.random.default_rng(self.seed)
        self.classes_ = np.unique(y)
        self.members = []
        for i in range(BAG):
            rows = rng.integers(0, len(x), len(x))
            self.members.append(
                MLPClassifier(max_iter=ITERATIONS, random_state=self.seed * BAG + i).fit(x[rows], y[rows])
            )
        return self

    def predict_proba(self, x):
        p = np.zeros((len(x), len(self.classes_)))
        for member in self.members:  # one that has not met a class gives it nothing
            p[:, np.searchsorted(self.classes_, member.classes_)] += member.predict_proba(x) / BAG
        return p


PEERS = {
    "logistic": lambda seed: LogisticRegression(max_iter=10000),
    "forest": lambda seed: RandomForestClassifier(200, n_jobs=1, random_state=seed),
    "mlp": lambda seed: MLPClassifier(max_iter=ITERATIONS, random_state=seed),
    "bag": Bag,
}


def read(path):
    """Inputs and labels; True and False are numbers, as for kelvin."""
    frame = pd.read_csv(path)
    x = frame.iloc[:, :-1]
    return x.astype({name: float for name in x.select_dtypes("bool")}), frame.iloc[:, -1].astype(str).to_numpy()


def run(name, train, test, seed):
    """Scores of a peer, and the CPU time of all that it takes from rows to probabilities."""
    (x, y), (x_test, y_test) = read(train), read(test)
    start = cpu(resource.RUSAGE_SELF)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        columns = prepare().fit(x)
        peer = PEERS[name](seed).fit(columns.transform(x), y)
        p = peer.predict_proba(columns.transform(x_test))
    return {**scores(p, peer.classes_, y_test), "cpu": cpu(resource.RUSAGE_SELF) - start}
