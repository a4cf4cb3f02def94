#!/usr/bin/env python3
"""What a step of SGHMC on a table costs in PyTorch, mlp:20 and batches of 125: the peer of jax_mlp.py.

    torch_mlp.py THREADS [SECONDS]
    torch_mlp.py --check

Chains are the first axis of all parameters, products go over all of them at once. Prints JSON, in microseconds per step
and chain. --check: one step against one in double precision that is written out.
"""
import functools
import json
import os
import sys

try:
    import torch
except ImportError:
    sys.exit(f"{os.path.basename(sys.argv[0])}: the Python package torch is not installed: pip install torch")

import racing
from mlp_problem import FRICTION, LEARNING_RATE, PRIOR, check, start, table
from races import BATCH, TABLE_CHAINS, TABLES, table_race

SECONDS = 2.0
COMPILES = hasattr(torch, "compile")


def minus_log_posterior(theta, x, y, n):
    """The sum over chains; of n rows, estimated from a batch, per row."""
    w1, b1, w2, b2 = theta
    logp = torch.log_softmax(torch.baddbmm(b2[:, None], torch.relu(torch.baddbmm(b1[:, None], x, w1)), w2), 2)
    return -(y * logp).sum() / x.shape[1] + sum((p**2).sum() for p in theta) / (2 * PRIOR * n)


def update(theta, v, gradient, xi, n):
    """v = decay v - h n g + noise xi; theta += h v."""
    h = (LEARNING_RATE / n) ** 0.5
    for p, v, g, z in zip(theta, v, gradient, xi):
        v.mul_(1 - FRICTION).add_(g, alpha=-h * n).add_(z, alpha=(2 * FRICTION) ** 0.5)
        p.add_(v, alpha=h)


def sghmc(theta, v, x, y, n, density=minus_log_posterior, update=update, xi=None):
    gradient = torch.autograd.grad(density(theta, x, y, n), theta)
    with torch.no_grad():
        update(theta, v, gradient, xi or [torch.randn_like(p) for p in theta], n)


class Epoch:
    """A new order of the rows for each chain, and a step for each batch."""

    def __init__(self, rows, columns, chains, compiled):
        self.x, self.y = map(torch.as_tensor, table(rows, columns))
        starts = [start(columns, seed) for seed in range(chains)]
        self.theta = [torch.stack([torch.as_tensor(p) for p in parts]).requires_grad_() for parts in zip(*starts)]
        self.v = [torch.zeros_like(p) for p in self.theta]
        self.step = sghmc
        if compiled:
            torch._dynamo.reset()  # shapes of other tables count against a limit
            self.step = functools.partial(sghmc, density=torch.compile(minus_log_posterior, dynamic=False),
                                          update=torch.compile(update, dynamic=False))

    def __call__(self):
        n, steps, chains = len(self.x), len(self.x) // BATCH, len(self.theta[0])
        orders = torch.stack([torch.randperm(n) for _ in range(chains)])
        for batch in orders[:, :steps * BATCH].split(BATCH, 1):
            self.step(self.theta, self.v, self.x[batch], self.y[batch], n)


def ways(rows, columns, chains):
    steps = rows // BATCH * chains
    return {way: (functools.partial(Epoch, rows, columns, chains, way != "plain"), steps)
            for way in (("plain", "compiled") if COMPILES else ("plain",))}


def one_step(theta, v, xi, x, y, n):
    theta, v, xi = ([torch.as_tensor(p)[None].clone() for p in parts] for parts in (theta, v, xi))
    theta = [p.requires_grad_() for p in theta]
    sghmc(theta, v, torch.as_tensor(x)[None], torch.as_tensor(y)[None], n, xi=xi)
    return [p.detach()[0].numpy() for p in theta]


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(check(one_step))
    if len(sys.argv) not in (2, 3) or not sys.argv[1].isdigit():
        sys.exit("usage: torch_mlp.py THREADS [SECONDS], or torch_mlp.py --check")
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    torch.set_num_threads(int(sys.argv[1]))
    races = {table_race(*size, chains): racing.race(ways(*size, chains), limit)
             for size in TABLES for chains in TABLE_CHAINS}
    best = {name: round(1e6 * min(way["best"] for way in race["ways"].values()), 2) for name, race in races.items()}
    print(json.dumps({"peer": "PyTorch", "version": torch.__version__, "threads": int(sys.argv[1]), "us_per_step": best,
                      "races": races}))


if __name__ == "__main__":
    main()
