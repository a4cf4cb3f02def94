"""Ctrl-C, threads, forks: what was drawn is kept, and draws are the same."""
import os
import pickle
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kelvin

LONG = dict(model="mlp:10", density="categorical", prior="normal:1", chains=4, samples=8, epochs=5000000, lr=0.01,
            batch=50)


def script(text, *arguments):
    """Runs a program in a process of its own; what it printed."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


HEAD = """
    import os, signal, sys, threading, time
    import numpy as np
    import kelvin

    random = np.random.RandomState(7)
    y = np.repeat([0, 1, 2], 50)
    X = random.randn(150, 4) + y[:, None]
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def pressing(progress, state=[]):
        # Once, when chains are under way.
        if progress.row > 100 and not state:
            state.append(1)
            threading.Timer(0.2, press).start()

"""


def test_ctrl_c_keeps_the_run():
    said = script(HEAD + f"""
    try:
        kelvin.sample((X, y), callback=pressing, **{LONG!r})
    except KeyboardInterrupt as stopped:
        print(time.monotonic() - pressed[0] < 5)  # a second on a machine that does nothing else
        print(isinstance(stopped, kelvin.Stopped), "kelvin.resume()" in str(stopped))
        folder = stopped.run.folder
    print(os.path.exists(folder + "/chain-000"))
    again = []
    try:
        kelvin.resume(callback=lambda progress: again.append(progress.row) or len(again) < 6)
    except kelvin.StoppedByWatch:
        print(max(again) > 0)                     # it went on, and did not begin anew
    """)
    assert said.split() == ["True"] * 5


def test_ctrl_c_while_settings_are_chosen():
    said = script(HEAD + """
    X = np.random.RandomState(0).randn(20000, 30)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    threading.Timer(1.0, press).start()
    try:
        kelvin.sample((X, y))
    except KeyboardInterrupt:
        print("stopped", time.monotonic() - pressed[0] < 10)
    """)
    assert said.split() == ["stopped", "True"]


def test_ctrl_c_in_a_density_of_ones_own():
    said = script(HEAD + """
    threading.Timer(1.0, press).start()
    try:
        kelvin.hmc(lambda x: (-0.5 * x @ x, -x), np.zeros(5), draws=10000000)
    except KeyboardInterrupt:
        print("stopped")
    kelvin.hmc(lambda x: (-0.5 * x @ x, -x), np.zeros(5), draws=10, warmup=10)
    os.kill(os.getpid(), signal.SIGINT)  # Python's own handler is back
    """.replace("os.kill(os.getpid(), signal.SIGINT)  #", """
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    except KeyboardInterrupt:
        print("raised")
    #"""))
    assert said.split() == ["stopped", "raised"]


def test_threads_draw_the_same(table, quick):
    expected = kelvin.sample(table, seed=3, **quick).samples.matrix()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda i: kelvin.sample(table, seed=3, **quick).samples.matrix(), range(8)):
            assert np.array_equal(found, expected)


def test_threads_ask_one_run(run, table):
    expected = run.predict(table[0])
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda i: run.predict(table[0]), range(16)):
            assert np.array_equal(found, expected)


def test_numbers_of_threads(table, quick):
    expected = kelvin.sample(table, seed=3, threads=1, **quick).samples.matrix()
    assert np.array_equal(kelvin.sample(table, seed=3, threads=3, **quick).samples.matrix(), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork(run, table, quick):
    """A child samples and asks; the parent's run, and its folder, stay."""
    expected = pickle.dumps((kelvin.sample(table, seed=3, **quick).samples.matrix(), run.predict(table[0])))
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        found = pickle.dumps((kelvin.sample(table, seed=3, **quick).samples.matrix(), run.predict(table[0])))
        os._exit(0 if found == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert os.path.isdir(run.folder) and len(run.predict(table[0])) == 150


def test_the_lock_is_free_while_it_samples(table, quick):
    """Another thread counts meanwhile."""
    import threading
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    kelvin.sample(table, seed=3, **dict(quick, epochs=20000))
    done.set()
    thread.join()
    assert len(ticks) > 20


def test_progress_looks_like_tqdm(table, quick, capsys):
    import re
    kelvin.sample(table, seed=3, progress=True, **dict(quick, epochs=5000))
    last = capsys.readouterr().err.strip().split("\r")[-1]
    assert "100%" in last
    assert re.match(r"\w+: +\d+%\|.*\| \S+/\S+ \[\d\d:\d\d<(\d\d:\d\d|\?), \S+ \w+/s\]", last), last
    kelvin.sample(table, seed=3, progress=False, **quick)
    assert capsys.readouterr() == ("", "")
