"""Python's and NumPy's own functions as native code calls them, and native code as functions that Python
calls.

A call through ctypes takes 0.4 µs, of a function that Python holds for one of its own 0.05.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: Of Python's interface: what native code calls, by the types of its result and its parameters.
PYTHON = {
    "PyTuple_New": ("ptr", "i64"), "PyTuple_Size": ("i64", "ptr"), "PyList_New": ("ptr", "i64"),
    "PyList_SetItem": ("i32", "ptr", "i64", "ptr"), "PyList_Append": ("i32", "ptr", "ptr"),
    "PyType_GenericAlloc": ("ptr", "ptr", "i64"),
    "PyLong_FromLongLong": ("ptr", "i64"), "PyLong_AsLongLong": ("i64", "ptr"),
    "Py_IncRef": ("void", "ptr"), "Py_DecRef": ("void", "ptr"), "PyErr_Clear": ("void",),
    "PyErr_Occurred": ("ptr",),
    "PyDict_Size": ("i64", "ptr"), "PyDict_GetItem": ("ptr", "ptr", "ptr"),
    "PyDict_SetItem": ("i32", "ptr", "ptr", "ptr"), "PyDict_DelItem": ("i32", "ptr", "ptr"),
    "PyDict_Next": ("i32", "ptr", "ptr", "ptr", "ptr"),
    "PySet_Size": ("i64", "ptr"), "PySet_Contains": ("i32", "ptr", "ptr"),
    "PySet_Add": ("i32", "ptr", "ptr"),
    "PyObject_GetAttr": ("ptr", "ptr", "ptr"), "PyObject_SetAttr": ("i32", "ptr", "ptr", "ptr"),
    "PyErr_ExceptionMatches": ("i32", "ptr"), "PyObject_CallNoArgs": ("ptr", "ptr"),
    "PyObject_CallOneArg": ("ptr", "ptr", "ptr"), "PyObject_Vectorcall": ("ptr", "ptr", "ptr", "i64", "ptr"),
    "PyIter_Next": ("ptr", "ptr"), "PyFrame_GetCode": ("ptr", "ptr"), "PyFrame_GetBack": ("ptr", "ptr"),
    "PyFrame_GetLasti": ("i32", "ptr"), "PyContextVar_Get": ("i32", "ptr", "ptr", "ptr"),
}  # fmt: skip
#: The same of NumPy's, and where its table has the function (the table only ever grows).
NUMPY = {
    "PyArray_NewFromDescr": ("ptr", "ptr", "ptr", "i32", "ptr", "ptr", "ptr", "i32", "ptr"),
    "PyArray_SetBaseObject": ("i32", "ptr", "ptr"),
}
#: Of the C library's mathematics, where Python exports what it is linked with.
MATHEMATICS = {
    **dict.fromkeys(
        ("cos", "exp", "fabs", "floor", "lgamma", "log", "log1p", "sin", "sqrt"), ("double",) * 2
    ),
    "pow": ("double",) * 3,
}
_PLACES = {"PyArray_NewFromDescr": 94, "PyArray_SetBaseObject": 282}
_ARRAY_TYPE = 2

_FASTCALL = 0x80


def declarations() -> str:
    """Return LLVM's declarations of these functions; their names in it begin with ``pullback_``."""
    return "\n".join(
        f"declare {result} @pullback_{name}({', '.join(parameters)})"
        for name, (result, *parameters) in (PYTHON | NUMPY | MATHEMATICS).items()
    )


@functools.cache
def addresses() -> dict[str, int] | None:
    """Return where these functions lie, by their names in LLVM's text; None where one is not found."""
    try:
        table_at = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]  # NumPy's C API
        found = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in PYTHON}
        opened = ctypes.pythonapi.PyCapsule_GetPointer
        opened.restype, opened.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        table = (ctypes.c_void_p * (1 + max(_PLACES.values()))).from_address(opened(table_at, None))
    except (AttributeError, ValueError):
        return None
    if table[_ARRAY_TYPE] != id(np.ndarray):
        return None
    found |= {name: table[at] for name, at in _PLACES.items()} | mathematics()
    return {f"pullback_{name}": int(address or 0) for name, address in found.items()}


@functools.cache
def mathematics() -> dict[str, int | None]:
    """Return where the C library's functions lie; nothing where one is not exported."""
    if not all(hasattr(ctypes.pythonapi, name) for name in MATHEMATICS):
        return {}
    return {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in MATHEMATICS}


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )  # fmt: skip


#: By name and address; Python's functions hold the addresses of these.
_methods: dict[tuple[str, int], _Method] = {}


def function(name: str, address: int, owner: object) -> Callable[..., Any]:
    """Make native code ``ptr (owner, arguments, count)`` a function of Python; null means an error."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    if (method := _methods.get((name, address))) is None:
        # One that two threads made at once must not be freed, which is what a cache does with one of the two.
        method = _methods.setdefault((name, address), _Method(name.encode(), address, _FASTCALL, None))
        # Python reads it of every function that it visits, also when this module's dictionary is gone.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
    made: Callable[..., Any] = make(ctypes.addressof(method), owner, None)
    return made


def redirect(moved: Mapping[int, int]) -> None:
    """Have Python's functions of native code call what is at other addresses: Python reads them each time."""
    for (_, address), method in [*_methods.items()]:
        if address in moved:
            method.function = moved[address]
