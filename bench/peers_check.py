"""What kelvin's library says, for peers' programs that check that they compute the same: PYTHONPATH of a build is
build/python, the `folder` here."""
import sys

import numpy as np


def library(folder):
    sys.path.insert(0, folder)
    from kelvin import _bindings, _library

    return _bindings, _library


def pointer(array):
    return array.ctypes.data


def model(folder, spec, shape, classes):
    bindings, lib = library(folder)
    return lib.Handle.make("kelvin_model_destroy", "kelvin_model_create", lib.raw(spec), bindings.kelvin_shape(*shape),
                           classes)


def logits(folder, spec, shape, theta, x, classes=10):
    """(rows, classes) of x (rows, ...), theta a flat vector."""
    _, lib = library(folder)
    theta, x = (np.ascontiguousarray(a, np.float32) for a in (theta, x))
    found = np.empty((len(x), classes), np.float32)
    network = model(folder, spec, shape, classes)
    lib.call("kelvin_model_logits", network, pointer(found), pointer(theta), pointer(x), len(x))
    return found


def toy_gradient(folder, theta):
    """Of the posterior of figure 1; theta as kelvin has it, weights (outputs, inputs)."""
    _, lib = library(folder)
    network = model(folder, "mlp:10,10,10,10,10", (2, 1, 1), 2)
    density, prior = (lib.Handle.make(f"kelvin_{kind}_destroy", f"kelvin_{kind}_create", lib.raw(text))
                      for kind, text in (("density", "dirclip:0.6,-50"), ("prior", "normal:1")))
    data = lib.Handle.make("kelvin_data_close", "kelvin_data_open", lib.raw("toy"))
    posterior = lib.Handle.make("kelvin_posterior_destroy", "kelvin_posterior_create", network, density, prior, data, 1)
    target = lib.library.kelvin_posterior_target(posterior)
    theta = np.ascontiguousarray(theta, np.float32)
    gradient = np.empty_like(theta)
    target.eval(target.context, None, pointer(gradient), pointer(theta))
    return gradient
