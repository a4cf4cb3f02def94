"""The posterior of figure 1 for the peers' programs: network, points and log-density. Nothing but Python.

Parameters are one flat vector, layer by layer: weights [inputs, outputs], then biases; kelvin's are [outputs, inputs].
"""
WIDTHS = [2, 10, 10, 10, 10, 10, 2]
POINTS = [
    [.15, -.39], [.25, -.23], [.12, -.12], [.38, -.10], [.45, -.38], [.62, -.25], [.83, -.12], [.80, -.37], [.73, -.69],
    [.18, -.68], [.35, -.58], [.45, -.82], [.51, -.70], [.61, -.60], [.69, -.83], [.87, -.76], [.82, -.59], [.40, -.27],
]
LABELS = 9 * [0] + 9 * [1]
ONE_HOT = [[1 - label, label] for label in LABELS]
ALPHA, CLIP = 0.6, -50.0


def _exchanged(flat, turn):
    """A NumPy vector with the two axes of each weight exchanged: `turn` makes of (a, b) the shape that is there."""
    found, at = flat.copy(), 0
    for a, b in zip(WIDTHS, WIDTHS[1:]):
        found[at:at + a * b] = flat[at:at + a * b].reshape(turn(a, b)).T.ravel()
        at += (a + 1) * b
    return found


def turned(flat):
    """For kelvin."""
    return _exchanged(flat, lambda a, b: (a, b))


def flipped(flat):
    """From kelvin."""
    return _exchanged(flat, lambda a, b: (b, a))
