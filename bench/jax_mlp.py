#!/usr/bin/env python3
"""What a step of SGHMC on a table costs in JAX, mlp:20 and batches of 125:

    jax_mlp.py THREADS [SECONDS]
    jax_mlp.py --check

An epoch is one compiled function: a new order of the rows, then a scan over its batches; chains are a vmap. Rows are
normals, with 3 classes. Prints JSON, in microseconds per step and chain. --check: one step against one in double
precision that is written out.
"""
import functools
import json
import os
import sys

SECONDS = 2.0
EPOCHS = 4  # in one call
USAGE = "usage: jax_mlp.py THREADS [SECONDS], or jax_mlp.py --check"

if __name__ == "__main__" and len(sys.argv) > 1 and sys.argv[1].isdigit():  # XLA takes the cores it may use
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(sys.argv[1])])
try:
    import jax
except ImportError:
    sys.exit(f"{os.path.basename(sys.argv[0])}: the Python package jax is not installed: pip install jax")
import jax.numpy as jnp
import numpy as np
from jax import lax

import racing
from mlp_problem import FRICTION, LEARNING_RATE, PRIOR, check, start, table
from races import BATCH, TABLE_CHAINS, TABLES, table_race


def minus_log_posterior(theta, x, y, n):
    """Of n rows, estimated from a batch, per row."""
    w1, b1, w2, b2 = theta
    logp = jax.nn.log_softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
    return -(y * logp).sum() / len(x) + sum((p**2).sum() for p in theta) / (2 * PRIOR * n)


def normals(key, theta, times=()):
    ends = np.cumsum([p.size for p in theta])
    parts = jnp.split(jax.random.normal(key, (*times, int(ends[-1]))), ends[:-1], -1)
    return [z.reshape(*times, *p.shape) for z, p in zip(parts, theta)]


def sghmc(theta, v, xi, x, y, n):
    """v = decay v - h n g + noise xi; theta += h v."""
    h = (LEARNING_RATE / n) ** 0.5
    gradient = jax.grad(minus_log_posterior)(theta, x, y, n)
    v = [(1 - FRICTION) * v - h * n * g + (2 * FRICTION) ** 0.5 * z for v, g, z in zip(v, gradient, xi)]
    return [p + h * v for p, v in zip(theta, v)], v


def epoch(state, x, y, ahead):
    """`ahead`: the batches and the noise of all steps are made before them, by one call each."""
    theta, v, key = state
    n, steps = len(x), len(x) // BATCH
    key, order_key, noise_key = jax.random.split(key, 3)
    order = jax.random.permutation(order_key, n)[:steps * BATCH].reshape(steps, BATCH)

    def step(state, now):
        (x, y), xi = now if ahead else ((x_all[now[0]], y_all[now[0]]), normals(now[1], theta))
        return sghmc(*state, xi, x, y, n), None

    x_all, y_all = x, y
    todo = order, jax.random.split(noise_key, steps)
    if ahead:
        todo = (x[order], y[order]), normals(noise_key, theta, (steps,))
    (theta, v), _ = lax.scan(step, (theta, v), todo)
    return theta, v, key


def make(rows, columns, chains, ahead):
    x, y = map(jnp.array, table(rows, columns))
    thetas = [start(columns, seed) for seed in range(chains)]
    theta = [jnp.array(np.stack(parts)) for parts in zip(*thetas)]
    keys = jax.random.split(jax.random.key(1), chains)
    state = [(theta, [jnp.zeros_like(p) for p in theta], keys)]

    @functools.partial(jax.jit, donate_argnums=0)
    def run(state, x, y):
        one = lambda state: lax.scan(lambda state, _: (epoch(state, x, y, ahead), None), state, length=EPOCHS)[0]
        return jax.vmap(one)(state)

    def work():
        state[0] = jax.block_until_ready(run(state[0], x, y))

    return work


# Keys of the kind "unsafe_rbg", which are the fastest on other hardware, take 1.6 times as long here.
WAYS = {"plain": False, "batches and noise of an epoch at once": True}


def ways(rows, columns, chains):
    steps = EPOCHS * (rows // BATCH) * chains
    return {way: (functools.partial(make, rows, columns, chains, ahead), steps) for way, ahead in WAYS.items()}


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(check(lambda *arguments: sghmc(*arguments)[0]))
    if len(sys.argv) not in (2, 3) or not sys.argv[1].isdigit():
        sys.exit(USAGE)
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    races = {table_race(*size, chains): racing.race(ways(*size, chains), limit)
             for size in TABLES for chains in TABLE_CHAINS}
    best = {name: round(1e6 * min(way["best"] for way in race["ways"].values()), 2) for name, race in races.items()}
    print(json.dumps({"peer": "JAX", "version": jax.__version__, "threads": int(sys.argv[1]), "us_per_step": best,
                      "races": races}))


if __name__ == "__main__":
    main()
