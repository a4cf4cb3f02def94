"""What jax_mlp.py and torch_mlp.py sample: mlp:20 on rows of normals, by SGHMC. Nothing but Python and NumPy."""
import numpy as np

from races import BATCH, CLASSES

UNITS, LEARNING_RATE, FRICTION, PRIOR = 20, 1e-3, 0.02, 1.0


def table(rows, columns):
    """Inputs, and labels as rows of one and zeros."""
    rng = np.random.default_rng(1)
    return (rng.standard_normal((rows, columns)).astype(np.float32),
            np.eye(CLASSES, dtype=np.float32)[np.arange(rows) % CLASSES])


def start(columns, seed):
    rng = np.random.default_rng(seed)
    shapes = ((columns, UNITS), (UNITS,), (UNITS, CLASSES), (CLASSES,))
    return [(rng.standard_normal(shape) / (shape[0] ** 0.5 if len(shape) > 1 else 10)).astype(np.float32)
            for shape in shapes]


def written_out(theta, v, xi, x, y, n):
    """A step in double, gradients by hand: v = decay v - h n g + noise xi; theta += h v."""
    theta, v, xi = ([np.asarray(p, float) for p in parts] for parts in (theta, v, xi))
    x, y = np.asarray(x, float), np.asarray(y, float)
    w1, b1, w2, b2 = theta
    s = x @ w1 + b1
    a = np.maximum(s, 0)
    z = a @ w2 + b2
    p = np.exp(z - z.max(1, keepdims=True))
    dz = (p / p.sum(1, keepdims=True) - y) / len(x)
    ds = dz @ w2.T * (s > 0)
    likelihood = x.T @ ds, ds.sum(0), a.T @ dz, dz.sum(0)
    h = (LEARNING_RATE / n) ** 0.5
    v = [(1 - FRICTION) * v - h * n * (g + p / (PRIOR * n)) + (2 * FRICTION) ** 0.5 * z
         for v, g, p, z in zip(v, likelihood, theta, xi)]
    return [p + h * v for p, v in zip(theta, v)]


def check(step, n=500, columns=10):
    """step(theta, v, xi, x, y, n) gives the new theta; returns why it is wrong, or None."""
    x, y = (part[:BATCH] for part in table(n, columns))
    theta, v, xi = (start(columns, seed) for seed in (1, 2, 3))
    found, wanted = (f(theta, v, xi, x, y, n) for f in (step, written_out))
    error = max(np.abs(np.asarray(f) - w).max() for f, w in zip(found, wanted))
    moved = max(np.abs(np.asarray(f) - p).max() for f, p in zip(found, theta))
    print(f"a step moves parameters by up to {moved:.1e}; errors are up to {error:.1e}")
    return None if error < 1e-4 * moved else "a step is not what it should be"
