"""Adds the metric of ARCHITECTURE.md to the table: metric_recipe.py ARCHITECTURE.md METRIC.H TO.H TO.C

And a twin of it under another name, which the tests have no plain loop for: they must do without.
"""
import re
import sys
import textwrap

page, table, header, source = sys.argv[1:]
blocks = re.findall(r"^ *```c\n(.*?)^ *```", open(page, encoding="utf-8").read(), re.S | re.M)
example, = (textwrap.dedent(b) for b in blocks if "kelvin_margin_metric" in b)
open(source, "w", encoding="utf-8").write(example + "\n" + example.replace("margin", "twin"))
text = open(table, encoding="utf-8").read()
first = re.search(r"^    ROW\(\w+, \w+\) *\\\n", text, re.M)
text = text[:first.end()] + "    ROW(MARGIN, margin) ROW(TWIN, twin) \\\n" + text[first.end():]
open(header, "w", encoding="utf-8").write(text)
