"""What the peers' programs share: several ways to write the same thing, timed in turns, the first call of each apart.

A way is a function that makes the work, and how many units (images, gradients) a call of the work is. A call returns
after all of it is done.
"""
import os
import statistics
import sys
import time

WARM = 2        # calls before counting: what is compiled for the first call is often optimised again after it
HOPELESS = 1.4  # ways that are so many times slower than the best get no more turns


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def first_calls(ways):
    """The works that can be called, seconds of their first calls (making them included), and why others cannot."""
    works, first, failed = {}, {}, {}
    for title, (make, units) in ways.items():
        start = time.perf_counter()
        try:
            work = make()
            work()
            first[title] = time.perf_counter() - start
            for _ in range(WARM - 1):
                work()
        except Exception as error:  # whatever a package raises: the other ways go on
            failed[title] = f"{type(error).__name__}: {error}".split("\n")[0][:200]
            print(f"{os.path.basename(sys.argv[0])}: {title}: {failed[title]}", file=sys.stderr)
            continue
        works[title] = (work, units)
    return works, first, failed


def race(ways, limit, hopeless=HOPELESS):
    """Seconds per unit of each way: the best and the median of turns that fill `limit` seconds; cores that it took."""
    works, first, failed = first_calls(ways)
    times = {title: [seconds(work) / units] for title, (work, units) in works.items()}
    wall, cpu = time.perf_counter(), time.process_time()
    end = wall + limit
    while works and time.perf_counter() < end:
        fastest = min(map(min, times.values()))
        for title, (work, units) in works.items():
            if min(times[title]) < hopeless * fastest:
                times[title].append(seconds(work) / units)
    cores = (time.process_time() - cpu) / (time.perf_counter() - wall)
    found = {title: {"best": min(t), "median": statistics.median(t), "first_call_seconds": round(first[title], 3)}
             for title, t in times.items()}
    return {"ways": found, "failed": failed, "cores": round(cores, 2)}


def images(prefix, found):
    """A race whose units are images: rates of the best way, of the best that starts with "plain", and of all."""
    rates = {title: round(1 / way["best"], 1) for title, way in found["ways"].items()}
    best = max(rates, key=rates.get)
    return {prefix + "images_per_s": rates[best],
            prefix + "images_per_s_plain": max(rate for title, rate in rates.items() if title.startswith("plain")),
            prefix + "way": best, prefix + "ways": rates}
