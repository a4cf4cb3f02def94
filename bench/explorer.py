#!/usr/bin/env python3
"""How fast the explorer is in a real Chromium: frames while a point is dragged, how long the main thread is blocked, steps
a second, and how long a posterior takes to change its mind.

    bench/explorer.py build/web/explorer.html

On a machine that does nothing else: chains take all of it."""
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "web"))
from browser import Browser, missing  # noqa: E402
from test_page import Page  # noqa: E402

RECORD = """
    window.frames_ = []; window.tasks_ = [];
    new PerformanceObserver((list) => list.getEntries().forEach((e) => tasks_.push(e.duration))).observe({ type: 'longtask' });
    const frame = (now) => { frames_.push(now); if (!window.over_) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);"""

# A cross is put among the circles at once; the time until the map says so, and until a second look agrees.
MIND = """
    const done = arguments[arguments.length - 1];
    const part = explorer.made.get('boundary').part.part;
    const pane = part.panes[1];
    const to = { x: 0.25, y: -0.75 };
    const [left, low, right, high] = pane.box;
    const side = pane.chains.side;
    const at = Math.round((to.y - low) / (high - low) * (side - 1)) * side + Math.round((to.x - left) / (right - left) * (side - 1));
    const began = performance.now();
    const first = pane.chains.generation;
    part.movePoint(0, to);
    const look = () => {
        const maps = pane.chains.generation > first && pane.chains.maps();
        if (maps && maps.p[at] > 0.5) done(performance.now() - began);
        else requestAnimationFrame(look);
    };
    look();"""


def asynchronous(browser, script):
    return browser.call("POST", "/execute/async", {"script": script, "args": []})


def drag(page):
    page.open("#boundary")
    page.settled(50)
    a = page.place(1, 0.15, -0.39)
    page.browser.run(RECORD)
    page.browser.drag([(a[0] + i, a[1] + i / 2) for i in range(120)], pause=16)
    frames, tasks = page.browser.run("window.over_ = true; return [frames_, tasks_]")
    gaps = sorted(b - a for a, b in zip(frames, frames[1:]))
    seconds = (frames[-1] - frames[0]) / 1000
    print(f"dragging: {len(gaps) / seconds:.1f} frames a second, median {statistics.median(gaps):.1f} ms, 99 % below "
          f"{gaps[int(0.99 * len(gaps))]:.1f} ms, longest {gaps[-1]:.1f} ms; tasks of more than 50 ms: {len(tasks)}"
          + (f", longest {max(tasks):.0f} ms" if tasks else ""))


def steps(page, chains, show):
    page.open(f"#boundary?chains={chains}&show={show}&steps=paper")
    time.sleep(6)
    speeds = page.browser.run("return explorer.made.get('boundary').part.part.shownPanes().map((pane) => pane.chains.speed())")
    workers = chains * (2 if show == "two" else 1)
    print(f"figure 1's network, {workers} chain{'s' if workers > 1 else ''} on {os.cpu_count()} cores: "
          + ", ".join(f"{speed:,.0f}" for speed in speeds) + " leapfrog steps a second and chain")


def mind(page, show):
    took = []
    for _ in range(5):
        page.open(f"#boundary?show={show}")
        page.settled(200)
        took.append(asynchronous(page.browser, MIND))
    print(f"a point moved to the other side, {show} posterior{'s' if show == 'two' else ''}: the map follows after "
          f"{statistics.median(took):.0f} ms (of five: {', '.join(f'{t:.0f}' for t in sorted(took))})")


def main(path):
    why = missing()
    if why:
        sys.exit(f"explorer: {why}")
    with Browser(width=1400, height=1000) as browser:
        page = Page(browser, path)
        page.open()
        print(page.browser.run("return document.getElementById('bits').textContent"))
        drag(page)
        steps(page, 1, "one")
        steps(page, 2, "one")
        steps(page, 2, "two")
        mind(page, "one")
        mind(page, "two")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench/explorer.py EXPLORER.html")
    main(sys.argv[1])
