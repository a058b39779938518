"""What libraries import beside torch's public names, and what it does here."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pytest

import pullback as torch
from pullback import hub, library, onnx, types
from pullback._C import DispatchKey, DispatchKeySet
from pullback._C._functorch import is_batchedtensor
from pullback._dynamo.utils import is_compile_supported
from pullback.ao.quantization import DeQuantStub, QuantStub
from pullback.onnx import symbolic_helper
from pullback.torch_names import conditions as checks


@pytest.mark.parametrize(
    ("check", "arguments", "error", "text"),
    [
        ("_check", (False, lambda: "hi"), RuntimeError, "hi"),
        ("_check", (False,), RuntimeError,
         ("Expected cond to be True, but got False. (Could this error message be improved? If so, please "
         "report an enhancement request to PyTorch.)")),
        ("_check", (1,), TypeError, "cond must be a bool, but got <class 'int'>"),
        ("_check", (False, "x"), TypeError, "message must be a callable"),
        ("_check", (torch.tensor(True),), TypeError,
         ("cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to "
         "assert that all elements are true.")),
        ("_check_index", (False, lambda: "i"), IndexError, "i"),
        ("_check_value", (False, lambda: "v"), ValueError, "v"),
        ("_check_type", (False, lambda: "t"), TypeError, "t"),
        ("_check_not_implemented", (False, lambda: "n"), NotImplementedError, "n"),
        ("_check_tensor_all", (torch.tensor([True, False]), lambda: "all"), RuntimeError, "all"),
        ("_check_tensor_all", (True,), TypeError, "cond must be a tensor, but got <class 'bool'>"),
    ],
)  # fmt: skip
def test_conditions(check: str, arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        getattr(torch, check)(*arguments)
    assert str(caught.value) == text


def test_conditions_that_hold() -> None:
    checks._check(True, "not asked for")  # type: ignore[arg-type]  # as in torch
    checks._check_tensor_all(torch.ones(2, dtype=torch.bool))
    with pytest.warns(FutureWarning, match="_check_is_size will be removed"):
        checks._check_is_size(3)


def test_stubs_of_quantization_hand_their_input_on() -> None:
    x = torch.ones(2)
    assert DeQuantStub()(QuantStub("fbgemm")(x)) is x
    with pytest.raises(AttributeError, match="pullback has no quantized tensors"):
        torch.ao.quantization.prepare  # the test's point


def test_an_extension_that_cannot_be_loaded() -> None:
    with pytest.raises(OSError, match="Could not load this library: lib.so"):
        torch.ops.load_library("lib.so")

    def shapes(x: Any) -> Any:
        return x

    assert library.register_fake("an_extension::op")(shapes) is shapes
    library.define("a_library::known", "(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="operator a_library::unknown does not exist"):
        library.register_fake("a_library::unknown")(shapes)


def test_sets_of_dispatch_keys() -> None:
    both = DispatchKeySet(DispatchKey.AutocastCPU) | DispatchKeySet(DispatchKey.AutocastCUDA)
    assert both.has(DispatchKey.AutocastCPU)
    assert not both.has(DispatchKey.Meta)
    assert both - DispatchKeySet(DispatchKey.AutocastCUDA) == DispatchKeySet(DispatchKey.AutocastCPU)
    assert both & DispatchKeySet(DispatchKey.AutocastCPU) == DispatchKeySet(DispatchKey.AutocastCPU)
    assert len({both, both | both}) == 1


def test_declarations_that_nothing_reads() -> None:
    assert symbolic_helper.parse_args("v")(len) is len
    onnx.register_custom_op_symbolic("vision::nms", len, 11)
    onnx.unregister_custom_op_symbolic("vision::nms", 11)
    assert torch.jit._overload_method(len) is len
    assert torch.jit._script_if_tracing(len) is len


def test_records_of_a_checkpoint(tmp_path: Path) -> None:
    torch.save({"a": torch.arange(3.0)}, tmp_path / "a.pt")
    reader = torch.PyTorchFileReader(str(tmp_path / "a.pt"))
    assert {"data.pkl", "data/0", "version", "byteorder"} <= set(reader.get_all_records())
    assert reader.has_record("data/0")
    assert not reader.has_record("data/1")
    assert reader.get_record("version") == b"3\n"
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed locating file x: file not found"):
        reader.get_record("x")
    with pytest.raises(RuntimeError, match="open file failed because of errno 2 on fopen"):
        torch.PyTorchFileReader(str(tmp_path / "nowhere"))


def test_numbers_of_a_parameter_without_recording() -> None:
    p = torch.nn.Parameter(torch.ones(2))
    with torch.no_grad():
        assert p.view(-1).numpy().tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        p.numpy()


def test_a_grid_of_processes_needs_a_group() -> None:
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        torch.distributed.device_mesh.DeviceMesh("cpu", [0])


def test_names() -> None:
    found = hub.HASH_REGEX.search("resnet18-f37072fd.pth")
    assert found is not None
    assert found.group(1) == "f37072fd"
    assert hub.get_dir() == f"{hub._get_torch_home()}/hub"
    assert is_compile_supported("cpu")
    assert not is_compile_supported("cuda")
    assert types._device is torch.device
    assert isinstance(torch.jit, ModuleType)
    assert torch._shape_as_tensor(torch.ones(2, 3)).tolist() == [2, 3]


def test_a_sparse_tensor_of_a_size_alone() -> None:
    assert torch.sparse_coo_tensor(size=(2, 3)).to_dense().tolist() == [[0.0] * 3] * 2
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        torch.sparse_coo_tensor()


def test_names_of_torchs_own_ops() -> None:
    add = torch.ops.aten.add
    assert (str(add), str(add.Tensor)) == ("aten.add", "aten.add.Tensor")
    assert add.Tensor.name() == "aten::add.Tensor"
    assert torch.ops.aten.clone.default.name() == "aten::clone"
    assert {add.Tensor: 1}[torch.ops.aten.add.Tensor] == 1
    assert add.Tensor(torch.ones(2), torch.ones(2), alpha=2).tolist() == [3.0, 3.0]
    with pytest.raises(AttributeError, match="'_OpNamespace' 'aten' object has no attribute '_no_such_op'"):
        torch.ops.aten._no_such_op(torch.ones(2))
    with pytest.raises(NotImplementedError, match="is a name alone"):
        torch.ops.aten._fw_primal(torch.ones(2), 1)


def test_classes_that_have_no_instances() -> None:
    assert not isinstance(3, (torch.SymInt, torch.SymFloat, torch.SymBool))
    with pytest.raises(NotImplementedError, match="sizes are numbers"):
        torch.SymInt(3)
    assert torch._subclasses.fake_tensor.is_fake(torch.ones(1)) is False


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((torch.tensor(0.0),), "Expected Tensor with single nonzero value, but got zero"),
        ((torch.tensor(0.0), "message"), "message"),
        ((torch.tensor([1, 2]),), "Boolean value of Tensor with more than one value is ambiguous"),
        ((torch.tensor([]),), "Boolean value of Tensor with no values is ambiguous"),
    ],
)
def test_assertions(arguments: tuple[Any, ...], text: str) -> None:
    torch._assert_async(torch.tensor(1))
    torch._assert(True, "")
    with pytest.raises(RuntimeError, match=text):
        torch._assert_async(*arguments)
    with pytest.raises(AssertionError, match="message"):
        torch._assert(False, "message")


def test_parts_of_texts() -> None:
    text = torch._tensor_str
    assert text._tensor_str(torch.ones(2, 3), 8) == "[[1., 1., 1.],\n         [1., 1., 1.]]"
    assert text._add_suffixes("x", ["a", "b"], 7, True) == "x,\n       a, b)"
    assert text._str(torch.ones(1)) == "tensor([1.])"
    assert text.PRINT_OPTS.edgeitems == 3


def test_what_transforms_run() -> None:
    seen = []

    def function(x: Any) -> Any:
        seen.append((is_batchedtensor(x), torch._C._are_functorch_transforms_active()))
        return x * 2

    torch.func.vmap(function)(torch.ones(3))
    assert seen == [(True, True)]
    assert not torch._C._are_functorch_transforms_active()
    x = torch.ones(4)
    assert torch._C._is_alias_of(x, x[1:]) and not torch._C._is_alias_of(x, x.clone())


def test_modules_that_answer_questions() -> None:
    assert "BLAS" in torch.__config__.show()
    assert "get_num_threads" in torch.__config__.parallel_info()
    assert torch.torch is torch
    assert not torch.distributed.rpc.is_available()
    assert torch.Future is torch.futures.Future


def test_hooks_of_one_tensor_see_the_same_gradient() -> None:
    """As in torch, where one hook may leave an attribute for another."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    seen: list[int] = []
    y.register_hook(lambda g: setattr(g, "mark", 7))
    y.register_hook(lambda g: seen.append(g.mark))
    y.grad_fn.register_prehook(lambda gs: seen.append(gs[0].mark))
    y.sum().backward()
    assert seen == [7, 7]


def test_reductions_as_numbers() -> None:
    reduction = torch.nn._reduction
    assert [reduction.get_enum(name) for name in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        reduction.get_enum("x")
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert reduction.legacy_get_string(False, None) == "sum"
    assert reduction.legacy_get_enum(True, False, emit_warning=False) == 0


def test_tensors_by_device_and_dtype() -> None:
    group = torch.utils._foreach_utils._group_tensors_by_device_and_dtype
    a, b, c = torch.ones(1), torch.ones(1, dtype=torch.float64), torch.ones(2)
    groups = group([[a, b, c], [None, b, None]], with_indices=True)
    cpu = torch.device("cpu")
    assert groups == {
        (cpu, torch.float32): ([[a, c], [None, None]], [0, 2]),
        (cpu, torch.float64): ([[b], [b]], [1]),
    }


def test_what_is_for_several_processes_or_gpus() -> None:
    @torch.cuda.nvtx.range("a name")
    def marked() -> None:
        """Runs under a mark."""

    with pytest.raises(RuntimeError, match="NVTX functions not installed"):
        marked()
    assert torch.utils.cpp_extension.CUDA_HOME is None
    with pytest.raises(RuntimeError, match="an extension in C\\+\\+ or CUDA needs torch's C\\+\\+ library"):
        torch.utils.cpp_extension.load("name", ["file.cu"])
    distributed = torch.distributed
    assert distributed._tensor.DTensor is distributed.tensor.DTensor
    before = importlib.import_module(f"{distributed._tensor.__name__}.experimental")
    assert before.implicit_replication is distributed.tensor.experimental.implicit_replication
    assert distributed._composable.fsdp.MixedPrecisionPolicy().param_dtype is None
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        distributed.fsdp.fully_shard(torch.nn.Linear(1, 1))
    with distributed.tensor.experimental.implicit_replication():
        assert distributed.elastic.multiprocessing.errors.record(len)("ab") == 2
    assert not distributed.autograd.is_available()
    assert torch.cuda.amp.common.amp_definitely_not_available()


def test_quantized_dtypes_are_names() -> None:
    assert (str(torch.qint8), torch.qint32.itemsize) == ("torch.qint8", 4)
    assert torch.ones(1).dtype not in (torch.quint8, torch.quint4x2, torch.quint2x4)
    with pytest.raises(NotImplementedError, match="torch.qint8 is a name alone"):
        torch.ones(2, dtype=torch.qint8)
    with pytest.raises(TypeError, match="No constructor defined"):
        torch.DeviceObjType()


def test_annotations_of_a_loss_can_be_evaluated() -> None:
    hints = get_type_hints(torch.nn.CrossEntropyLoss(), {}, {})
    assert hints == {"ignore_index": int, "label_smoothing": float}
    assert get_type_hints(torch.nn.ReLU(), {}, {}) == {"inplace": bool}
    classes = [c for c in vars(torch.nn.modules.activation).values() if isinstance(c, type)]
    assert len(set(classes)) == len(classes)


def test_a_pass_over_a_loader_of_a_librarys_own() -> None:
    loading = torch.utils.data.dataloader

    class Loader:
        """What fastai hands over in place of a `DataLoader`."""

        dataset = ["a", "b"]
        generator = _IterableDataset_len_called = None
        pin_memory = _auto_collation = drop_last = False
        num_workers = timeout = 0
        _dataset_kind = loading._DatasetKind.Iterable
        _index_sampler = range(9)

        @staticmethod
        def collate_fn(sample: str) -> str:
            return sample.upper()

    assert list(loading._SingleProcessDataLoaderIter(Loader())) == ["A", "B"]


def test_operands_of_einsum_are_seen_one_by_one() -> None:
    seen = []

    class Watched(torch.Tensor):
        """Notes the functions that are called with it."""

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append((func, len(args)))
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2, 2).as_subclass(Watched)
    for operands in ((x, x), [[x, x]]):
        torch.einsum("ij,jk->ik", *operands)
    assert seen == [(torch.einsum, 3)] * 2


def test_parameters_of_classes_with_arguments_of_their_own() -> None:
    class Named(torch.nn.Parameter):
        """A parameter with a name, as geoopt's have a manifold."""

        def __new__(cls, data: Any, name: str = "") -> Any:
            made = super().__new__(cls, data)
            made.own_name = name
            return made

    assert Named(torch.ones(2), name="a").own_name == "a"


def test_a_tensor_of_a_module_exchanged() -> None:
    accessor = importlib.import_module("pullback.nn.utils._named_member_accessor")
    swap, missing = accessor.swap_tensor, accessor._MISSING
    layer, new = torch.nn.Linear(2, 1), torch.ones(1, 2)
    weight = layer.weight
    assert swap(layer, "weight", new) is weight and layer._parameters["weight"] is new
    assert swap(layer, "bias", None) is not None and layer.bias is None
    assert swap(layer, "weight", missing) is new and not hasattr(layer, "weight")
    assert swap(layer, "scale", new, allow_missing=True) is missing and layer.scale is new
    for name, tensor, error, text in (
        ("a.b", new, KeyError, 'tensor name can\\\\\'t contain "."'), ("", new, KeyError, "empty string"),
        ("scale", 3, TypeError, "3 is not an instance of torch.Tensor"),
        ("shape", new, AttributeError, "Linear has no attribute `shape`"),
        ("training", new, TypeError, "attribute `training`: True is not an instance of torch.Tensor"),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            swap(layer, name, tensor)


def test_names_that_tensordict_asks_for() -> None:
    assert torch._guards.active_fake_mode() is None
    assert torch._utils._get_available_device_type() is None
    assert torch._utils._get_device_module("cpu") is torch.cpu
    with pytest.raises(RuntimeError, match="Device 'npu' does not have a corresponding module registered"):
        torch._utils._get_device_module("npu")
    assert not isinstance(len, torch._ops.HigherOrderOperator)
    assert isinstance(torch.ones(1).untyped_storage(), torch.StorageBase)
    assert not torch.utils._python_dispatch.is_traceable_wrapper_subclass(torch.ones(1))
    assert not torch._C._is_torch_function_mode_enabled() and not torch._C._is_tracing()
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        assert forward._current_level == 0
    assert forward._current_level == -1
    with torch.backends.__dict__["__allow_nonbracketed_mutation"]():
        assert not torch.cuda._initialized
    hooks = torch.nn.modules.module._global_parameter_registration_hooks
    handle = torch.nn.modules.module.register_module_parameter_registration_hook(lambda *_: None)
    assert len(hooks) == 1
    handle.remove()
