"""The tables of jax_mlp.py and torch_mlp.py: mlp:20 on rows of normals with 3 classes, SGHMC with batches of 125. Nothing
but Python and NumPy."""
import numpy as np

TABLES = ((500, 10), (1000, 30), (2000, 60))
CHAINS, CLASSES, UNITS, BATCH = (1, 4, 16), 3, 20, 125
LEARNING_RATE, FRICTION, PRIOR = 1e-3, 0.02, 1.0


def title(rows, columns, chains):
    """Of a race."""
    return f"mlp:20 step, {rows} x {columns}, {chains} chain{'s' if chains > 1 else ''}"


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
