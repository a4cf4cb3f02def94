#!/usr/bin/python3
"""What a gradient of figure 1's posterior costs in PyTorch: the peer of `kelvin-bench leapfrog`.

The same network (2-10-10-10-10-10-2, ReLU, 492 parameters), the same 18 points, the same log-density (categorical and
DirClip(0.6) clipped at -50, standard normal prior), one thread, only the gradient. Prints JSON.

Parameters are one flat vector, layer by layer: weights [inputs, outputs], then biases. So a layer is also one matrix
[inputs + 1, outputs], for inputs whose last column is 1.
"""
import json
import sys
import time
from typing import List

import torch

WIDTHS = [2, 10, 10, 10, 10, 10, 2]
POINTS = [
    [.15, -.39], [.25, -.23], [.12, -.12], [.38, -.10], [.45, -.38], [.62, -.25], [.83, -.12], [.80, -.37], [.73, -.69],
    [.18, -.68], [.35, -.58], [.45, -.82], [.51, -.70], [.61, -.60], [.69, -.83], [.87, -.76], [.82, -.59], [.40, -.27],
]
LABELS = 9 * [0] + 9 * [1]
ALPHA, CLIP = 0.6, -50.0
REPETITIONS, CALLS = 40, 50


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


def problem(dtype):
    theta = torch.randn(sum((a + 1) * b for a, b in zip(WIDTHS, WIDTHS[1:])), dtype=torch.float64,
                        generator=torch.Generator().manual_seed(1))
    one_hot = torch.nn.functional.one_hot(torch.tensor(LABELS))
    return theta.to(dtype), torch.tensor(POINTS, dtype=dtype), one_hot.to(dtype)


def check(name, h=1e-6):
    """Every partial derivative against a central difference of the log-density, in double; some points are clipped."""
    theta, x, one_hot = problem(torch.float64)
    theta *= 1.5
    found = VARIANTS[name](theta, x, one_hot)()
    found = found if torch.is_tensor(found) else torch.cat([part.flatten() for part in found])
    for i, step in enumerate(h * torch.eye(len(theta), dtype=torch.float64)):
        wanted = (log_density(theta + step, x, one_hot) - log_density(theta - step, x, one_hot)) / (2 * h)
        if not abs(found[i] - wanted) < 1e-5 * (1 + abs(wanted)):
            sys.exit(f"torch_toy.py: {name}: derivative {i} is {found[i]}, finite differences give {wanted}")


def microseconds(gradient):
    start = time.perf_counter()
    for _ in range(CALLS):
        gradient()
    return (time.perf_counter() - start) / CALLS * 1e6


def main():
    torch.set_num_threads(1)
    for name in VARIANTS:
        check(name)
    gradients = {name: variant(*problem(torch.float32)) for name, variant in VARIANTS.items()}
    times = [{name: microseconds(gradient) for name, gradient in gradients.items()} for _ in range(REPETITIONS)]
    best = {name: min(t[name] for t in times) for name in VARIANTS}
    print(json.dumps({
        "torch": torch.__version__,
        "us_per_gradient": round(best["scripted"], 2),
        "us_per_gradient_autograd": round(best["autograd"], 2),
        "us_per_gradient_plain": round(best["plain"], 2),
    }))


if __name__ == "__main__":
    main()
