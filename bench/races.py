"""The races of speed_peers.py that have sizes, and their titles: what kelvin and its peers call the same. Nothing but
Python."""
TABLES = ((500, 10), (1000, 30), (2000, 60))  # rows and columns, for mlp:20
CLASSES, BATCH = 3, 125
TABLE_CHAINS = (1, 4, 16)
TOY_CHAINS = (1, 8, 16, 64, 256)


def chains_text(n):
    return f"{n} chain{'s' if n > 1 else ''}"


def toy_race(chains):
    return f"toy gradient, {chains_text(chains)}"


def table_race(rows, columns, chains):
    return f"mlp:20 step, {rows} x {columns}, {chains_text(chains)}"
