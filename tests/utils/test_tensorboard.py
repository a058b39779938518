"""What a SummaryWriter writes, TensorBoard's own reader finds."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("tensorboard", reason="pip install tensorboard")

# Loading protobuf and tensorboard warns of what they themselves do.
pytestmark = pytest.mark.filterwarnings("ignore")


def written(folder: Path) -> list[tuple[int, Any]]:
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    (path,) = folder.glob("events*")
    return [(event.step, v) for event in LegacyEventFileLoader(str(path)).Load() for v in event.summary.value]


def pixels(image: Any) -> np.ndarray:
    content = image.encoded_image_string
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    at = content.index(b"IDAT")
    (length,) = struct.unpack(">I", content[at - 4 : at])
    rows = np.frombuffer(zlib.decompress(content[at + 4 : at + 4 + length]), np.uint8)
    return rows.reshape(image.height, -1)[:, 1:].reshape(image.height, image.width, image.colorspace)


def test_scalars_and_texts(tmp_path: Path) -> None:
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", torch.tensor(0.5, requires_grad=True), 3)
        writer.add_scalar("new", 2, 1, new_style=True)
        writer.add_text("note", "hello", 2)
        assert writer.get_logdir() == str(tmp_path)
    loss, new, note = written(tmp_path)
    assert (loss[0], loss[1].tag, loss[1].simple_value) == (3, "loss", 0.5)
    assert (new[0], list(new[1].tensor.float_val)) == (1, [2.0])
    assert (note[1].tag, list(note[1].tensor.string_val)) == ("note/text_summary", [b"hello"])


def test_several_scalars_have_folders(tmp_path: Path) -> None:
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_scalars("both/of", {"a": 1, "b": 2.0}, 1)
    assert written(tmp_path / "both_of_a")[0][1].simple_value == 1.0
    assert written(tmp_path / "both_of_b")[0][1].tag == "both/of"


def test_histograms(tmp_path: Path) -> None:
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_histogram("h", torch.tensor([0.0, 1.0, 2.0, 2.0]), bins=4)
        writer.add_histogram("wide", torch.arange(10.0))
        with pytest.raises(ValueError, match="The input has no element."):
            writer.add_histogram("h", torch.zeros(0))
    (_, found), (_, wide) = written(tmp_path)
    histo = found.histo
    assert (histo.min, histo.max, histo.num, histo.sum, histo.sum_squares) == (0.0, 2.0, 4.0, 5.0, 9.0)
    assert list(histo.bucket_limit) == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert list(histo.bucket) == [0.0, 1.0, 0.0, 1.0, 2.0]
    assert sum(wide.histo.bucket) == 10.0


def test_images(tmp_path: Path) -> None:
    one = torch.arange(12.0).reshape(3, 2, 2) / 11
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_image("float", one)
        writer.add_image("gray", torch.tensor([[0, 255]], dtype=torch.uint8), dataformats="HW")
        writer.add_images("many", torch.stack([one] * 9))
    images = [value.image for _, value in written(tmp_path)]
    assert np.array_equal(pixels(images[0]), (one * 255).permute(1, 2, 0).numpy().astype(np.uint8))
    assert pixels(images[1]).tolist() == [[[0, 0, 0], [255, 255, 255]]]
    assert pixels(images[2]).shape == (4, 16, 3)
    assert not pixels(images[2])[2:, 2:].any()


def test_hyperparameters(tmp_path: Path) -> None:
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1, "name": "x"}, {"accuracy": 0.5}, run_name="run")
        with pytest.raises(TypeError, match="hparam_dict and metric_dict should be dictionary"):
            writer.add_hparams([], {})
    tags = [value.tag for _, value in written(tmp_path / "run")]
    assert tags == [
        "_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info", "accuracy"
    ]  # fmt: skip


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.body = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(8, 8))
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        first, second = (self.body(self.first(x)) * self.scale).chunk(2, 1)
        return first + second, {"more": y + 1}


def graph_in(folder: Path) -> Any:
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    (path,) = folder.glob("events*")
    events = list(LegacyEventFileLoader(str(path)).Load())
    (graph,) = [GraphDef.FromString(event.graph_def) for event in events if event.graph_def]
    assert [event.tagged_run_metadata.tag for event in events if event.HasField("tagged_run_metadata")] == [
        "step1"
    ]
    return graph


def test_a_graph_has_a_node_for_each_function(tmp_path: Path, capsys: Any) -> None:
    net = Net()
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_graph(net, (torch.randn(2, 4), torch.ones(3)), verbose=True)
    nodes = {node.name: node for node in graph_in(tmp_path).node}
    assert list(nodes["Net/Sequential[body]/Linear[2]/linear"].input) == [
        "Net/Sequential[body]/Dropout[1]/dropout", "Net/Sequential[body]/Linear[2]/weight",
        "Net/Sequential[body]/Linear[2]/bias",
    ]  # fmt: skip
    made = nodes["Net/chunk"]
    assert made.op == "aten::chunk"
    assert [[d.size for d in s.dim] for s in made.attr["_output_shapes"].list.shape] == [[2, 4], [2, 4]]
    assert nodes["Net/scale"].op == "prim::GetAttr"
    assert [list(nodes[f"output/output{n}"].input) for n in ("", "_1")] == [["Net/add"], ["Net/add_1"]]
    known: set[str] = set()
    for name, node in nodes.items():
        assert known.issuperset(node.input)
        known.add(name)
    assert "Net/add = aten::add(Net/chunk, Net/chunk)" in capsys.readouterr().out
    assert net.training
    assert net.body.training
    assert not net.first._forward_hooks


def test_a_model_that_cannot_be_called_has_no_graph(tmp_path: Path) -> None:
    net = Net()
    with torch.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        with pytest.raises(RuntimeError, match="shapes cannot be multiplied") as caught:
            writer.add_graph(net, [torch.ones(2, 3), torch.ones(1)])
    assert "Error occurs, No graph saved" in caught.value.__notes__
    assert net.training
    assert not net.first._forward_pre_hooks


def test_records_for_who_writes_files_alone() -> None:
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    from pullback.utils.tensorboard import summary

    records = summary.hparams(
        {"rate": 0.1, "kind": "adam", "fast": True, "none": None}, {"loss": 0},
        {"rate": [0.1, 0.2], "kind": ["adam", "sgd"]},
    )  # fmt: skip
    experiment, start, end = (
        HParamsPluginData.FromString(r.value[0].metadata.plugin_data.content) for r in records
    )
    domains = {i.name: list(i.domain_discrete) for i in experiment.experiment.hparam_infos}
    assert domains == {"rate": [0.1, 0.2], "kind": ["adam", "sgd"], "fast": []}
    assert [m.name.tag for m in experiment.experiment.metric_infos] == ["loss"]
    values = start.session_start_info.hparams
    assert (values["rate"].number_value, values["kind"].string_value) == (0.1, "adam")
    assert set(values) == {"rate", "kind", "fast"}
    assert end.HasField("session_end_info")
    assert summary.scalar("a", torch.tensor(1.5)).value[0].simple_value == 1.5
    assert summary.histogram("h", torch.tensor([1.0, 2.0, 2.0]), "auto").value[0].histo.num == 3
    assert summary.text("t", "hello").value[0].tensor.string_val == [b"hello"]
    assert summary.image("i", torch.ones(1, 3, 2, 2)).value[0].image.height == 2


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((), TypeError, "parameter: hparam_dict should be a dictionary, nothing logged."),
        (({}, []), TypeError, "parameter: metric_dict should be a dictionary, nothing logged."),
        (
            ({}, {}, [1]), TypeError,
            "parameter: hparam_domain_discrete should be a dictionary, nothing logged.",
        ),
        (
            ({"a": 1}, {}, {"a": ["x"]}), TypeError,
            "parameter: hparam_domain_discrete[a] should be a list of same type as hparam_dict[a].",
        ),
        (({"a": [1]}, {}), ValueError, "value should be one of int, float, str, bool, or torch.Tensor"),
    ],
)  # fmt: skip
def test_wrong_hyperparameters(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    from pullback.utils.tensorboard import summary

    with pytest.raises(error) as seen:
        summary.hparams(*arguments)
    assert str(seen.value) == text
