#!/usr/bin/env python3
"""What a step of SGHMC, and a forward pass, of the paper's networks cost in JAX: the peer of `kelvin-bench NETWORK`.

    jax_networks.py resnet20|cnn THREADS [SECONDS]
    jax_networks.py --check [KELVIN_PYTHON_FOLDER]

A step is the gradient of a batch of 125, fresh noise, and the update of momenta and parameters, all of it one compiled
function whose buffers are given to it. Padding is SAME, as in the paper. Prints JSON: the best of several ways to write
it, and all of them. --check: gradients of all ways agree, and with build/python logits are kelvin's.

XLA takes as many threads as the process may use cores: THREADS is made true with an affinity.
"""
import functools
import json
import os
import sys

BATCH = 125
SECONDS = 8.0  # for each of the two tables
N, LEARNING_RATE, FRICTION = 50000, 1e-4, 0.02
PARAMETERS = {"resnet20": 274042, "cnn": 4085}
SHAPES = {"resnet20": (3, 32, 32), "cnn": (1, 28, 28)}
USAGE = "usage: jax_networks.py resnet20|cnn THREADS [SECONDS], or jax_networks.py --check [FOLDER]"


def pin(threads):
    """Before JAX is loaded."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


if __name__ == "__main__" and len(sys.argv) > 2 and sys.argv[2].isdigit():
    pin(int(sys.argv[2]))
try:
    import jax
except ImportError:
    sys.exit(f"{os.path.basename(sys.argv[0])}: the Python package jax is not installed: pip install jax")
import jax.numpy as jnp
import numpy as np
from jax import lax

import racing

PIXELS, PLANES = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")


def over_pixels(form):
    return (1, 2) if form is PIXELS else (2, 3)


def spread(vector, form):
    return vector if form is PIXELS else vector[:, None, None]


def conv(x, layer, stride, form):
    x = lax.conv_general_dilated(x, layer["weight"], (stride, stride), "SAME", dimension_numbers=form)
    return x + spread(layer["bias"], form)


def frn_plain(x, layer, form):
    """Filter response normalisation and ReLU, as one would write it first."""
    x = x * lax.rsqrt(jnp.mean(x**2, over_pixels(form), keepdims=True) + 1e-6)
    gamma, beta, tau = (spread(layer[name], form) for name in ("gamma", "beta", "tau"))
    return jax.nn.relu(jnp.maximum(gamma * x + beta, tau))


@functools.partial(jax.custom_vjp, nondiff_argnums=(4,))
def frn_maximum(x, gamma, beta, tau, axes):
    return frn_forward(x, gamma, beta, tau, axes)[0]


def frn_forward(x, gamma, beta, tau, axes):
    r = lax.rsqrt(jnp.mean(x**2, axes, keepdims=True) + 1e-6)
    return jnp.maximum(x * (gamma * r) + beta, jax.nn.relu(tau)), (x, r, gamma, beta, tau)


def frn_backward(axes, kept, dy):
    x, r, gamma, beta, tau = kept
    ds = jnp.where(x * (gamma * r) + beta > jax.nn.relu(tau), dy, 0)
    beta_sums, sums = ds.sum(axes, keepdims=True), (ds * x).sum(axes, keepdims=True)
    pull = gamma * r**3 * sums / np.prod([x.shape[i] for i in axes])
    dtau = (dy.sum(axes, keepdims=True) - beta_sums) * (tau > 0)
    return ds * (gamma * r) - x * pull, *(part.sum(0).reshape(gamma.shape) for part in (sums * r, beta_sums, dtau))


frn_maximum.defvjp(frn_forward, frn_backward)


def frn_by_hand(x, layer, form):
    """The same in fewer passes, and its backward pass by hand."""
    gamma, beta, tau = (spread(layer[name], form) for name in ("gamma", "beta", "tau"))
    return frn_maximum(x, gamma, beta, tau, over_pixels(form))


def resnet20(theta, x, form, frn):
    def layer(name, x, stride=1):
        return frn(conv(x, theta[name], stride, form), theta[name], form)

    x = layer("stem", x)
    for stack in (1, 2, 3):
        for block in (1, 2, 3):
            name, stride = f"stack{stack}.block{block}.", 2 if stack > 1 and block == 1 else 1
            shortcut = layer(name + "shortcut", x, 2) if stride == 2 else x
            x = jax.nn.relu(layer(name + "layer2", layer(name + "layer1", x, stride)) + shortcut)
    return x.mean(over_pixels(form)) @ theta["head"]["weight"] + theta["head"]["bias"]


def cnn(theta, x, form, _frn):
    for name in ("conv1", "conv2", "conv3"):
        x = jax.nn.relu(conv(x, theta[name], 5, form))
    return x.reshape(len(x), -1) @ theta["head"]["weight"] + theta["head"]["bias"]  # one pixel is left


NETWORKS = {"resnet20": resnet20, "cnn": cnn}


def layers(network):
    """Name, kernel, inputs, outputs and whether FRN follows, in kelvin's order; the head has no kernel."""
    if network == "cnn":
        return [("conv1", 5, 1, 10, False), ("conv2", 5, 10, 10, False), ("conv3", 5, 10, 5, False),
                ("head", 0, 5, 10, False)]
    found, inputs = [("stem", 3, 3, 16, True)], 16
    for stack, outputs in enumerate((16, 32, 64), 1):
        for block in (1, 2, 3):
            name = f"stack{stack}.block{block}."
            if inputs != outputs:
                found.append((name + "shortcut", 1, inputs, outputs, True))
            found += [(name + "layer1", 3, inputs, outputs, True), (name + "layer2", 3, outputs, outputs, True)]
            inputs = outputs
    return found + [("head", 0, 64, 10, False)]


def turned(weight, form):
    """From (outputs, inputs, height, width), which is kelvin's, to a form's; a head's becomes (inputs, outputs)."""
    return weight.T if weight.ndim == 2 else weight.transpose(2, 3, 1, 0) if form is PIXELS else weight


def start(network, form, flat=None):
    """Parameters from a flat vector in kelvin's order, or at random."""
    rng, at, theta, count = np.random.default_rng(1), 0, {}, 0
    for name, kernel, inputs, outputs, frn in layers(network):
        shape = (outputs, inputs, kernel, kernel) if kernel else (outputs, inputs)
        tensors = {"weight": rng.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5, "bias": np.zeros(outputs)}
        if frn:
            tensors.update(gamma=np.ones(outputs), beta=np.zeros(outputs), tau=np.zeros(outputs))
        for key, tensor in tensors.items():
            if flat is not None:
                tensor = flat[count:count + tensor.size].reshape(tensor.shape)
            count += tensor.size
            tensors[key] = jnp.array(turned(tensor, form) if key == "weight" else tensor, jnp.float32)
        theta[name] = tensors
    if count != PARAMETERS[network]:
        sys.exit(f"jax_networks.py: {network} must have {PARAMETERS[network]} parameters, not {count}")
    return theta


def inputs(network, form, batch=BATCH):
    x = np.random.default_rng(2).standard_normal((batch, *SHAPES[network])).astype(np.float32)
    return jnp.array(x.transpose(0, 2, 3, 1) if form is PIXELS else x), jnp.arange(batch) % 10


def loss(theta, x, y, network, form, frn):
    logp = jax.nn.log_softmax(NETWORKS[network](theta, x, form, frn))
    return -jnp.take_along_axis(logp, y[:, None], 1).mean()


def noise_for(key, theta):
    """One call for all parameters: a call per tensor gives the same speed, and compiles three times as long."""
    parts, tree = jax.tree.flatten(theta)
    ends = np.cumsum([part.size for part in parts])
    normals = jnp.split(jax.random.normal(key, (int(ends[-1]),)), ends[:-1])
    return jax.tree.unflatten(tree, [z.reshape(part.shape) for z, part in zip(normals, parts)])


def sghmc(state, x, y, **way):
    """v = decay v - h N g + noise xi; theta += h v."""
    theta, v, key = state
    h, decay, size = (LEARNING_RATE / N) ** 0.5, 1 - FRICTION, (2 * FRICTION) ** 0.5
    key, now = jax.random.split(key)
    gradient = jax.grad(functools.partial(loss, **way))(theta, x, y)
    v = jax.tree.map(lambda v, g, xi: decay * v - h * N * g + size * xi, v, gradient, noise_for(now, theta))
    return jax.tree.map(lambda p, v: p + h * v, theta, v), v, key


def make_step(network, form, frn, steps=1):
    x, y = inputs(network, form)
    theta = start(network, form)
    state = [(theta, jax.tree.map(jnp.zeros_like, theta), jax.random.key(1))]
    one = functools.partial(sghmc, network=network, form=form, frn=frn)

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state, x, y):
        if steps == 1:
            return one(state, x, y)
        return lax.scan(lambda state, _: (one(state, x, y), None), state, length=steps)[0]

    def work():
        state[0] = jax.block_until_ready(step(state[0], x, y))

    return work


def make_forward(network, form, frn, batch=BATCH):
    x, theta = inputs(network, form, batch)[0], start(network, form)
    forward = jax.jit(lambda theta, x: NETWORKS[network](theta, x, form, frn))
    return lambda: forward(theta, x).block_until_ready()


# Ways to write them. Those that start with "plain" are what one would write first. Steps of resnet20 in a scan are left
# out: XLA for CPUs makes naive loops of convolutions inside a loop, 4 images/s instead of 107, and takes three minutes
# to compile them. As sums over taps, or as products with matrices of patches, convolutions are half as fast.
STEPS = {
    "resnet20": {
        "plain": (PIXELS, frn_plain),
        "plain, planes": (PLANES, frn_plain),
        "FRN backward by hand": (PIXELS, frn_by_hand),
        "FRN backward by hand, planes": (PLANES, frn_by_hand),
    },
    "cnn": {
        "plain": (PIXELS, None),
        "plain, planes": (PLANES, None),
        "scan over 10 steps": (PIXELS, None, 10),
        "scan over 10 steps, planes": (PLANES, None, 10),
    },
}
FORWARDS = {
    "resnet20": {
        "plain": (PIXELS, frn_plain),
        "plain, planes": (PLANES, frn_plain),
        "FRN in fewer passes": (PIXELS, frn_by_hand),
    },
    "cnn": {
        "plain": (PIXELS, None),
        "plain, planes": (PLANES, None),
        "batches of 1000": (PIXELS, None, 1000),
    },
}


def ways(network, kinds, make, usual):
    """For the race: units are images."""
    return {title: (functools.partial(make, network, *way), usual(way)) for title, way in kinds[network].items()}


def check(folder):
    """Ways agree on the gradient, in thresholds of both signs; and logits are those of kelvin's library."""
    for network in NETWORKS:
        flat = np.random.default_rng(3).standard_normal(PARAMETERS[network]).astype(np.float32) * 0.2
        found = {}
        for form in (PIXELS, PLANES):
            for frn in (frn_plain, frn_by_hand) if network == "resnet20" else (None,):
                theta, (x, y) = start(network, form, flat), inputs(network, form, 10)
                gradient = jax.grad(loss)(theta, x, y, network, form, frn)
                for layer in gradient.values():
                    w = layer["weight"]
                    layer["weight"] = w.T if w.ndim == 2 else w.transpose(3, 2, 0, 1) if form is PIXELS else w
                found[form, frn] = np.concatenate([g.ravel() for layer in gradient.values() for g in layer.values()])
                logits = np.asarray(NETWORKS[network](theta, x, form, frn))
        first, *others = found.values()
        error = max([np.abs(other - first).max() / np.abs(first).max() for other in others])
        print(f"{network}: gradients of all ways agree to {error:.1e} of the largest")
        if not error < 1e-4:
            sys.exit(f"jax_networks.py: {network}: the gradients of two ways differ")
        if folder:
            compare(network, flat, logits, folder)


def compare(network, flat, logits, folder):
    import peers_check

    theirs = peers_check.logits(folder, network, SHAPES[network], flat, np.asarray(inputs(network, PLANES, 10)[0]))
    error = np.abs(theirs - logits).max() / np.abs(theirs).max()
    print(f"{network}: logits are kelvin's to {error:.1e} of the largest")
    if not error < 1e-4:
        sys.exit(f"jax_networks.py: {network}: logits are not kelvin's")


def main():
    if sys.argv[1:2] == ["--check"] and len(sys.argv) < 4:
        return check(sys.argv[2] if len(sys.argv) > 2 else None)
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in NETWORKS or not sys.argv[2].isdigit():
        sys.exit(USAGE)
    network, limit = sys.argv[1], float(sys.argv[3]) if len(sys.argv) > 3 else SECONDS
    step = racing.race(ways(network, STEPS, make_step, lambda way: BATCH * (way[2] if len(way) > 2 else 1)), limit)
    forward = racing.race(ways(network, FORWARDS, make_forward, lambda way: way[2] if len(way) > 2 else BATCH), limit)
    print(json.dumps({
        "peer": "JAX", "version": jax.__version__, "network": network, "parameters": PARAMETERS[network],
        "threads": int(sys.argv[2]), "batch": BATCH, **racing.images("", step), **racing.images("forward_", forward),
        "races": {f"{network} step": step, f"{network} forward": forward},
    }))


if __name__ == "__main__":
    main()
