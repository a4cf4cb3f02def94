#!/usr/bin/env python3
"""What a leapfrog step of figure 1's posterior costs in JAX: the peer of `kelvin-bench leapfrog`.

    jax_toy.py THREADS [SECONDS]
    jax_toy.py --check [KELVIN_PYTHON_FOLDER]

The same network (2-10-10-10-10-10-2, ReLU, 492 parameters), the same 18 points, the same log-density (categorical and
DirClip(0.6) clipped at -50, standard normal prior). Trajectories are a scan, chains a vmap: a call is one compiled
function. Prints JSON, in microseconds per gradient (and leapfrog step) and chain.

"chains as lanes": chains are the last axis of all arrays, so that vectors of the CPU go over chains; sums are written
out, the backward pass by hand, and barriers keep XLA from computing a layer again for each number of the next. Few
would write it, and it is the fastest with several chains.
"""
import functools
import json
import os
import sys

SECONDS = 2.0  # for each number of chains
USAGE = "usage: jax_toy.py THREADS [SECONDS], or jax_toy.py --check [FOLDER]"

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
import toy
from races import TOY_CHAINS, toy_race

STEP, GRADIENTS = 5e-5, 8000  # gradients of all chains in one call, about


def parts(theta):
    """Weights (inputs, outputs, ...) and biases of each layer; theta's first axis is flat."""
    at = 0
    for a, b in zip(toy.WIDTHS, toy.WIDTHS[1:]):
        yield theta[at:at + a * b].reshape(a, b, *theta.shape[1:]), theta[at + a * b:at + (a + 1) * b]
        at += (a + 1) * b


def log_density(theta, x, one_hot):
    for i, (weight, bias) in enumerate(parts(theta)):
        x = (jax.nn.relu(x) if i else x) @ weight + bias
    logp = jax.nn.log_softmax(x)
    return (one_hot * logp).sum() + (toy.ALPHA - 1) * jnp.maximum(logp, toy.CLIP).sum() - 0.5 * theta @ theta


# ---- chains as lanes: arrays are (..., chains) ----

barrier = lax.optimization_barrier


@jax.custom_vjp
def dense(x, weight, bias):
    return barrier(sum(x[:, k, None] * weight[k] for k in range(len(weight))) + bias)


def dense_forward(x, weight, bias):
    return dense(x, weight, bias), (x, weight)


def dense_backward(kept, dy):
    x, weight = kept
    dy = barrier(dy)
    dx = barrier(sum(dy[:, k, None] * weight[None, :, k] for k in range(weight.shape[1])))
    dweight = barrier(sum(x[p][:, None] * dy[p][None] for p in range(len(x))))
    return dx, dweight, barrier(sum(dy[p] for p in range(len(dy))))


dense.defvjp(dense_forward, dense_backward)


def log_densities(theta, x, one_hot):
    """The sum over chains; theta (parameters, chains)."""
    x = jnp.broadcast_to(x[:, :, None], (*x.shape, theta.shape[1]))
    for i, (weight, bias) in enumerate(parts(theta)):
        x = dense(jax.nn.relu(x) if i else x, weight, bias)
    logp = jax.nn.log_softmax(x, 1)
    likelihood = (one_hot[:, :, None] * logp).sum() + (toy.ALPHA - 1) * jnp.maximum(logp, toy.CLIP).sum()
    return likelihood - 0.5 * (theta**2).sum()


# ---- ----

WAYS = {  # the gradient, and the axis of chains
    "vmap": (jax.vmap(jax.grad(log_density), (0, None, None)), 0),
    "chains as lanes": (jax.grad(log_densities), 1),
    "one chain": (jax.grad(log_density), None),
}


def start(axis, chains, scale=1.0):
    theta = scale * np.random.default_rng(1).standard_normal((chains, 492)).astype(np.float32)
    return jnp.array(theta[0] if axis is None else theta if axis == 0 else theta.T)


def leapfrog(gradient, steps):
    def step(state, _, x, one_hot):
        theta, p, g = state
        p = p + STEP / 2 * g
        theta = theta + STEP * p
        g = gradient(theta, x, one_hot)
        return (theta, p + STEP / 2 * g, g), None

    @functools.partial(jax.jit, donate_argnums=0)
    def trajectory(state, x, one_hot):
        state = (*state, gradient(state[0], x, one_hot))
        return lax.scan(functools.partial(step, x=x, one_hot=one_hot), state, length=steps)[0][:2]

    return trajectory


def make(way, chains, steps):
    gradient, axis = WAYS[way]
    x, one_hot = jnp.array(toy.POINTS, jnp.float32), jnp.array(toy.ONE_HOT, jnp.float32)
    theta = start(axis, chains)
    state = [(theta, jnp.ones_like(theta))]
    trajectory = leapfrog(gradient, steps)

    def work():
        state[0] = jax.block_until_ready(trajectory(state[0], x, one_hot))

    return work


def ways(chains):
    steps = max(GRADIENTS // chains, 50) if chains > 1 else 1000
    wanted = ["one chain"] if chains == 1 else ["vmap", "chains as lanes"]
    return {way: (functools.partial(make, way, chains, steps), (steps + 1) * chains) for way in wanted}


def check(folder):
    """All ways agree, where some points are clipped too; and the gradient is kelvin's."""
    x, one_hot = jnp.array(toy.POINTS, jnp.float32), jnp.array(toy.ONE_HOT, jnp.float32)
    found = {}
    for name, (gradient, axis) in WAYS.items():
        g = np.asarray(gradient(start(axis, 3, 1.5), x, one_hot))
        found[name] = g if axis is None else g[0] if axis == 0 else g[:, 0]
    if folder:
        import peers_check

        theta = np.asarray(start(None, 1, 1.5))
        found["kelvin"] = toy.flipped(peers_check.toy_gradient(folder, toy.turned(theta)))
    for name, g in found.items():
        error = np.abs(g - found["one chain"]).max() / np.abs(found["one chain"]).max()
        print(f"{name}: gradient differs by {error:.1e} of the largest")
        if not error < 1e-4:
            sys.exit(f"jax_toy.py: {name}: the gradient is not the same")


def main():
    if sys.argv[1:2] == ["--check"] and len(sys.argv) < 4:
        return check(sys.argv[2] if len(sys.argv) > 2 else None)
    if len(sys.argv) not in (2, 3) or not sys.argv[1].isdigit():
        sys.exit(USAGE)
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    races = {toy_race(chains): racing.race(ways(chains), limit) for chains in TOY_CHAINS}
    best = {name: min(way["best"] for way in race["ways"].values()) for name, race in races.items()}
    print(json.dumps({"peer": "JAX", "version": jax.__version__, "threads": int(sys.argv[1]),
                      "us_per_gradient": round(1e6 * best[toy_race(1)], 2),
                      "us_per_gradient_by_chains": {name: round(1e6 * s, 2) for name, s in best.items()},
                      "races": races}))


if __name__ == "__main__":
    main()
