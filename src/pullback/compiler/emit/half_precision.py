"""float16 and bfloat16 as float32 and back, in whole numbers: the processor may lack the instruction."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from ..runtime import processor
from .scalars import BFLOAT16, BOOL, FLOAT16, FLOAT32, INT16, Value, number

if TYPE_CHECKING:
    from .emitter import Emitter


def has_halves() -> bool:
    """Return whether the processor converts float16."""
    return platform.machine().lower() not in ("x86_64", "amd64") or "f16c" in processor.features()


def to_bfloat(emitter: Emitter, x: Value) -> Value:
    """Round a float32 to bfloat16, in whole numbers: the processor's instruction flushes subnormals."""
    bits = bits_of(emitter, x)
    last = emitter.named(f"and i32 {emitter.named(f'lshr i32 {bits}, 16')}, 1")
    up = emitter.named(f"add i32 {emitter.named(f'add i32 {bits}, {last}')}, {0x7FFF}")
    # What is added to the bits of a NaN may make another number of it.
    nan = emitter.named(f"or i32 {emitter.named(f'and i32 {bits}, {-1 << 31}')}, {0x7FC00000}")
    chosen = emitter.named(f"select i1 {emitter.compare('ne', x, x).name}, i32 {nan}, i32 {up}")
    return emitter.instruction(f"trunc i32 {emitter.named(f'lshr i32 {chosen}, 16')} to i16", BFLOAT16)


def of_bfloat(emitter: Emitter, x: Value) -> Value:
    """Return a bfloat16 as a float32."""
    bits = emitter.named(f"shl i32 {emitter.named(f'zext i16 {x.name} to i32')}, 16")
    return float_of(emitter, bits)


def to_half(emitter: Emitter, x: Value) -> Value:
    """Round a float32 to float16 without the instruction, for which LLVM would call a function."""
    bits = bits_of(emitter, x)
    sign = emitter.named(f"lshr i32 {emitter.named(f'and i32 {bits}, {-1 << 31}')}, 16")
    size = emitter.named(f"and i32 {bits}, {0x7FFFFFFF}")
    # The sum with 1/2 has the last bit of a subnormal half as its own.
    least = emitter.named(f"fadd float {float_of(emitter, size).name}, {number(0.5, FLOAT32)}", FLOAT32)
    small = emitter.named(f"sub i32 {bits_of(emitter, Value(least, FLOAT32))}, {126 << 23}")
    last = emitter.named(f"and i32 {emitter.named(f'lshr i32 {size}, 13')}, 1")
    up = emitter.named(f"add i32 {emitter.named(f'add i32 {size}, {last}')}, {0xFFF - (112 << 23)}")
    normal = emitter.named(f"lshr i32 {up}, 13")
    nan = emitter.named(f"icmp ugt i32 {size}, {0x7F800000}", BOOL)
    endless = emitter.named(f"select i1 {nan}, i32 {0x7E00}, i32 {0x7C00}")
    found = emitter.named(
        f"select i1 {emitter.named(f'icmp ult i32 {size}, {113 << 23}', BOOL)}, i32 {small}, i32 {normal}"
    )
    large = emitter.named(f"icmp uge i32 {size}, {143 << 23}", BOOL)
    found = emitter.named(f"select i1 {large}, i32 {endless}, i32 {found}")
    whole = emitter.named(f"trunc i32 {emitter.named(f'or i32 {found}, {sign}')} to i16", INT16)
    return emitter.instruction(f"bitcast i16 {whole} to half", FLOAT16)


def of_half(emitter: Emitter, x: Value) -> Value:
    """Return a float16 as a float32 where the processor has no instruction for it."""
    whole = emitter.named(f"bitcast half {x.name} to i16", INT16)
    bits = emitter.named(f"zext i16 {whole} to i32")
    sign = emitter.named(f"shl i32 {emitter.named(f'and i32 {bits}, {0x8000}')}, 16")
    size = emitter.named(f"shl i32 {emitter.named(f'and i32 {bits}, {0x7FFF}')}, 13")
    # An exponent that is too small by 112, subnormal numbers included.
    scaled = emitter.named(f"fmul float {float_of(emitter, size).name}, {number(2.0**112, FLOAT32)}", FLOAT32)
    endless = emitter.named(f"or i32 {size}, {0x7F800000}")
    large = emitter.named(f"icmp uge i32 {size}, {0x7C00 << 13}", BOOL)
    found = emitter.named(f"select i1 {large}, i32 {endless}, i32 {bits_of(emitter, Value(scaled, FLOAT32))}")
    return float_of(emitter, emitter.named(f"or i32 {found}, {sign}"))


def float_of(emitter: Emitter, bits: str) -> Value:
    """Return the float32 of some bits."""
    return emitter.instruction(f"bitcast i32 {bits} to float", FLOAT32)


def bits_of(emitter: Emitter, x: Value) -> str:
    """Return the name of the bits of a float32."""
    return emitter.named(f"bitcast float {x.name} to i32")
