"""What there is to choose from."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional

from . import _bindings as c
from ._library import Handle, UsageError, call, library, listed, raw, text
from ._progress import Bar, wanted
from ._work import Work


def members(family: str) -> Dict[str, str]:
    """The members of a family, with what each is.

    Parameters
    ----------
    family : str
        "densities", "priors", "models", "samplers", "data_sets", "metrics", "schedules", ...

    Returns
    -------
    dict
        {how it is written: what it is}

    Examples
    --------
    >>> list(kelvin.members("samplers"))
    ['sghmc', 'hmc', 'mclmc']
    """
    found = library.kelvin_family_of(raw(family))
    if not found:
        keys = [text(library.kelvin_family_key(library.kelvin_family_at(i)))
                for i in range(library.kelvin_families())]
        raise UsageError(f"there is no family {family!r}; expected one of: {', '.join(map(str, keys))}")
    return {text(each.contents.usage) or "": text(each.contents.about) or ""
            for each in listed("kelvin_family_member", found)}


def fields() -> Dict[str, str]:
    """What can be said of a run: the settings that `kelvin.sample` takes.

    Returns
    -------
    dict
        {name: what it is, and its usual value}
    """
    found: Dict[str, str] = {}
    for each in listed("kelvin_config_field_at"):
        field = each.contents
        about = f"{text(field.about)} (usually {text(field.usual)})" if field.usual else text(field.about) or ""
        of = f"; of {text(field.samplers)}" if field.samplers else ""
        name = text(field.name) or ""
        found[name] = "; or ".join(filter(None, [found.get(name), about + of]))  # two samplers may have one each
    return found


def describe(data: Any) -> Dict[str, Any]:
    """What a data set is like.

    Parameters
    ----------
    data : str
        As for `kelvin.sample`: "digits", "table.csv", "images:FOLDER".

    Returns
    -------
    dict
        name, rows (training, test), shape (channels, height, width), images, classes, columns, notes.
    """
    handle = Handle.make("kelvin_data_close", "kelvin_data_open", raw(os.fspath(data)))
    shape = library.kelvin_data_shape(handle)
    found = {
        "name": text(library.kelvin_data_name(handle)),
        "rows": tuple(library.kelvin_data_rows(handle, side) for side in (c.KELVIN_TRAIN, c.KELVIN_TEST)),
        "shape": (shape.channels, shape.height, shape.width),
        "images": bool(library.kelvin_data_is_images(handle)),
        "classes": [text(library.kelvin_data_class_name(handle, i))
                    for i in range(library.kelvin_data_classes(handle))],
        "columns": [text(each.contents.name) for each in listed("kelvin_data_feature", handle)],
        "notes": [text(each) for each in listed("kelvin_data_note", handle)],
    }
    handle.close()
    return found


def fetch(name: str, source: Optional[str] = None, *, progress: Optional[bool] = None) -> str:
    """Brings a public data set into the cache, where ``kelvin.sample(name)`` finds it.

    Parameters
    ----------
    name : str
        "cifar10" or "mnist".
    source : path, optional
        A file of the original release that is here already.
    progress : bool, optional
        Whether to show how far it is; by default in terminals and notebooks.

    Returns
    -------
    str
        The name.
    """
    work = Work()
    bar = Bar(name, 0, "B") if wanted(progress) else None

    @c.kelvin_fetch_progress
    def watch(_context, _what, done, total):
        return work.guard(bar.update, done, total) if bar else not work.stopped

    try:
        work.run(call, "kelvin_fetch", raw(name), None if source is None else raw(source), 0, watch, None)
    finally:
        if bar:
            bar.close()
    return name
