"""Hold exported models: what `torch.onnx.export` returns."""

from __future__ import annotations

import os
from typing import Any

from ..structure import named_tensors

#: From so many bytes of weights a model cannot be one file.
_ONE_FILE = 2 << 30


class ONNXProgram:
    """A model in ONNX.

    Parameters
    ----------
    model_proto : onnx.ModelProto
    exported_program : ExportedProgram or None
        What it was made from.

    Attributes
    ----------
    model_proto : onnx.ModelProto
    """

    def __init__(self, model_proto: Any, exported_program: Any = None) -> None:
        self.model_proto = model_proto
        self.exported_program = exported_program
        self._session: Any = None

    @property
    def model(self) -> Any:
        """Return the model."""
        return self.model_proto

    def __repr__(self) -> str:
        graph = self.model_proto.graph
        inputs, outputs = ([v.name for v in values] for values in (graph.input, graph.output))
        return f"ONNXProgram(inputs={inputs}, outputs={outputs}, nodes={len(graph.node)})"

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Run the model by onnxruntime, which must be installed; return a list of tensors."""
        if self._session is None:
            self.initialize_inference_session()
        given = [t for _, t in named_tensors([*args, *kwargs.values()], "")]
        names = [v.name for v in self._session.get_inputs()]
        from ...tensor.interchange import from_numpy

        found = self._session.run(None, {n: t.detach().numpy() for n, t in zip(names, given, strict=True)})
        return [from_numpy(a) for a in found]

    def initialize_inference_session(self, initializer: Any = None) -> None:
        """Load the model into onnxruntime.

        Parameters
        ----------
        initializer : callable, optional
            Makes a session of the model's bytes.
        """
        data = self.model_proto.SerializeToString()
        if initializer is None:
            import onnxruntime

            self._session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        else:
            self._session = initializer(data)

    def release(self) -> None:
        """Let the session go."""
        self._session = None

    def save(
        self, destination: str | os.PathLike[str] | Any, *, include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False, external_data: bool | None = None,
    ) -> None:  # fmt: skip
        """Write the model to a file.

        Parameters
        ----------
        destination : path or binary file
        include_initializers : bool
            Whether the weights are written.
        keep_initializers_as_inputs : bool
            Whether the weights are inputs, too.
        external_data : bool, optional
            Whether the weights are in a second file, ``<destination>.data``; by default where they are too
            many for one.
        """
        import onnx

        model = onnx.ModelProto()
        model.CopyFrom(self.model_proto)
        graph = model.graph
        if keep_initializers_as_inputs or not include_initializers:
            known = {v.name for v in graph.input}
            graph.input.extend(
                onnx.helper.make_tensor_value_info(t.name, t.data_type, t.dims)
                for t in graph.initializer if t.name not in known
            )
        if not include_initializers:
            del graph.initializer[:]
        if hasattr(destination, "write"):
            destination.write(model.SerializeToString())
            return
        path = os.fspath(destination)
        size = sum(len(t.raw_data) for t in graph.initializer)
        if external_data is None:
            external_data = size > _ONE_FILE
        beside = f"{path}.data"
        if os.path.exists(beside) and external_data:
            os.unlink(beside)  # onnx would write behind what is there
        onnx.save(
            model, path, save_as_external_data=bool(external_data and size), all_tensors_to_one_file=True,
            location=os.path.basename(beside), size_threshold=1024,
        )  # fmt: skip
