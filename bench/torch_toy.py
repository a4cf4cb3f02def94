#!/usr/bin/python3
"""What a gradient of figure 1's posterior costs in PyTorch: the peer of `kelvin-bench leapfrog`.

    torch_toy.py [THREADS [SECONDS]]
    torch_toy.py --check [KELVIN_PYTHON_FOLDER]

The same network (2-10-10-10-10-10-2, ReLU, 492 parameters), the same 18 points, the same log-density (categorical and
DirClip(0.6) clipped at -50, standard normal prior), one thread unless told otherwise, only the gradient. Prints JSON.
Several chains at once, and torch.compile, are for PyTorch 2. --check: all ways against finite differences, and with
build/python against kelvin.

Parameters are one flat vector, layer by layer: weights [inputs, outputs], then biases. So a layer is also one matrix
[inputs + 1, outputs], for inputs whose last column is 1.
"""
import functools
import json
import os
import sys
from typing import List

try:
    import torch
except ImportError:
    sys.exit(f"{os.path.basename(sys.argv[0])}: the Python package torch is not installed: pip install torch")

import racing
import toy
from races import TOY_CHAINS, toy_race
from toy import ALPHA, CLIP, LABELS, POINTS, WIDTHS

SECONDS = 2.0  # for each number of chains
CALLS = 50     # between two looks at the clock, of all chains about
COMPILES = hasattr(torch, "compile") and hasattr(torch, "func")


def layers(flat):
    """Views of a flat vector: per layer one matrix, biases in the last row."""
    sizes = [(a + 1) * b for a, b in zip(WIDTHS, WIDTHS[1:])]
    return [part.view(-1, b) for part, b in zip(flat.split(sizes), WIDTHS[1:])]


def log_likelihood(theta, x, one_hot):
    parts = theta.split([size for a, b in zip(WIDTHS, WIDTHS[1:]) for size in (a * b, b)])
    for i, width in enumerate(WIDTHS[1:]):
        x = torch.addmm(parts[2 * i + 1], torch.relu(x) if i else x, parts[2 * i].view(-1, width))
    logp = torch.log_softmax(x, 1)
    return (one_hot * logp).sum() + (ALPHA - 1) * logp.clamp(min=CLIP).sum()


def log_density(theta, x, one_hot):
    return log_likelihood(theta, x, one_hot) - 0.5 * theta.dot(theta)


@torch.jit.script
def backpropagate(grads: List[torch.Tensor], weights: List[torch.Tensor], weights_turned: List[torch.Tensor],
                  inputs: List[torch.Tensor], inputs_turned: List[torch.Tensor], hidden: List[torch.Tensor],
                  sums: List[torch.Tensor], deltas: List[torch.Tensor], one_hot: torch.Tensor, pull: torch.Tensor,
                  clip: float):
    last = len(weights) - 1
    for i in range(last):
        torch.mm(inputs[i], weights[i], out=sums[i])
        torch.clamp_min(sums[i], 0, out=hidden[i + 1])
    torch.mm(inputs[last], weights[last], out=sums[last])
    logp = torch.log_softmax(sums[last], 1)
    by_logp = torch.ops.aten.threshold_backward(pull, logp, clip).add_(one_hot)
    torch.ops.aten._log_softmax_backward_data(by_logp, logp, 1, logp.dtype, out=deltas[last])
    for k in range(last):
        i = last - k
        torch.addmm(weights[i], inputs_turned[i], deltas[i], beta=-1, out=grads[i])  # -1: the prior
        torch.mm(deltas[i], weights_turned[i], out=deltas[i - 1])
        torch.ops.aten.threshold_backward(deltas[i - 1], sums[i - 1], 0, grad_input=deltas[i - 1])
    torch.addmm(weights[0], inputs_turned[0], deltas[0], beta=-1, out=grads[0])


class Scripted:
    """The backward pass by hand, in place, in TorchScript: 31 calls of ATen per gradient and no autograd."""

    def __init__(self, theta, x, one_hot):
        n = len(x)
        weights = layers(theta)
        inputs = [x.new_ones(n, width + 1) for width in WIDTHS[:-1]]
        hidden = [h[:, :-1] for h in inputs]
        hidden[0].copy_(x)
        sums, deltas = ([x.new_empty(n, width) for width in WIDTHS[1:]] for _ in range(2))
        self.grad = torch.empty_like(theta)
        self.arguments = (layers(self.grad), weights, [w[:-1].t() for w in weights], inputs, [h.t() for h in inputs],
                          hidden, sums, deltas, one_hot, torch.full_like(one_hot, ALPHA - 1), CLIP)

    def __call__(self):
        with torch.inference_mode():
            backpropagate(*self.arguments)
        return self.grad


class Traced:
    """Autograd over a traced log-likelihood of one flat vector; the prior's gradient by hand."""

    def __init__(self, theta, x, one_hot):
        self.theta = theta
        self.leaf = theta.clone().requires_grad_()
        self.log_likelihood = torch.jit.trace(lambda leaf: log_likelihood(leaf, x, one_hot), (self.leaf,))

    def __call__(self):
        return torch.autograd.grad(self.log_likelihood(self.leaf), self.leaf)[0] - self.theta


class Plain:
    """What one would write first: a list of weights and biases, and autograd for everything."""

    def __init__(self, theta, x, one_hot):
        self.x = x
        self.labels = one_hot.argmax(1)
        self.parameters = [p.clone().requires_grad_() for layer in layers(theta) for p in (layer[:-1], layer[-1])]

    def __call__(self):
        x = self.x
        for i in range(0, len(self.parameters), 2):
            x = (torch.relu(x) if i else x) @ self.parameters[i] + self.parameters[i + 1]
        logp = torch.log_softmax(x, 1)
        log_density = (logp[torch.arange(len(x)), self.labels].sum() + (ALPHA - 1) * logp.clamp(min=CLIP).sum()
                       - 0.5 * sum((p**2).sum() for p in self.parameters))
        return torch.autograd.grad(log_density, self.parameters)


# Microseconds per gradient with PyTorch 1.13.1 of Debian 12 on one core of an AMD EPYC (Zen 3), best of 60:
#
#     683  Plain
#     426  autograd over one flat vector
#     386  the same, the prior's gradient by hand
#     347  Traced: the same, traced
#     202  backward by hand, one torch call after the other
#     121  the same, traced
#      91  backward by hand, in place, biases inside the weights' matrix
#      54  Scripted: the same as TorchScript, and the softmax's backward in one call
#
# OpenBLAS instead of the reference BLAS gives 1 to 8 % less. The first, the best with autograd and the best of all:
VARIANTS = {"plain": Plain, "autograd": Traced, "scripted": Scripted}


class Vmap:
    """The gradient of one chain by torch.func, of several at once by its vmap."""

    def __init__(self, theta, x, one_hot):
        self.theta, self.x, self.one_hot = theta, x, one_hot
        gradient = torch.func.grad(log_density)
        self.gradient = gradient if theta.dim() == 1 else torch.func.vmap(gradient, (0, None, None))

    def __call__(self):
        return self.gradient(self.theta, self.x, self.one_hot)


class Compiled(Vmap):
    """The same, compiled."""

    def __init__(self, theta, x, one_hot):
        super().__init__(theta, x, one_hot)
        self.gradient = torch.compile(self.gradient, dynamic=False)


class Lanes(Vmap):
    """Chains are the last axis, so that vectors of the CPU go over them, products and sums are written out, and
    compiled: torch.compile makes loops of them."""

    def __init__(self, theta, x, one_hot):
        super().__init__(theta, x, one_hot)
        self.theta = theta.t().contiguous()
        self.gradient = torch.compile(torch.func.grad(log_densities), dynamic=False)


if COMPILES:
    VARIANTS["torch.func"] = Vmap
    VARIANTS["compiled"] = Compiled
SEVERAL = {"vmap": Vmap, "compiled vmap": Compiled, "compiled, chains as lanes": Lanes} if COMPILES else {}


def log_densities(theta, x, one_hot):
    """The sum over chains; theta (parameters, chains)."""
    chains, at = theta.shape[1], 0
    x = x[:, :, None]
    for i, (a, b) in enumerate(zip(WIDTHS, WIDTHS[1:])):
        weight, bias = theta[at:at + a * b].view(1, a, b, chains), theta[at + a * b:at + (a + 1) * b]
        x = ((torch.relu(x) if i else x)[:, :, None] * weight).sum(1) + bias
        at += (a + 1) * b
    logp = torch.log_softmax(x, 1)
    likelihood = (one_hot[:, :, None] * logp).sum() + (ALPHA - 1) * logp.clamp(min=CLIP).sum()
    return likelihood - 0.5 * (theta**2).sum()


def problem(dtype):
    theta = torch.randn(sum((a + 1) * b for a, b in zip(WIDTHS, WIDTHS[1:])), dtype=torch.float64,
                        generator=torch.Generator().manual_seed(1))
    one_hot = torch.nn.functional.one_hot(torch.tensor(LABELS))
    return theta.to(dtype), torch.tensor(POINTS, dtype=dtype), one_hot.to(dtype)


def flat(gradient):
    return gradient if torch.is_tensor(gradient) else torch.cat([part.flatten() for part in gradient])


def check(name, h=1e-6):
    """Every partial derivative against a central difference of the log-density, in double; some points are clipped."""
    theta, x, one_hot = problem(torch.float64)
    theta *= 1.5
    found = flat(VARIANTS[name](theta, x, one_hot)())
    for i, step in enumerate(h * torch.eye(len(theta), dtype=torch.float64)):
        wanted = (log_density(theta + step, x, one_hot) - log_density(theta - step, x, one_hot)) / (2 * h)
        if not abs(found[i] - wanted) < 1e-5 * (1 + abs(wanted)):
            sys.exit(f"torch_toy.py: {name}: derivative {i} is {found[i]}, finite differences give {wanted}")


def check_several(name, chains=3):
    """Chains at once against one after the other."""
    theta, x, one_hot = problem(torch.float64)
    thetas = torch.stack([theta * (1 + 0.3 * c) for c in range(chains)])
    found = SEVERAL[name](thetas, x, one_hot)()
    found = found.t() if SEVERAL[name] is Lanes else found
    for one, gradient in zip(thetas, found):
        if not torch.allclose(gradient, flat(Plain(one, x, one_hot)()), 1e-8, 1e-8):
            sys.exit(f"torch_toy.py: {name}: not the gradient of a chain by itself")


def check_all(folder):
    for name in VARIANTS:
        check(name)
    for name in SEVERAL:
        check_several(name)
    if folder:
        import peers_check

        theta, x, one_hot = problem(torch.float32)
        wanted = torch.as_tensor(toy.flipped(peers_check.toy_gradient(folder, toy.turned(theta.numpy()))))
        error = float((flat(Plain(theta, x, one_hot)()) - wanted).abs().max() / wanted.abs().max())
        print(f"the gradient is kelvin's to {error:.1e} of the largest")
        if not error < 1e-4:
            sys.exit("torch_toy.py: the gradient is not kelvin's")


def make(variant, chains, calls):
    """A work of so many gradients per chain."""
    theta, x, one_hot = problem(torch.float32)
    gradient = variant(theta if chains == 1 else theta * torch.linspace(0.9, 1.1, chains)[:, None], x, one_hot)

    def work():
        for _ in range(calls):
            gradient()

    return work


def ways(variants, chains):
    calls = max(CALLS // chains, 5)
    if COMPILES:
        torch._dynamo.reset()  # shapes of other numbers of chains count against a limit
    return {name: (functools.partial(make, variant, chains, calls), calls * chains)
            for name, variant in variants.items()}


def main():
    if sys.argv[1:2] == ["--check"] and len(sys.argv) < 4:
        return check_all(sys.argv[2] if len(sys.argv) > 2 else None)
    if len(sys.argv) > 3 or not all(argument.replace(".", "").isdigit() for argument in sys.argv[1:]):
        sys.exit("usage: torch_toy.py [THREADS [SECONDS]], or torch_toy.py --check [FOLDER]")
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    torch.set_num_threads(threads)
    races = {toy_race(1): racing.race(ways(VARIANTS, 1), limit, hopeless=20)}
    races.update((toy_race(chains), racing.race(ways(SEVERAL, chains), limit))
                 for chains in TOY_CHAINS if SEVERAL and chains > 1)
    one = {name: round(1e6 * way["best"], 2) for name, way in races[toy_race(1)]["ways"].items()}
    print(json.dumps({
        "peer": "PyTorch", "version": torch.__version__, "torch": torch.__version__, "threads": threads,
        "us_per_gradient": min(one.values()),
        "us_per_gradient_autograd": min(t for name, t in one.items() if name != "scripted"),
        "us_per_gradient_plain": one["plain"],
        "races": races,
    }))


if __name__ == "__main__":
    main()
