"""PyTorch modules of kelvin's networks: samples load into them, and ``kelvin.sample(init=...)`` takes them.

    run = kelvin.sample((X, y), model="mlp:20,20")
    network = kelvin.torch.load(run, 0, raw_inputs=True)       # the first sample
    network(torch.as_tensor(X_new))                            # logits (rows, classes)

    predict = kelvin.torch.ensemble(run, raw_inputs=True)      # all of them
    predict(torch.as_tensor(X_new))                            # probabilities, as run.predict(X_new)

Names and shapes of tensors are those of the samples; logits are those of the library, to rounding.
"""
from __future__ import annotations

import ctypes
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _bindings as c
from ._data import new_rows
from ._library import Handle, UsageError, call, library, listed, raw, text

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError as error:
    raise ImportError("kelvin.torch needs PyTorch: pip install torch") from error

__all__ = ["Cnn", "Ensemble", "Mlp", "ResNet", "Standardise", "ensemble", "load", "module"]

Shape = Union[int, Sequence[int]]


# ---- what goes in ----

class Standardise(nn.Module):
    """Rows as measured become what a network sees, as it was fixed by the training part.

    Of a table an input is ``(v - mean) / deviation``, where v is the number itself, or ``asinh((number - centre) /
    width)`` in a column that has long tails. Of images v is the brightness, ``byte / white``.

    Parameters
    ----------
    mean, deviation : array_like
        Of each column or channel.
    centre, width : array_like
        Of each column; width 0: it has no long tails. Of images both are 0.
    white : float, optional
        The brightest a pixel can be; None: rows of a table.
    """

    def __init__(self, mean: Any, deviation: Any, centre: Any, width: Any, white: Optional[float] = None) -> None:
        super().__init__()
        # These are no buffers, since module.float() or .half() would round them: a column of large numbers that differ
        # little needs the digits of a double.
        shape = (-1,) if white is None else (-1, 1, 1)
        self.mean, self.deviation, self.centre, self.width = (
            torch.as_tensor(numbers, dtype=torch.float64).reshape(shape)
            for numbers in (mean, deviation, centre, width))
        self.white = white

    def forward(self, x: Tensor) -> Tensor:
        """(rows, columns), or (rows, [channels,] height, width) as bytes or other numbers, as float64."""
        x = x.double()
        if self.white is not None:
            x = (x if x.dim() == 4 else x.unsqueeze(1)) / self.white
        else:
            x = self._drawn_in(x)
        # Halves, as in the library: a difference of two doubles may be twice as large as a double can be.
        mean, deviation = self.mean.to(x.device), self.deviation.to(x.device)
        return (x / 2 - mean / 2) / (deviation / 2)

    def _drawn_in(self, x: Tensor) -> Tensor:
        centre, width = self.centre.to(x.device), self.width.to(x.device)
        long = width > 0
        drawn_in = torch.asinh((x / 2 - centre / 2) / (torch.where(long, width, torch.ones_like(width)) / 2))
        return torch.where(long, drawn_in, x)

    def extra_repr(self) -> str:
        of = f"{self.mean.numel()} columns, {int((self.width > 0).sum())} of them with long tails"
        return of if self.white is None else f"{self.mean.numel()} channels, white is {self.white:g}"


# ---- networks ----

class _Network(nn.Module):
    """What all networks have: where its parameters start, and `inputs`, a step before the first layer, or None.

    That step has no parameters: a state dict is the same with and without it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.inputs: Optional[Standardise] = None

    def forward(self, x: Tensor) -> Tensor:
        """Logits (rows, classes)."""
        if self.inputs is not None:
            x = self.inputs(x).to(next(self.parameters()).dtype)
        return self.logits(x)

    def logits(self, x: Tensor) -> Tensor:
        """Of rows as the layers see them."""
        raise NotImplementedError

    def _start(self, gain: float) -> None:
        """As chains of kelvin start: weights from a normal that is cut at 2 sigma, of variance gain / fan-in."""
        of_cut_normal = 0.87962566103423978  # its deviation, if sigma is 1
        for name, tensor in self.named_parameters():
            if name.endswith(".weight"):
                sigma = math.sqrt(gain / tensor[0].numel()) / of_cut_normal
                nn.init.trunc_normal_(tensor, std=sigma, a=-2 * sigma, b=2 * sigma)
            else:
                nn.init.constant_(tensor, 1.0 if name.endswith(".gamma") else 0.0)


class _Conv(nn.Conv2d):
    """A convolution with TensorFlow's SAME padding: ceil(size / stride) pixels of `size`, an odd zero at the end."""

    def forward(self, x: Tensor) -> Tensor:
        top, bottom = self._padding(x.shape[-2], 0)
        left, right = self._padding(x.shape[-1], 1)
        return super().forward(functional.pad(x, (left, right, top, bottom)))

    def _padding(self, size: int, axis: int) -> Tuple[int, int]:
        kernel, stride = self.kernel_size[axis], self.stride[axis]
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        return total // 2, total - total // 2


class _FrnConv(_Conv):
    """A convolution, filter response normalisation with its threshold (Singh & Krishnan 2020), and ReLU."""

    def __init__(self, channels: int, out: int, kernel: int, stride: int) -> None:
        super().__init__(channels, out, kernel, stride)
        self.gamma = nn.Parameter(torch.ones(out))
        self.beta = nn.Parameter(torch.zeros(out))
        self.tau = nn.Parameter(torch.zeros(out))

    def forward(self, x: Tensor) -> Tensor:
        x = super().forward(x)
        gamma, beta, tau = (v.reshape(-1, 1, 1) for v in (self.gamma, self.beta, self.tau))
        x = gamma * x * torch.rsqrt(x.square().mean((-2, -1), keepdim=True) + 1e-6) + beta
        return functional.relu(torch.maximum(x, tau))


class Mlp(_Network):
    """Dense layers with ReLU or leaky ReLU, and a last one without: "mlp:20,20,leak=0.01".

    Parameters
    ----------
    inputs : int
        Numbers of a row; of images, channels x height x width.
    widths : sequence of int
        Units of each hidden layer.
    classes : int
        Logits that come out.
    leak : float, optional
        The slope left of zero, from 0 to less than 1.
    """

    def __init__(self, inputs: int, widths: Sequence[int], classes: int, leak: float = 0.0) -> None:
        super().__init__()
        sizes = [inputs, *widths, classes]
        self.layers = nn.ModuleList(nn.Linear(*each) for each in zip(sizes, sizes[1:]))
        self.leak = float(np.float32(leak))  # as the library has it
        self._start(1.0)

    def logits(self, x: Tensor) -> Tensor:
        x = x.flatten(1)
        for layer in self.layers[:-1]:
            x = functional.leaky_relu(layer(x), self.leak) if self.leak else functional.relu(layer(x))
        return self.layers[-1](x)


class Cnn(_Network):
    """Convolutions with ReLU, then a dense layer: "cnn:8,16,32,kernel=3,stride=2".

    Parameters
    ----------
    shape : (int, int, int)
        Channels, height and width of an image.
    channels : sequence of int
        That each convolution makes.
    classes : int
        Logits that come out.
    kernel, stride : int, optional
        Of each convolution; padding is TensorFlow's SAME.
    """

    def __init__(self, shape: Sequence[int], channels: Sequence[int], classes: int, kernel: int = 5,
                 stride: int = 5) -> None:
        super().__init__()
        before, height, width = shape
        self.convs = len(channels)
        for i, after in enumerate(channels, 1):
            self.add_module(f"conv{i}", _Conv(before, after, kernel, stride))
            before, height, width = after, -(-height // stride), -(-width // stride)
        self.head = nn.Linear(before * height * width, classes)
        self._start(2.0)

    def logits(self, x: Tensor) -> Tensor:
        for i in range(1, self.convs + 1):
            x = functional.relu(self.get_submodule(f"conv{i}")(x))
        return self.head(x.flatten(1))


class _Block(nn.Module):
    """Two layers, and what goes in added to what comes out."""

    def __init__(self, channels: int, out: int, shrinks: bool) -> None:
        super().__init__()
        self.shortcut = _FrnConv(channels, out, 1, 2) if shrinks else None
        self.layer1 = _FrnConv(channels, out, 3, 2 if shrinks else 1)
        self.layer2 = _FrnConv(out, out, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        # No ReLU after the sum: neither term is below 0.
        return self.layer2(self.layer1(x)) + (x if self.shortcut is None else self.shortcut(x))


class ResNet(_Network):
    """A residual network with filter response normalisation: "resnet20".

    A stem, three stacks of blocks with 16, 32 and 64 channels, the mean over pixels, and a dense layer.

    Parameters
    ----------
    channels : int
        Of an image.
    depth : int
        6 n + 2, where n is the number of blocks in a stack: 8, 14, 20, ...
    classes : int
        Logits that come out.
    """

    def __init__(self, channels: int, depth: int, classes: int) -> None:
        super().__init__()
        if depth < 8 or depth % 6 != 2:
            raise UsageError(f"depth is {depth}; expected 6n + 2: 8, 14, 20, ...")
        self.stem = _FrnConv(channels, 16, 3, 1)
        before = 16
        for stack in (1, 2, 3):
            after = 8 << stack
            blocks = nn.Sequential()
            for block in range(1, (depth - 2) // 6 + 1):
                blocks.add_module(f"block{block}", _Block(before, after, stack > 1 and block == 1))
                before = after
            self.add_module(f"stack{stack}", blocks)
        self.head = nn.Linear(before, classes)
        self._start(2.0)

    def logits(self, x: Tensor) -> Tensor:
        x = self.stack3(self.stack2(self.stack1(self.stem(x))))
        return self.head(x.mean((-2, -1)))


# ---- from texts ----

def _member_of(spec: str) -> Any:
    """The model that a text names, as the library describes it."""
    found = ctypes.c_void_p()
    call("kelvin_family_find", ctypes.byref(found), library.kelvin_family_of(b"models"), raw(spec))
    return ctypes.cast(found, ctypes.POINTER(c.kelvin_member)).contents


def _numbers_of(spec: str, member: Any) -> Dict[str, Any]:
    """The numbers of a text that the library has taken: lists, numbers, and the usual ones where it says none."""
    parameters = {text(each.name) or "": each for each in member.parameter[:member.parameters]}
    told: Dict[str, List[float]] = {name: [] for name in parameters}
    called, _, rest = spec.partition(":")
    beside = called[len((text(member.name) or "").rstrip("N")):]  # the 20 of resnet20
    for word in filter(None, [beside, *rest.split(",")]):
        name, equals, number = word.rpartition("=")
        if not equals:  # in its place: a list takes all
            name = next(each for each, values in told.items() if parameters[each].list or not values)
        told[name].append(float.fromhex(number) if "x" in number.lower() else float(number))  # as C reads them
    found: Dict[str, Any] = {}
    for name, each in parameters.items():
        values = [int(value) if each.whole else value for value in told[name] or ([] if each.list else [each.usual])]
        found[name] = values if each.list else values[0]
    return found


def _mlp(value: Dict[str, Any], shape: Tuple[int, int, int], classes: int) -> _Network:
    return Mlp(math.prod(shape), value["W"], classes, value["leak"])


def _cnn(value: Dict[str, Any], shape: Tuple[int, int, int], classes: int) -> _Network:
    return Cnn(shape, value["C"] or [10, 10, 5], classes, value["kernel"], value["stride"])


def _resnet(value: Dict[str, Any], shape: Tuple[int, int, int], classes: int) -> _Network:
    return ResNet(shape[0], value["N"], classes)


_MAKERS: Dict[str, Callable[[Dict[str, Any], Tuple[int, int, int], int], _Network]] = {
    "mlp": _mlp, "cnn": _cnn, "resnetN": _resnet}


def module(spec: str, shape: Shape, classes: int) -> nn.Module:
    """A network of kelvin's as a PyTorch module.

    Its state dict has the names, shapes and order of the library's tensors. It starts as chains start, by torch's
    random numbers.

    Parameters
    ----------
    spec : str
        "mlp:20,20", "mlp:20,20,leak=0.01", "cnn", "cnn:8,16,32,kernel=3,stride=2", "resnet20", ...:
        ``kelvin.members("models")`` has all.
    shape : int or (int, int, int)
        How many columns a table has, or channels, height and width of images.
    classes : int
        How many there are.

    Returns
    -------
    torch.nn.Module
        An `Mlp`, `Cnn` or `ResNet`. It takes what the library's networks see: standardised numbers (rows, columns) or
        (rows, channels, height, width); and gives logits (rows, classes).

    Examples
    --------
    >>> network = kelvin.torch.module("mlp:20,leak=0.01", 4, 3)
    >>> list(network.state_dict())
    ['layers.0.weight', 'layers.0.bias', 'layers.1.weight', 'layers.1.bias']
    """
    sizes = (shape, 1, 1) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if len(sizes) == 1:
        sizes = (*sizes, 1, 1)
    if len(sizes) != 3 or not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
        raise UsageError(f"shape is {shape!r}; expected the number of columns, or (channels, height, width)")
    sizes = (int(sizes[0]), int(sizes[1]), int(sizes[2]))
    # What the library refuses is refused here, with its sentence.
    Handle.make("kelvin_model_destroy", "kelvin_model_create", raw(spec), c.kelvin_shape(*sizes), classes).close()
    member = _member_of(spec)
    make = _MAKERS.get(text(member.name) or "")
    if make is None:
        raise UsageError(f"there is no PyTorch module of model {spec!r}; expected one of: {', '.join(_MAKERS)}")
    return make(_numbers_of(spec, member), sizes, int(classes))


# ---- from runs ----

def _network_of(run: Any) -> _Network:
    """The network of a run, without its samples."""
    with run._using() as handle:
        looked_at = library.kelvin_samples_run(handle)
        model, data = library.kelvin_run_model(looked_at), library.kelvin_run_data(looked_at)
        shape = library.kelvin_data_shape(data)
        spec, classes = text(library.kelvin_model_spec(model)) or "", library.kelvin_model_classes(model)
    return module(spec, (shape.channels, shape.height, shape.width), classes)  # type: ignore[return-value]


def _standardise_of(run: Any) -> Standardise:
    """How inputs of a run are standardised."""
    with run._using() as handle:
        data = library.kelvin_run_data(library.kelvin_samples_run(handle))
        images = bool(library.kelvin_data_is_images(data))
        n = library.kelvin_data_shape(data).channels if images else library.kelvin_data_inputs(data)
        mean = [library.kelvin_data_mean(data, i) for i in range(n)]
        deviation = [library.kelvin_data_deviation(data, i) for i in range(n)]
        centre, width = [0.0] * n, [0.0] * n
        for feature in listed("kelvin_data_feature", data):
            if feature.contents.width > 0:
                at = feature.contents.first
                centre[at], width[at] = feature.contents.centre, feature.contents.width
        white = _white(data, deviation[0]) if images else None
    return Standardise(mean, deviation, centre, width, white)


def _white(data: Any, deviation: float) -> float:
    """Which byte is white: 255, or less (digits: 16). The library shows it by what it makes of black and of 255."""
    inputs = library.kelvin_data_inputs(data)
    given = new_rows(np.repeat(np.array([[0], [255]], dtype=np.uint8), inputs, axis=1))
    made = Handle.make("kelvin_inputs_close", "kelvin_inputs_from_rows", ctypes.byref(given), data)
    rows = c.kelvin_rows()
    call("kelvin_inputs_next", made, ctypes.byref(rows), 1)
    black = _first_number(rows)
    call("kelvin_inputs_next", made, ctypes.byref(rows), 1)
    bright = _first_number(rows)
    return float(round(255 / ((bright - black) * deviation)))


def _first_number(rows: Any) -> float:
    return ctypes.c_float.from_address(ctypes.cast(rows.x, ctypes.c_void_p).value or 0).value


def load(run: Any, i: int, *, raw_inputs: bool = False) -> nn.Module:
    """One sample of a run as a PyTorch module.

    Parameters
    ----------
    run : kelvin.Run
        The run.
    i : int
        Which sample: 0 is the first, -1 the last.
    raw_inputs : bool, optional
        Whether the module takes rows as measured, as `Run.predict` does: numbers of a table, best in float64, or bytes
        of images (rows, channels, height, width); it standardises them itself then. By default it takes what the
        library's networks see.

    Returns
    -------
    torch.nn.Module
        As `kelvin.torch.module` makes it; `inputs` is its first step, a `Standardise`, or None. Either way its state
        dict has the sample and nothing else, so that `Standardise` is kept by ``torch.save(module)`` alone.

    Examples
    --------
    >>> network = kelvin.torch.load(run, 0, raw_inputs=True)                        # doctest: +SKIP
    >>> network(torch.as_tensor(X))                    # run.predict_logits(X)[0]   # doctest: +SKIP
    """
    network = _network_of(run)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in run.samples[i].items()})
    if raw_inputs:
        network.inputs = _standardise_of(run)
    return network.eval()


# ---- all samples ----

try:
    from torch.func import functional_call, vmap  # torch 2.0
except ImportError:
    from torch.nn.utils.stateless import functional_call

    vmap = None

SAMPLES_AT_ONCE = 16  # whose activations are in memory


class Ensemble(nn.Module):
    """The posterior predictive of many samples; `kelvin.torch.ensemble` makes it.

    Parameters
    ----------
    network : torch.nn.Module
        Of whose parameters the samples are.
    theta : array_like
        (samples, parameters): all tensors of a sample, one behind the other, in the order of the state dict.
    inputs : Standardise, optional
        What is done with rows first.
    """

    def __init__(self, network: nn.Module, theta: Any, inputs: Optional[Standardise] = None) -> None:
        super().__init__()
        self.register_buffer("theta", torch.tensor(theta, dtype=next(network.parameters()).dtype))
        self._network = [network]  # in a list, so that its own parameters, which are not looked at, are none of these
        self.inputs = inputs

    def logits(self, x: Tensor) -> Tensor:
        """What every sample says of rows: (samples, rows, classes)."""
        if self.inputs is not None:
            x = self.inputs(x).to(self.theta.dtype)
        if vmap is not None:
            return vmap(self._of_one, in_dims=(0, None), chunk_size=SAMPLES_AT_ONCE)(self.theta, x)
        return torch.stack([self._of_one(theta, x) for theta in self.theta])

    def forward(self, x: Tensor) -> Tensor:
        """The probability of each class (rows, classes): means over all samples."""
        return self.logits(x).softmax(-1).mean(0)

    def _of_one(self, theta: Tensor, x: Tensor) -> Tensor:
        state: Dict[str, Tensor] = {}
        first = 0
        for name, tensor in self._network[0].named_parameters():
            state[name] = theta[first:first + tensor.numel()].reshape(tensor.shape)
            first += tensor.numel()
        return functional_call(self._network[0], state, (x,))

    def extra_repr(self) -> str:
        return f"{len(self.theta)} samples of {type(self._network[0]).__name__}"


def ensemble(run: Any, *, raw_inputs: bool = False) -> Ensemble:
    """All samples of a run as one PyTorch module, which gives probabilities.

    Parameters
    ----------
    run : kelvin.Run
        The run.
    raw_inputs : bool, optional
        As for `kelvin.torch.load`: rows as measured, as for `Run.predict`.

    Returns
    -------
    Ensemble
        Called with rows it gives the probabilities of each class (rows, classes), means over all samples, as
        `Run.predict`; ``logits(rows)`` is what every sample says (samples, rows, classes).

    Examples
    --------
    >>> predict = kelvin.torch.ensemble(run, raw_inputs=True)                       # doctest: +SKIP
    >>> predict(torch.as_tensor(X))                                # run.predict(X) # doctest: +SKIP
    """
    return Ensemble(_network_of(run), run.samples.matrix(), _standardise_of(run) if raw_inputs else None).eval()
