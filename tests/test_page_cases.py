#!/usr/bin/env python3
"""What a page of kelvin report says, against NumPy and the data: test_page_cases.py PAGE RUN METRICS [DATA].

METRICS is the output of kelvin eval --json of the same run. DATA is the table of which the run's data are, or a folder of
its pictures (of their test part); of digits none is needed.
"""
import base64
import csv
import glob
import html
import io
import json
import re
import sys

import numpy as np
from PIL import Image

MOST = 12


def read_list(source, title):
    """The cases under a title: numbers (the page counts from 1), and what is said of each."""
    part = source.split(f"<h4>{title}</h4>")[1].split("<h4>")[0].split("</section>")[0]
    if "<ul class=\"cases\">" not in part:
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", part)]
        return [{"no": int(c[0]) - 1, "is": html.unescape(c[1]), "predicted": html.unescape(c[2]), "p": [float(c[3])],
                 "row": [float(x) for x in c[5:]]} for c in cells]
    out = []
    for item in re.findall(r"<li><img.*?</p></li>", part, re.S):
        words = re.search(r"<span>is</span> <b>(.*?)</b><br><span>predicted</span> <b class=\"(hit|miss)\">(.*?)</b>", item)
        picture = base64.b64decode(re.search(r"base64,(.*?)\"", item).group(1))
        out.append({"no": int(re.search(r"no\. (\d+)", item).group(1)) - 1, "is": html.unescape(words.group(1)),
                    "predicted": html.unescape(words.group(3)), "hit": words.group(2) == "hit",
                    "p": [float(x) for x in re.findall(r"<b>([\d.]+)</b></li>", item)],
                    "picture": np.array(Image.open(io.BytesIO(picture)))})
    return out


def check_order(cases, expected):
    assert [c["no"] for c in cases] == list(expected), ([c["no"] for c in cases], list(expected))


def check_case(case, p, y, classes):
    i = case["no"]
    top = np.sort(p[i])[::-1][:3]
    assert case["is"] == classes[y[i]] and case["predicted"] == classes[p[i].argmax()], (case, p[i])
    assert case.get("hit", y[i] == p[i].argmax()) == (y[i] == p[i].argmax()), case
    assert np.allclose(case["p"], 100 * top[:len(case["p"])], atol=0.0501), (case["p"], top)


def check_data(case, data):
    if data is None:
        assert case["picture"].shape == (8, 8) and case["picture"].max() == 255, case  # digits: white is 16
    elif "row" in case:
        near = [r for r in data if r[-1] == case["is"] and np.allclose(case["row"], [float(x) for x in r[:-1]], rtol=6e-4, atol=1e-6)]
        assert near, case
    else:
        assert np.array_equal(case["picture"], data[case["no"]]), case["no"]


def check_metrics(source, run):
    shown = {"accuracy, %": ("accuracy", 100, 2), "log-likelihood, mean": ("mean_log_likelihood", 1, 4),
             "calibration error, %": ("ece", 100, 2)}
    for title, (name, scale, digits) in shown.items():
        words = lambda x: f"{scale * x:.{digits}f}".replace("-", "\u2212")
        row = re.search(f"<tr><th scope=\"row\">{re.escape(title)}</th>(.*?)</tr>", source).group(1)
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        expected = [words(run["ensemble"][name])]
        expected += [words(run["baselines"][kind][name]) for kind in ("linear", "frequencies")]
        if run["ensembles"]:
            s = run["ensembles"][name]
            expected.append(f"{words(s['median'])}<small>{words(s['low'])} .. {words(s['high'])}</small>")
        one = run["single"][name]
        expected.append(words(one["mean"]) + (f" \u00b1 {words(one['error'])}" if one["error"] is not None else ""))
        assert cells == expected, (title, cells, expected)


def main(page, folder, metrics, place=None):
    source = open(page, encoding="utf-8").read()
    z = np.load(f"{folder}/logits_test.npy").astype(float)
    y = np.load(f"{folder}/labels_test.npy")
    classes = json.load(open(f"{folder}/data.json"))["classes"]
    p = np.exp(z - z.max(2, keepdims=True))
    p = (p / p.sum(2, keepdims=True)).mean(0)
    entropy = -(p * np.log(p)).sum(1)
    wrong = np.flatnonzero(p.argmax(1) != y)
    data = None
    if place and place.endswith(".csv"):
        data = list(csv.reader(open(place)))[1:]
    elif place:
        data = [np.array(Image.open(f)) for f in sorted(glob.glob(f"{place}/*/*.png"))]
    mistakes, doubts = (read_list(source, title) for title in ("The most confident mistakes", "The least certain inputs"))
    check_order(mistakes, wrong[np.argsort(-p[wrong].max(1), kind="stable")][:MOST])
    check_order(doubts, np.argsort(-entropy, kind="stable")[:MOST])
    for case in mistakes + doubts:
        check_case(case, p, y, classes)
        check_data(case, data)
    check_metrics(source, json.load(open(metrics))["runs"][0])


if __name__ == "__main__":
    main(*sys.argv[1:])
