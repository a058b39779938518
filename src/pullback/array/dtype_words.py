"""The words by which torch's messages call dtypes: its own ('Long'), C++'s ('long int'), those of a limit
('int64_t') and the classes of old ('torch.LongTensor').
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import from_numpy_dtype

_C_NAME = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char",
    "uint8": "unsigned char", "bool": "bool", "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>", "complex32": "c10::complex<c10::Half>",
    "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int",
}  # fmt: skip


def type_word(dtype: np.dtype[Any]) -> str:
    """Return torch's word for a dtype: 'Float' for float32."""
    return from_numpy_dtype(dtype).scalar_type


def not_implemented(kernel: str, dtype: np.dtype[Any]) -> NotImplementedError:
    """Build the error for a dtype that the kernel with torch's name `kernel` is not written for."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{type_word(dtype)}'")


def unlike(wanted: np.dtype[Any], found: np.dtype[Any]) -> RuntimeError:
    """Build the error for an operand of another dtype than is wanted."""
    return RuntimeError(f"expected scalar type {type_word(wanted)} but found {type_word(found)}")


def c_name(dtype: np.dtype[Any]) -> str:
    """Return the C++ type of a dtype: 'long int' for int64."""
    name = str(dtype)
    return f"c10::{name.capitalize()}" if name.startswith("float8") else _C_NAME.get(name, name)


def not_a_mask(dtype: np.dtype[Any]) -> RuntimeError:
    """Build the error for a mask of another dtype where one value is filled in."""
    return RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {c_name(dtype)}")


def sized_name(dtype: np.dtype[Any]) -> str:
    """Return what errors of numbers that do not fit call a dtype: 'int64_t' for int64."""
    sized = dtype.kind in "iu" and dtype != np.int32
    return f"{dtype}_t" if sized else c_name(dtype)


def class_name(dtype: np.dtype[Any]) -> str:
    """Return what torch's messages call the tensors of a dtype: the old class, if it ever had one."""
    word = type_word(dtype)
    young = word.startswith(("Bool", "BFloat", "Complex", "UInt", "Float8"))
    return f"CPU{word}Type" if young else f"torch.{word}Tensor"
