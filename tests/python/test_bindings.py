"""What Python believes of the library's structs, constants and functions, against what a C compiler says of them."""
import ctypes
import pathlib
import re

import pytest

from kelvin import _bindings as c
from kelvin._library import library


def lines(root, pattern):
    text = pathlib.Path(root, "tests", "abi.txt").read_text()
    found = re.findall(pattern, text, re.M)
    assert found
    return found


def test_offsets(root):
    for struct, field, offset, size in lines(root, r"^struct (\w+)\.(\w+): offset, size (\d+) (\d+)$"):
        known = getattr(getattr(c, struct), field)
        assert (known.offset, known.size) == (int(offset), int(size)), (struct, field)


def test_sizes(root):
    for struct, size in lines(root, r"^struct (\w+): size (\d+)$"):
        assert ctypes.sizeof(getattr(c, struct)) == int(size), struct


def test_constants(root):
    for name, value in lines(root, r"^constant (\w+): (-?\d+)$"):
        assert getattr(c, name) == int(value), name


def test_functions_are_there(root):
    names = set(lines(root, r"^function (\w+):"))
    assert names - set(c.FUNCTIONS) == {"kelvin_fail"}  # which takes any number of arguments
    for name in c.FUNCTIONS:
        assert getattr(library, name)


@pytest.mark.parametrize("word", range(c.KELVIN_WORD_GIVE + 1))
def test_every_word_has_one_of_pythons(word):
    from kelvin._library import WORDS
    assert word in WORDS or word == c.KELVIN_WORD_INSTALL  # which is the library's own: a package of Debian's
