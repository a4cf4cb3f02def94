#!/usr/bin/env python3
"""Checks a page of kelvin report: test_page.py PAGE EXPRESSION, or test_page.py PAGE --command for its first command.

The page must be well-formed, refer to nothing outside of itself, and hold SVG that an XML parser reads. The expression
is about sections (ids in order), charts (how many but for those of metrics), metrics (the rows of their table), titles
(of charts), images (how many) and text (all of it).
"""
import base64
import html
import html.parser
import re
import sys
import xml.etree.ElementTree

VOID = {"meta", "img", "br", "link", "hr", "input"}
OUTSIDE = ("src", "href", "srcset", "action", "data", "poster", "xlink:href")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.sections, self.images = [], [], [], [], []
        self.text, self.commands = [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert tag != "script", "a script"
        assert not any(name.startswith("on") for name in attributes), attributes
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "section":
            self.sections.append(attributes["id"])
        if tag == "img":
            assert attributes["alt"]
            self.images.append(attributes["src"])
        if tag == "code" and "pre" in self.open:
            self.commands.append("")
        for name in OUTSIDE:
            if name in attributes:
                self.links.append(attributes[name])

    def handle_startendtag(self, tag, attributes):
        assert "svg" in self.open or tag in VOID, tag

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)
        if "code" in self.open and "pre" in self.open:
            self.commands[-1] += data


def main(path, what):
    source = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(source)
    page.close()
    if what == "--command":
        print(page.commands[0])
        return
    assert source.startswith("<!DOCTYPE html>\n<html lang=\"en\">") and not page.open, page.open
    assert len(set(page.ids)) == len(page.ids), page.ids
    assert "name=\"viewport\"" in source and "prefers-color-scheme: dark" in source and "@media print" in source
    for link in page.links:
        assert link.startswith("data:image/png;base64,") or (link[0] == "#" and link[1:] in page.ids), link[:80]
    assert "http:" not in source and "https:" not in source and "@import" not in source and "url(" not in source
    for image in page.images:
        assert base64.b64decode(image.split(",")[1], validate=True)[:8] == b"\x89PNG\r\n\x1a\n"
    drawn = [xml.etree.ElementTree.fromstring(s) for s in re.findall(r"<svg class=\"chart\".*?</svg>\n(?=<figcaption|</figure)",
                                                                   source, re.S)]
    for svg in drawn:
        assert svg.get("role") == "img" and svg.get("aria-label") and svg.find("title").text and svg.find("desc").text
    parts = dict(re.findall(r"<section id=\"(\w+)\">(.*?)</section>", source, re.S))
    of_metrics = sum(parts.get(part, "").count("<svg class=\"chart\"") for part in ("metrics", "size"))
    table = re.search(r"aria-label=\"Metrics\"><table>.*?</table>", source, re.S)
    rows = re.findall(r"<th scope=\"row\">(.*?)</th>", table.group(0)) if table else []
    names = {"sections": page.sections, "charts": len(drawn) - of_metrics, "metrics": [html.unescape(r) for r in rows], "titles": [s.find("title").text for s in drawn],
             "images": len(page.images), "text": "".join(page.text)}
    assert len(drawn) == source.count("<svg class=\"chart\"")
    assert "nan" not in re.sub(r"[a-z]nan|nan[a-z]", "", names["text"].lower()), "not a number"
    assert eval(what, dict(names)), {k: v for k, v in names.items() if k != "text"}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
