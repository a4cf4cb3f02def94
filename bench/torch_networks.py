#!/usr/bin/python3
"""What a step of SGHMC, and a forward pass, of the paper's networks cost in PyTorch: the peer of `kelvin-bench NETWORK`.

    torch_networks.py resnet20|cnn THREADS [SECONDS]
    torch_networks.py --check [KELVIN_PYTHON_FOLDER]

A step is the gradient of a batch of 125, fresh noise, and the update of momenta and parameters. Padding is TensorFlow's
SAME, as in the paper. Prints JSON: the best of several ways to write it (WAYS), and all of them; torch.compile is for
PyTorch 2, and needs a compiler for C++. --check: FRN's backward pass by hand; with build/python, logits are kelvin's.
"""
import functools
import json
import os
import sys

try:
    import torch
except ImportError:
    sys.exit(f"{os.path.basename(sys.argv[0])}: the Python package torch is not installed: pip install torch")
import torch.nn as nn
import torch.nn.functional as F

import racing

BATCH = 125
SECONDS = 8.0  # for each of the two tables
COMPILES = hasattr(torch, "compile")


def same(size, kernel, stride):
    """Pixels padded before and after."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


class Conv(nn.Conv2d):
    """SAME padding: within the convolution where both sides are equal."""

    def __init__(self, size, inputs, outputs, kernel, stride):
        before, after = same(size, kernel, stride)
        super().__init__(inputs, outputs, kernel, stride, padding=before if before == after else 0)
        self.pad = 2 * (before, after) if before != after else None

    def forward(self, x):
        return super().forward(F.pad(x, self.pad) if self.pad else x)


class FRN(nn.Module):
    """Filter response normalisation and ReLU, as one would write it first."""

    def __init__(self, channels):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, channels, 1, 1))
        self.beta = nn.Parameter(torch.zeros(1, channels, 1, 1))
        self.tau = nn.Parameter(torch.zeros(1, channels, 1, 1))

    def forward(self, x):
        x = x * torch.rsqrt(x.square().mean((2, 3), keepdim=True) + 1e-6)
        return F.relu(torch.maximum(self.gamma * x + self.beta, self.tau))


class FewerPasses(FRN):
    """The same in fewer passes: one factor per image and channel, one multiply-add, one maximum of both thresholds."""

    def forward(self, x):
        scale = self.gamma * torch.rsqrt(torch.linalg.vector_norm(x, dim=(2, 3), keepdim=True).square()
                                         / (x.shape[2] * x.shape[3]) + 1e-6)
        return torch.maximum(torch.addcmul(self.beta, x, scale), self.tau.relu())


class ByHand(torch.autograd.Function):
    """FewerPasses with its backward pass by hand."""

    @staticmethod
    def forward(ctx, x, gamma, beta, tau):
        pixels = x.shape[2] * x.shape[3]
        r = torch.rsqrt(torch.linalg.vector_norm(x, dim=(2, 3), keepdim=True).square() / pixels + 1e-6)
        y = torch.addcmul(beta, x, gamma * r)
        ctx.save_for_backward(x, r, gamma, tau, y)
        return torch.maximum(y, tau.relu())

    @staticmethod
    def backward(ctx, dy):
        x, r, gamma, tau, y = ctx.saved_tensors
        passed = y > tau.relu()
        ds = dy * passed
        beta_sums, sums = ds.sum((2, 3), keepdim=True), (ds * x).sum((2, 3), keepdim=True)
        pull = gamma * r**3 * sums / (x.shape[2] * x.shape[3])
        dtau = (dy.sum((2, 3), keepdim=True) - beta_sums).sum(0, keepdim=True) * (tau > 0)
        dx = (ds.mul_(gamma * r)).addcmul_(x, pull, value=-1)
        return dx, (sums * r).sum(0, keepdim=True), beta_sums.sum(0, keepdim=True), dtau


class FRNByHand(FRN):
    def forward(self, x):
        return ByHand.apply(x, self.gamma, self.beta, self.tau)


class Layer(nn.Sequential):
    def __init__(self, frn, *shape):
        super().__init__(Conv(*shape), frn(shape[2]))


class Block(nn.Module):
    """Two layers, plus the input, then ReLU."""

    def __init__(self, frn, size, inputs, outputs, stride):
        super().__init__()
        self.first = Layer(frn, size, inputs, outputs, 3, stride)
        self.second = Layer(frn, -(-size // stride), outputs, outputs, 3, 1)
        self.shortcut = Layer(frn, size, inputs, outputs, 1, stride) if stride > 1 else nn.Identity()
        self.relu = nn.Identity() if frn is not FRN else nn.ReLU()  # both summands are ReLUs': nothing is left to cut

    def forward(self, x):
        return self.relu(self.shortcut(x) + self.second(self.first(x)))


class MeanOverPixels(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


def resnet20(frn=FRN):
    parts, size, inputs = [Layer(frn, 32, 3, 16, 3, 1)], 32, 16
    for stack, outputs in enumerate((16, 32, 64)):
        for i in range(3):
            stride = 2 if stack > 0 and i == 0 else 1
            parts.append(Block(frn, size, inputs, outputs, stride))
            size, inputs = size // stride, outputs
    return nn.Sequential(*parts, MeanOverPixels(), nn.Linear(64, 10))


def cnn(frn=None):
    parts, size, inputs = [], 28, 1
    for outputs in (10, 10, 5):
        parts += [Conv(size, inputs, outputs, 5, 5), nn.ReLU()]
        size, inputs = -(-size // 5), outputs
    return nn.Sequential(*parts, nn.Flatten(), nn.Linear(5 * size * size, 10))


NETWORKS = {"resnet20": (resnet20, 274042, (3, 32, 32)), "cnn": (cnn, 4085, (1, 28, 28))}


def build(name, way):
    torch.manual_seed(1)
    make, parameters, shape = NETWORKS[name]
    frn, form, *rest = way
    model = make(frn).to(memory_format=form)
    if sum(p.numel() for p in model.parameters()) != parameters:
        sys.exit(f"torch_networks.py: {name} must have {parameters} parameters")
    return model, shape, form, rest


def inputs(batch, shape, form):
    return torch.randn(batch, *shape).contiguous(memory_format=form), torch.arange(batch) % 10


class Step:
    """v = decay v + kick g + noise xi; theta += drift v."""

    images = BATCH

    def __init__(self, name, way, n=50000, learning_rate=1e-4, friction=0.02):
        self.model, shape, form, self.rest = build(name, way)
        self.x, self.y = inputs(BATCH, shape, form)
        self.parameters = list(self.model.parameters())
        self.momenta = [torch.randn_like(p) for p in self.parameters]
        self.n, self.h, self.decay, self.noise = n, (learning_rate / n)**0.5, 1 - friction, (2 * friction)**0.5
        self.call = torch.jit.trace(self.model, self.x) if "traced" in self.rest else self.model
        self.update = self.one_by_one
        if "compiled" in self.rest:
            self.call, self.update = torch.compile(self.model), torch.compile(self.one_by_one)

    def one_by_one(self, gradients):
        for p, v, g in zip(self.parameters, self.momenta, gradients):
            v.mul_(self.decay).add_(g, alpha=-self.h * self.n).add_(torch.randn_like(v), alpha=self.noise)
            p.add_(v, alpha=self.h)

    def __call__(self):
        gradients = torch.autograd.grad(F.cross_entropy(self.call(self.x), self.y), self.parameters)
        with torch.no_grad():
            self.update(gradients)


class Forward:
    def __init__(self, name, way):
        model, shape, form, (self.images, *rest) = build(name, way)
        self.model = model.eval()
        self.x = inputs(self.images, shape, form)[0]
        if "frozen" in rest:
            with torch.no_grad():
                self.model = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(self.model, self.x)))
        if "compiled" in rest:
            self.model = torch.compile(self.model)

    def __call__(self):
        with torch.inference_mode():
            return self.model(self.x)


# Ways to write them. Those that start with "plain" are what one would write first. On one core of an AMD EPYC (Zen 3),
# with PyTorch 1.13.1 of Debian 12: FRN's backward pass by hand makes a step of resnet20 1.5 times as fast as the best
# plain one; fewer passes by themselves gain 10 %, tracing a step nothing.
PLANES, PIXELS = torch.contiguous_format, torch.channels_last
WAYS = {
    "resnet20": {
        Step: {
            "plain": (FRN, PLANES),
            "plain, channels last": (FRN, PIXELS),
            "fewer passes, channels last": (FewerPasses, PIXELS),
            "FRN backward by hand": (FRNByHand, PLANES),
            "FRN backward by hand, channels last": (FRNByHand, PIXELS),
            "compiled": (FRN, PLANES, "compiled"),
            "compiled, channels last": (FRN, PIXELS, "compiled"),
        },
        Forward: {
            "plain": (FRN, PLANES, 125),
            "plain, channels last": (FRN, PIXELS, 125),
            "fewer passes, channels last": (FewerPasses, PIXELS, 125),
            "fewer passes, channels last, frozen": (FewerPasses, PIXELS, 125, "frozen"),
            "fewer passes, channels last, frozen, batches of 500": (FewerPasses, PIXELS, 500, "frozen"),
            "compiled": (FRN, PLANES, 125, "compiled"),
            "compiled, channels last": (FRN, PIXELS, 125, "compiled"),
        },
    },
    "cnn": {
        Step: {
            "plain": (None, PLANES),
            "plain, channels last": (None, PIXELS),
            "traced, channels last": (None, PIXELS, "traced"),
            "compiled": (None, PLANES, "compiled"),
            "compiled, channels last": (None, PIXELS, "compiled"),
        },
        Forward: {
            "plain": (None, PLANES, 125),
            "plain, channels last": (None, PIXELS, 125),
            "batches of 1000": (None, PLANES, 1000),
            "channels last, batches of 1000": (None, PIXELS, 1000),
            "channels last, batches of 5000": (None, PIXELS, 5000),
            "compiled": (None, PLANES, 125, "compiled"),
            "compiled, batches of 1000": (None, PLANES, 1000, "compiled"),
        },
    },
}


def check_frn():
    """The backward pass by hand against finite differences, thresholds of both signs."""
    torch.manual_seed(1)
    gamma, beta, tau = (torch.randn(1, 6, 1, 1, dtype=torch.float64, requires_grad=True) for _ in range(3))
    x = torch.randn(2, 6, 3, 3, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(ByHand.apply, (x, gamma, beta, tau))


def kelvins_order(model):
    """Parameters as kelvin has them: a block's shortcut comes first."""
    for part in model:
        first = list(part.shortcut.parameters()) if isinstance(part, Block) else []
        yield from first
        yield from (p for p in part.parameters() if not any(p is other for other in first))


def check(folder):
    import peers_check

    for name, ways in WAYS.items():
        model, shape, _, _ = build(name, ways[Step]["plain"])
        theta = 0.2 * torch.randn(NETWORKS[name][1])
        x = inputs(10, shape, PLANES)[0]
        torch.nn.utils.vector_to_parameters(theta, kelvins_order(model))
        with torch.no_grad():
            found = model(x)
        wanted = torch.as_tensor(peers_check.logits(folder, name, shape, theta.numpy(), x.numpy()))
        error = float((found - wanted).abs().max() / wanted.abs().max())
        print(f"{name}: logits are kelvin's to {error:.1e} of the largest")
        if not error < 1e-4:
            sys.exit(f"torch_networks.py: {name}: logits are not kelvin's")


def measure(name, kind, limit):
    """All ways that this version can do; units are images."""
    ways = {title: (functools.partial(kind, name, way), way[2] if kind is Forward else BATCH)
            for title, way in WAYS[name][kind].items() if COMPILES or "compiled" not in way}
    return racing.race(ways, limit)


def main():
    if sys.argv[1:2] == ["--check"] and len(sys.argv) < 4:
        check_frn()
        return check(sys.argv[2]) if len(sys.argv) > 2 else None
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in NETWORKS or not sys.argv[2].isdigit():
        sys.exit("usage: torch_networks.py resnet20|cnn THREADS [SECONDS], or torch_networks.py --check [FOLDER]")
    name, threads = sys.argv[1], int(sys.argv[2])
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else SECONDS
    torch.set_num_threads(threads)
    check_frn()
    step, forward = (measure(name, kind, limit) for kind in (Step, Forward))
    print(json.dumps({"peer": "PyTorch", "version": torch.__version__, "torch": torch.__version__, "network": name,
                      "parameters": NETWORKS[name][1], "threads": threads, "batch": BATCH, **racing.images("", step),
                      **racing.images("forward_", forward),
                      "races": {f"{name} step": step, f"{name} forward": forward}}))


if __name__ == "__main__":
    main()
