"""Record what torch gives for expressions on dtypes, devices and sizes as tests/data/basics.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_basics``.
"""

from __future__ import annotations

import torch
from tests.recorded import outcome, save

NAMES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64", "complex64", "complex128",
]
ALIASES = ["half", "float", "double", "short", "int", "long", "cfloat", "cdouble"]
HALVES = ["float16", "bfloat16"]

DTYPES = [
    *(f"torch.{name}" for name in NAMES + ALIASES),
    *(
        f"torch.{name}.{attribute}"
        for name in NAMES
        for attribute in ("itemsize", "is_floating_point", "is_complex", "is_signed", "abbr", "to_real()")
    ),
    *(f"torch.{name}.to_complex()" for name in NAMES if name != "float16"),
    *(f"pickle.loads(pickle.dumps(torch.{name})) is torch.{name}" for name in NAMES),
    *(f"copy.deepcopy(torch.{name}) is torch.{name}" for name in NAMES),
    "torch.dtype", "torch.dtype.__module__", "torch.dtype.__qualname__", "str(torch.float32)",
    "torch.dtype()", "torch.dtype('float32')", "torch.float32 == torch.float",
    "torch.float32 != torch.float64", "torch.float32 == 'float32'",
    "len({torch.float32, torch.float, torch.int32})", "setattr(torch.float32, 'itemsize', 1)",
    "setattr(torch.float32, 'another', 1)", "delattr(torch.float32, 'itemsize')",
    "type('x', (torch.dtype,), {})",
    # The default dtype.
    "torch.get_default_dtype()",
    *(
        f"(torch.set_default_dtype({given}), torch.get_default_dtype())"
        for given in (
            "torch.float64", "torch.float16", "torch.bfloat16", "torch.float32", "torch.int32",
            "torch.bool", "torch.complex64", "'float32'", "float", "None",
        )
    ),
    "torch.set_default_dtype()", "torch.set_default_dtype(d=torch.float64)",
    # Promotion: the arguments (the table itself is in promotion.json).
    "torch.promote_types(torch.float32, int)", "torch.promote_types(bool, torch.int8)",
    "torch.promote_types(float, complex)", "torch.promote_types(type1=torch.float32, type2=torch.int8)",
    "torch.promote_types(1, 2)", "torch.promote_types(None, torch.int8)",
    "torch.promote_types(torch.float32, 'a')", "torch.promote_types(np.float32(1), torch.int8)",
    "torch.promote_types(Plain(), torch.int8)", "torch.promote_types(str, torch.int8)",
    "torch.can_cast(torch.float32, torch.int8)", "torch.can_cast(from_=torch.int8, to=torch.float32)",
    "torch.can_cast(1, 2)", "torch.can_cast(torch.float32, 2)",
    # Limits.
    *(f"torch.finfo(torch.{name})" for name in NAMES),
    *(
        f"torch.finfo(torch.{name}).{attribute}"
        for name in NAMES[9:]
        for attribute in ("bits", "max", "min", "eps", "tiny", "smallest_normal", "resolution", "dtype")
    ),
    *(f"torch.iinfo(torch.{name})" for name in NAMES),
    *(
        f"torch.iinfo(torch.{name}).{attribute}"
        for name in NAMES[1:9]
        for attribute in ("bits", "max", "min", "dtype")
    ),
    "torch.finfo()", "torch.finfo(float)", "torch.finfo(int)", "torch.finfo(type=torch.float16)",
    "torch.finfo('float32')", "torch.finfo(None)", "torch.iinfo(int)", "torch.iinfo(bool)",
    "torch.iinfo(type=torch.int8)", "torch.iinfo(3)", "torch.iinfo(None)", "torch.finfo", "torch.iinfo",
    "torch.finfo(torch.float32) == torch.finfo(torch.float32)",
    "torch.finfo(torch.float32) == torch.finfo(torch.complex64)",
    "torch.finfo(torch.float32) != torch.finfo(torch.float64)",
    "torch.iinfo(torch.int8) == torch.iinfo(torch.int8)",
    "torch.iinfo(torch.int8) == torch.iinfo(torch.int16)",
    "torch.iinfo(torch.int8) == torch.finfo(torch.float16)", "torch.finfo(torch.float32) == 3",
    "setattr(torch.finfo(torch.float32), 'max', 1)", "setattr(torch.iinfo(torch.int8), 'another', 1)",
    "delattr(torch.iinfo(torch.int8), 'max')",
]

# The error for NumPy dtypes that torch has no tensors of; the test calls from_numpy_dtype.
NUMPY_DTYPES = [
    "object", "U3", "S3", "longdouble", "clongdouble", "datetime64[s]", "timedelta64[s]", "V4", "f4,i4",
    ">f4", ">i8",
]

DEVICE_STRINGS = [
    "cpu", "cpu:0", "cpu:1", "cuda", "cuda:1", "cuda:127", "meta", "meta:0", "mps", "xpu:1", "hip", "xla",
    "hpu", "mtia", "ipu", "ve", "fpga", "maia", "lazy", "vulkan", "ideep", "opengl", "opencl", "mkldnn",
    "privateuseone:3", "", "CPU", "foo", "foo:1", "foo:x", "gpu", "cp_u", "cpu1", "cpu:", "cpu:a", "cpu:01",
    "cpu:-1", "cpu:+1", "cuda:00", "cuda:0x", "cuda:1:2", "cuda:-1", ":1", ":", "cpu 0", " cpu", "cpu ",
    "cpu\n", "cpu:1\n", "cpu:¹", "çpu", "cpu:2147483648", "cuda:99999999999", "foo:99999999999",
]

DEVICES = [
    *(f"torch.device({text!r})" for text in DEVICE_STRINGS),
    *(
        f"torch.device({given})"
        for given in (
            "'cuda', 1", "'cuda', 0", "'cpu', None", "'cuda:1', 1", "'cuda:1', None", "'cpu:x', 1", "'', 1",
            "'foo', 1", "'foo', -1", "'cuda', -1", "'cpu', 'a'", "'cpu', 1.5", "'cpu', True",
            "'cpu', Index()", "'cpu', np.int64(1)", "'cpu', 1, 2", "'cpu', index=0", "'cpu', index='a'",
            "'cpu', other=1", "'cpu', type='cpu'", "'cpu', 1, index=1", "0", "1", "-1", "-2", "True", "1.0",
            "None", "", "[1]", "(1, 'a', [2])", "(1,)", "()", "[]", "{}", "int", "torch.float32",
            "torch.Size([1])", "torch.finfo(torch.half)", "np.int64(1)", "np.float32(1)", "np.ones(2)",
            "Plain()", "1 << 40", "type='cuda', index=2", "type='cuda', index=None", "index=1, type='cuda'",
            "type='cuda'", "type='cuda:1'", "device='cuda:3'", "device=torch.device('cpu')", "device=1",
            "device='cpu', index=1", "device='cpu', type='cpu'", "index=2", "other=3", "type=3",
            "type=None", "index='a', type='cpu'", "index=1, type=3", "torch.device('cuda:1')",
            "torch.device('cuda'), 1", "torch.device('cuda'), index=1", "True, 1", "1, 1", "None, None",
        )
    ),
    *(
        f"{what}(torch.device({text!r}))"
        for what in ("str", "repr", "(lambda d: d.type)", "(lambda d: d.index)")
        for text in ("cpu", "cpu:0", "cuda:1")
    ),
    "torch.device", "torch.device.__module__", "type('x', (torch.device,), {})",
    "torch.device('cuda:1') == torch.device('cuda', 1)", "torch.device('cpu') == torch.device('cpu:0')",
    "torch.device('cpu') == 'cpu'", "torch.device('cpu') != torch.device('cuda')",
    "hash(torch.device('cuda:1')) == hash(torch.device('cuda', 1))",
    "pickle.loads(pickle.dumps(torch.device('cuda:1')))", "pickle.loads(pickle.dumps(torch.device('cpu')))",
    "copy.deepcopy(torch.device('cuda:1'))", "setattr(torch.device('cpu'), 'type', 'cuda')",
    "setattr(torch.device('cpu'), 'another', 1)", "delattr(torch.device('cpu'), 'type')",
]

# What the device argument of a creation function gives: the test calls as_device.
AS_DEVICE = [
    "'cpu'", "'cpu:0'", "'cpu:3'", "torch.device('cpu', 1)", "None", "'cuda'", "'cuda:1'",
    "torch.device('cuda')", "'xpu'", "'hip'", "'fpga'", "0", "-1", "np.int64(0)", "'foo'", "''", "'cpu:x'",
    "1.5", "True", "[1]", "torch.float32", "Plain()", "int",
]

OPERANDS = [
    "1", "1.5", "True", "-1", "0", "None", "'a'", "{}", "range(2)", "(1,)", "()", "[1]", "('a',)", "(1.5,)",
    "s", "np.int64(2)", "Plain()", "Index()", "np.array([1, 2, 3])",
]

SIZES = [
    *(
        f"torch.Size({given})"
        for given in (
            "", "()", "[]", "[2, 3]", "(2, 3)", "3", "None", "[1.5]", "[2, 1.5]", "['a']", "'12'", "[None]",
            "[True]", "[-1]", "[np.int64(3)]", "[np.uint8(200)]", "[np.float32(3)]", "[np.bool_(True)]",
            "[Index()]", "[Plain()]", "[2j]", "[[1]]", "[(1,)]", "[2**63 - 1]", "np.array([1, 2])",
            "(i for i in range(3))", "range(3)", "{3: 1}", "{3}", "torch.Size([1])", "[1], [2]", "1, 2",
            "a=1", "iterable=[1]", "[torch.float32]",
        )
    ),
    *(f"(lambda s: s + {other})(torch.Size([2, 3, 4]))" for other in OPERANDS),
    *(f"(lambda s: {other} + s)(torch.Size([2, 3, 4]))" for other in OPERANDS),
    *(f"(lambda s: s * {other})(torch.Size([2, 3, 4]))" for other in OPERANDS),
    *(f"(lambda s: {other} * s)(torch.Size([2, 3, 4]))" for other in OPERANDS if other != "np.int64(2)"),
    *(
        f"torch.Size([2, 3, 4]){what}"
        for what in (
            ".numel()", "[0]", "[-1]", "[5]", "['a']", "[:2]", "[::2]", "[::-1]", "[3:]", "[Index():]",
            "[1:][0]", " == (2, 3, 4)", " == [2, 3, 4]", " != (2, 3)", " < (3,)", ".index(3)", ".count(3)",
            "[np.int64(1)]",
        )
    ),
    "torch.Size([]).numel()", "torch.Size([0, 3]).numel()", "torch.Size([2**40, 2**10]).numel()",
    "type(torch.Size([Index()])[0])", "type(torch.Size([True])[0])", "torch.Size", "torch.Size.__module__",
    "torch.Size.__mro__", "hash(torch.Size([2, 3])) == hash((2, 3))", "str(torch.Size([2, 3]))",
    "'{}'.format(torch.Size([2, 3]))", "'%s' % (torch.Size([2]),)",
    "sum([torch.Size([1]), torch.Size([2])], ())", "pickle.loads(pickle.dumps(torch.Size([2, 3])))",
    "pickle.loads(pickle.dumps(torch.Size([]), 2))", "copy.copy(torch.Size([2, 3]))",
    "copy.deepcopy(torch.Size([2, 3]))", "type('x', (torch.Size,), {})", "tuple(torch.Size([2, 3]))",
    "list(torch.Size([2, 3]))", "np.zeros(torch.Size([2, 3])).shape", "np.array(torch.Size([2, 3]))",
    "torch.Size[int]", "isinstance(torch.Size([1]), tuple)",
]


def recorded(expressions: list[str]) -> dict[str, list[str]]:
    """What torch gives for each expression, from torch's initial state each time."""
    results = {}
    for expression in expressions:
        results[expression] = outcome(expression, torch)
        torch.set_default_dtype(torch.float32)
    return results


def main() -> None:
    """Write the data file."""
    made = {text: f"torch.from_numpy(np.zeros(1, {text!r}))" for text in NUMPY_DTYPES}
    put = {text: f"torch.zeros(1, device={text}).device" for text in AS_DEVICE}
    put |= {text: f"torch.tensor(1.0, device={text}).device" for text in ("'hip'", "'fpga'")}
    save("basics", {
        "torch": torch.__version__,
        "dtypes": recorded(DTYPES),
        "numpy_dtypes": {text: outcome(call, torch) for text, call in made.items()},
        "devices": recorded(DEVICES),
        "as_device": {text: outcome(call, torch) for text, call in put.items()},
        "sizes": recorded(SIZES),
    })


if __name__ == "__main__":
    main()
