"""kelvin.torch against the library: names and shapes of tensors, logits of all networks, samples of runs, ensembles,
and state dicts that go to kelvin and back.
"""
import copy
import ctypes
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kelvin  # noqa: E402
import kelvin.torch  # noqa: E402
from kelvin import _bindings as c  # noqa: E402
from kelvin._library import Handle, call, library, raw  # noqa: E402
from kelvin._samples import tensors_of  # noqa: E402

UNIT = 2.0**-24  # a float is off by so much of itself, when it is rounded
WINOGRAD = 5  # by this factor its errors (1e-6 of the largest output, docs/performance.md) exceed those of plain sums
NETWORKS = [  # spec, shape, classes: every family, every parameter, paddings that are even, odd, and none
    ("mlp", 5, 2),
    ("mlp:7", 1, 3),
    ("mlp:20,20", 13, 4),
    ("mlp:20,20,20,leak=0.01", (1, 28, 28), 10),
    ("mlp:W=9,leak=0.3,3", (3, 5, 4), 11),
    ("mlp:0x10,1e1,leak=0.99", (17,), 2),
    ("cnn", (1, 28, 28), 10),
    ("cnn", (3, 11, 6), 3),
    ("cnn:8,16,32,kernel=3,stride=2", (3, 32, 32), 10),
    ("cnn:4,kernel=2,stride=1", (1, 5, 9), 2),
    ("cnn:6,3,kernel=4,stride=3", (2, 13, 7), 5),
    ("cnn:5,kernel=1,stride=2", (3, 1, 8), 4),
    ("cnn:5,7,stride=4,kernel=2", (1, 10, 3), 3),  # pixels that no kernel looks at
    ("cnn:kernel=3", (1, 8, 8), 10),
    ("cnn:2,3,2,kernel=7,stride=1", (1, 4, 6), 2),  # kernels that are larger than images
    ("resnet8", (1, 8, 8), 10),
    ("resnet8", (3, 9, 14), 3),  # odd sizes: 9, 5, 3 and 14, 7, 4
    ("resnet14", (3, 1, 6), 2),
    ("resnet20", (3, 16, 16), 10),
    ("resnet:26", (2, 7, 5), 17),
]
SAID = {"density": "categorical", "prior": "normal:1", "sampler": "sghmc", "chains": 2, "samples": 4, "epochs": 4,
        "batch": 20, "lr": 0.01, "schedule": "constant", "temperature_schedule": "constant", "augment": "none",
        "seed": 3, "progress": False}  # all there is to say, so that nothing is searched for
rng = np.random.default_rng(2385)


@pytest.fixture(autouse=True)
def alone():
    """One thread, no gradients, random numbers of a seed."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    with torch.no_grad():
        yield


def sizes(shape):
    shape = (shape,) if isinstance(shape, int) else shape
    return shape if len(shape) == 3 else (*shape, 1, 1)


def up_or_down(tensor):
    return torch.from_numpy(rng.choice([-1.0, 1.0], size=tensor.shape))


def share(n):
    """By which share n roundings change a number. Each is off by UNIT at most, up or down by chance: the deviation of
    all of them is no more than sqrt(n / 3) UNIT, where all values are alike, and this is five of them."""
    return 5 * np.sqrt(n / 3) * UNIT


def roundings(name, state, pixels, residual):
    """How many a parameter stands for: see `allowed`."""
    reads = state[name.rsplit(".", 1)[0] + ".weight"][0].numel()
    return WINOGRAD**2 * (reads + 1) + pixels + 6 if residual else reads + 1


def allowed(network, x, given=0.0):
    """How far logits may be off that are computed in float, where `network` is in double.

    Each rounding multiplies a term by 1 + d with |d| <= UNIT. Of a sum of n products in any order a term goes through n
    of them at most, which can as well be put on its weight: what is computed is, without any error, the output of
    other weights, each of which is off by what n roundings do, where n is what a unit reads, with its bias. (ReLU, and
    adding what goes around a block, let such factors pass.) FRN, gamma x / sqrt(mean of x^2 + 1e-6) + beta, has as many
    roundings in its mean as there are pixels, and six more, and so has the mean over pixels before a head: they are
    put on gamma, beta and weights. Convolutions by Winograd's method with tiles of 4x4 are less exact by a factor.

    How these add up is measured: all parameters are moved by as much as they may be, up or down by chance, and the
    largest change of a logit in three tries is what is allowed. A right network is off by a third of it or less; one
    with another layer, padding or constant by thousands of times as much. Inputs are moved by `given`.
    """
    state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    pixels, residual = x[0, 0].numel(), isinstance(network, kelvin.torch.ResNet)
    exact, moved, most = network(x), copy.deepcopy(network), 0.0
    for _ in range(3):
        for name, tensor in moved.state_dict().items():  # the tensors themselves
            off = share(roundings(name, state, pixels, residual))
            tensor.copy_(state[name] * (1 + off * up_or_down(tensor)))
        most = max(most, float((moved(x + given * up_or_down(x)) - exact).abs().max()))
    return most


def agree(part, got, want, most):
    """Whether numbers agree, and what there is to say if not."""
    got, want = (np.asarray(each, dtype=np.float64) for each in (got, want))
    assert got.shape == want.shape and np.isfinite(got).all(), (part, got.shape, want.shape)
    off, largest = np.abs(got - want).max(), np.abs(want).max()
    assert most <= 1e-3 * largest, (part, "what is allowed is no test", most, largest)
    assert off <= most, (part, off, most, largest)


# ---- networks ----

def created(spec, shape, classes):
    return Handle.make("kelvin_model_destroy", "kelvin_model_create", raw(spec), c.kelvin_shape(*sizes(shape)), classes)


def check_tensors(spec, model, network):
    """The same names, shapes and order; and it starts as chains do."""
    tensors, offset = tensors_of(model), 0
    state = network.state_dict()
    assert list(state) == list(tensors), (spec, list(state), list(tensors))
    for i, (name, (first, shape)) in enumerate(tensors.items()):
        assert first == offset and tuple(state[name].shape) == shape, (spec, name, shape)
        offset += state[name].numel()
        check_start(spec, library.kelvin_model_tensor(model, i).contents, state[name])


def check_start(spec, tensor, started):
    if not tensor.cut:
        assert bool((started == tensor.start).all()), (spec, tensor.name)
        return
    assert float(started.abs().max()) <= 2 * tensor.deviation / 0.8796, (spec, tensor.name)
    # The deviation of n numbers of a normal is off by 1 / sqrt(2 n) of itself; of one that is cut by less.
    n = started.numel()
    off = float(started.double().square().mean().sqrt()) / tensor.deviation - 1
    assert abs(off) <= 5 / np.sqrt(2 * n), (spec, tensor.name, off, n)


def theta_of(model):
    """As networks start, and every parameter moved, so that biases, gamma, beta and tau are no longer 0 or 1. What the
    convolution of a stem gives is so small that the 1e-6 of FRN matters."""
    theta = np.empty(library.kelvin_model_parameters(model), dtype=np.float32)
    library.kelvin_model_start(model, theta.ctypes.data, 5, 0)
    theta += rng.normal(scale=0.05, size=theta.shape).astype(np.float32)
    for name, (first, shape) in tensors_of(model).items():
        if not name.endswith(".weight"):
            theta[first:first + shape[0]] += rng.normal(scale=0.2, size=shape).astype(np.float32)
        if name in ("stem.weight", "stem.bias"):
            theta[first:first + int(np.prod(shape))] *= np.float32(1e-3)
    return theta


def loaded(network, model, theta):
    network.load_state_dict({name: torch.from_numpy(theta[first:first + int(np.prod(shape))].reshape(shape))
                             for name, (first, shape) in tensors_of(model).items()})
    return network


@pytest.mark.parametrize("spec, shape, classes", NETWORKS)
def test_network(spec, shape, classes):
    model, network = created(spec, shape, classes), kelvin.torch.module(spec, shape, classes)
    check_tensors(spec, model, network)
    theta, rows = theta_of(model), 9 if spec.startswith("resnet") else 35  # more than go through a network at a time
    loaded(network, model, theta)
    x = rng.normal(size=(rows, *sizes(shape))).astype(np.float32)
    if not isinstance(shape, tuple) or len(shape) == 1:
        x = x.reshape(rows, -1)
    logits = np.empty((rows, classes), dtype=np.float32)
    call("kelvin_model_logits", model, logits.ctypes.data, theta.ctypes.data, x.ctypes.data, rows)
    x = torch.from_numpy(x)
    single = network(x)
    network.double()
    want, most = network(x.double()), allowed(network, x.double())
    family = spec.rstrip("0123456789").partition(":")[0]
    agree("logits of %s: %s, %s" % (family, spec, shape), logits, want, most)
    agree("logits of %s in torch's float: %s, %s" % (family, spec, shape), single, want, most)


def test_sentences():
    for spec, shape, part in (("cnn", 5, "looks at images"), ("mpl:3", 5, "did you mean 'mlp'"),
                              ("resnet9", (1, 8, 8), "6n + 2"), ("mlp:3", (2, 3), "shape is (2, 3)"),
                              ("mlp:3", 0, "shape is 0"), ("mlp:3,leak=2", 4, "leak is '2'")):
        try:
            kelvin.torch.module(spec, shape, 3)
        except kelvin.UsageError as error:
            assert part in str(error), error
        else:
            raise AssertionError((spec, shape, "was taken"))


# ---- runs ----

def table():
    """Columns as they come: large numbers that differ little, long tails, one that never changes."""
    y = np.arange(120) % 3
    x = rng.normal(size=(120, 5))
    x[:, 0] += y
    x[:, 1] = 1.6e9 + 40 * x[:, 1] + 30 * y
    x[:, 2] = np.exp(3 * x[:, 2]) - 50
    x[:, 3] = 7
    return x, y


def images(channels, height, width):
    y = np.arange(60) % 2
    x = rng.integers(0, 200, size=(60, channels, height, width))
    x[:, 0] += 50 * y[:, None, None]
    return x.astype(np.uint8), y


def check_run(part, data, x, **settings):
    """Samples as modules, and all of them as one, against what the library says of new rows."""
    run = kelvin.sample(data, **SAID, **settings)
    assert run.samples.n == 4
    most = max(check_sample(part, run, i, x) for i in range(4))
    rows, every = torch.from_numpy(x), kelvin.torch.ensemble(run, raw_inputs=True)
    z, p = run.predict_logits(x), run.predict(x)
    agree("ensembles, logits: %s" % part, every.logits(rows), z, 2 * most)
    # The slope of a softmax is at most 1/2, and what it makes is 1 at most, rounded by exp, sum, quotient and mean.
    agree("ensembles in float: %s" % part, every(rows), p, most + (len(p[0]) + 12) * UNIT)
    agree("ensembles in double: %s" % part, copy.deepcopy(every).double()(rows), p, most / 2)
    assert torch.equal(kelvin.torch.ensemble(run)(every.inputs(rows).float()), every(rows)), part
    return run


def check_sample(part, run, i, x):
    """One sample as a module; returns how far it may be off."""
    network, rows, z = kelvin.torch.load(run, i, raw_inputs=True), torch.from_numpy(x), run.predict_logits(x)[i]
    state = network.state_dict()
    assert list(state) == list(run.samples) and not network.training, (part, list(state))
    assert all(np.array_equal(state[name].numpy(), array) for name, array in run.samples[i].items()), part
    single, seen, exact = network(rows), network.inputs(rows), copy.deepcopy(network).double()
    exact.inputs = None
    # Numbers are rounded to float when they have been standardised; bytes are multiplied and moved in float, four
    # roundings of what is no larger than the largest input.
    most = allowed(exact, seen, 4 * UNIT * float(seen.abs().max()))
    agree("samples in double: %s" % part, exact(seen), z, most)
    agree("samples in float: %s" % part, single, z, 2 * most)  # both are rounded
    assert torch.equal(kelvin.torch.load(run, i)(seen.float()), single), part
    assert torch.equal(pickle.loads(pickle.dumps(network))(rows), single), part
    return most


def test_far():
    """Differences that are larger than a double can be, as in the library."""
    x = torch.tensor([[1.7e308, 1.7e308]], dtype=torch.float64)
    seen = kelvin.torch.Standardise([-1e308, 0.0], [1e308, 1.0], [0.0, -1e308], [0.0, 1e308])(x)
    assert np.allclose(seen, [[2.7, np.arcsinh(2.7)]], rtol=1e-15, atol=0), seen


def test_runs():
    x, y = table()
    new, _ = table()
    run = check_run("table", (x, y), new, model="mlp:8,leak=0.1")
    far = new[:1].copy()
    far[0, 2] = -1.7e308  # almost as far as a double can be
    check_sample("far away", run, 1, far)
    inputs = kelvin.torch.load(run, 0, raw_inputs=True).inputs
    assert (inputs.width > 0).tolist() == [False, False, True, False, False], inputs.width  # it has long tails, indeed
    # A table as the network saw it in training has mean 0 and deviation 1, but for the share that is kept for testing.
    seen = inputs(torch.from_numpy(x))
    assert float(seen.mean(0).abs().max()) < 0.5 and float((seen.std(0) - 1).abs()[[0, 1, 2, 4]].max()) < 0.5, seen
    for shape, model in (((3, 7, 9), "cnn:4,3,kernel=3,stride=2"), ((1, 6, 6), "mlp:5"), ((1, 5, 8), "resnet8")):
        (x, y), (new, _) = images(*shape), images(*shape)
        run = check_run("images for %s" % model, (x, y), new, model=model)
    one = kelvin.torch.load(run, 1, raw_inputs=True)  # pictures of one channel, with and without it
    assert torch.equal(one(torch.from_numpy(new[:, 0])), one(torch.from_numpy(new)))
    digits = rng.integers(0, 17, size=(20, 1, 8, 8)).astype(np.uint8)
    run = check_run("digits", "digits", digits, model="cnn:3,kernel=3,stride=2")
    assert kelvin.torch.load(run, 0, raw_inputs=True).inputs.white == 16


# ---- to kelvin and back ----

def test_init():
    """Chains that start at a module, and make one step that is too short to move a float, are where it was."""
    x, y = table()
    for names in "kelvin's", "others":
        network = kelvin.torch.module("mlp:6,4", 5, 3)
        for tensor in network.parameters():
            tensor.add_(0.1 * torch.from_numpy(rng.normal(size=tensor.shape)).float())
        init = network if names == "kelvin's" else torch.nn.Sequential(*network.layers).state_dict()
        run = kelvin.sample((x, y), model="mlp:6,4", init=init, sampler="hmc", density="categorical", prior="normal:1",
                            chains=2, iterations=2, warmup=1, steps=1, step_size=1e-30, seed=1, progress=False)
        for i in range(run.samples.n):
            back = kelvin.torch.load(run, i).state_dict()
            assert all(torch.equal(back[name], tensor) for name, tensor in network.state_dict().items()), names
    check_other_shapes(x, y)


def check_other_shapes(x, y):
    try:
        kelvin.sample((x, y), model="mlp:6,4", init=kelvin.torch.module("mlp:6,5", 5, 3), **SAID)
    except kelvin.Error as error:
        assert "layers.1.weight" in str(error), error
    else:
        raise AssertionError("a module of other shapes was taken")
