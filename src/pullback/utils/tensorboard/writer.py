"""Define `SummaryWriter`: a folder of event files that TensorBoard shows."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from . import summary


class FileWriter:
    """Write records to one event file, of which up to `max_queue` wait to be written every `flush_secs`."""

    def __init__(
        self, log_dir: str, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""
    ) -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """Return the folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Write an event."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Write a record."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Have all records in the file."""
        self.event_writer.flush()

    def close(self) -> None:
        """End the file."""
        self.event_writer.close()


class SummaryWriter:
    """Write down scalars, histograms, images, texts and hyperparameters for TensorBoard.

    Parameters
    ----------
    log_dir : str, optional
        ``runs/<time>_<host><comment>`` by default.
    comment : str
    purge_step : int, optional
        The step from which on TensorBoard is to forget what an earlier run wrote.
    max_queue, flush_secs, filename_suffix
        See `FileWriter`.
    """

    def __init__(
        self, log_dir: Any = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10,
        flush_secs: int = 120, filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            began = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{began}_{socket.gethostname()}{comment}")
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self._options = (max_queue, flush_secs, filename_suffix)
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._file()

    def _file(self) -> FileWriter:
        if self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, *self._options)
            self.all_writers = {self.log_dir: self.file_writer}
            if self.purge_step is not None:
                step = self.purge_step
                self.file_writer.add_event(Event(step=step, file_version="brain.Event:2"), step)
                self.file_writer.add_event(
                    Event(step=step, session_log=SessionLog(status=SessionLog.START)), step
                )
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> str:
        """Return the folder."""
        return self.log_dir

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: Any = None, walltime: float | None = None,
        new_style: bool = False, double_precision: bool = False,
    ) -> None:
        """Write a number.

        Parameters
        ----------
        tag : str
            Its name; those with the same text before a slash are shown together.
        scalar_value : number or Tensor
            Of one element.
        global_step : int, optional
        walltime : float, optional
            The time to tell, now by default.
        new_style, double_precision : bool
            Whether it is written as a tensor, and in float64.
        """
        record = summary.scalar(tag, scalar_value, None, new_style, double_precision)
        self._file().add_summary(record, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Write several numbers that are shown in one plot, each to a folder of its own."""
        base = self._file().get_logdir()
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(base, f"{main_tag.replace('/', '_')}_{tag}")
            writers = self.all_writers if self.all_writers is not None else {}
            if folder not in writers:
                writers[folder] = FileWriter(folder, *self._options)
            writers[folder].add_summary(summary.scalar(main_tag, value), global_step, walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: Any = None, bins: Any = "tensorflow",
        walltime: float | None = None, max_bins: int | None = None,
    ) -> None:
        """Write how values are distributed.

        Parameters
        ----------
        tag : str
        values : Tensor or array
        global_step : int, optional
        bins : str, int or sequence
            ``"tensorflow"`` or what `numpy.histogram` takes.
        max_bins : int, optional
        """
        self._file().add_summary(summary.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Write an image; its values are from 0 to 1, or uint8.

        Parameters
        ----------
        tag : str
        img_tensor : Tensor or array
        global_step : int, optional
        dataformats : str
            The order of its dimensions: ``"CHW"``, ``"HWC"``, ``"HW"``.
        """
        self._file().add_summary(summary.image(tag, img_tensor, 1, dataformats), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Write several images as a grid of eight columns."""
        self._file().add_summary(summary.image(tag, img_tensor, 1, dataformats), global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Write a figure of matplotlib, or several as a grid.

        Parameters
        ----------
        tag : str
        figure : matplotlib.figure.Figure or list
        global_step : int, optional
        close : bool
            Whether to close it then.
        """
        from matplotlib import pyplot as plt
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figures = figure if isinstance(figure, list) else [figure]
        pixels = []
        for each in figures:
            canvas = FigureCanvasAgg(each)
            canvas.draw()
            pixels.append(np.asarray(canvas.buffer_rgba())[..., :3])
            if close:
                plt.close(each)
        if isinstance(figure, list):
            self.add_images(tag, np.stack(pixels), global_step, walltime, "NHWC")
        else:
            self.add_image(tag, pixels[0], global_step, walltime, "HWC")

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Write a text, which is shown as Markdown."""
        self._file().add_summary(summary.text(tag, text_string), global_step, walltime)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Write the graph of a model: the functions that one call of it makes, by the modules they are in.

        Parameters
        ----------
        model : Module
            Called once, in evaluation mode.
        input_to_model : Tensor, tuple, list or dict
            What it is called with: one argument, several, or named ones.
        verbose : bool
            Whether the graph is printed.
        use_strict_trace : bool
            Taken for torch's sake.
        """
        from . import graphs

        found, device = graphs.graph(model, () if input_to_model is None else input_to_model, verbose)
        file = self._file()
        file.add_event(Event(graph_def=found.SerializeToString()))
        run = TaggedRunMetadata(tag="step1", run_metadata=device.SerializeToString())
        file.add_event(Event(tagged_run_metadata=run))

    def add_hparams(
        self, hparam_dict: Mapping[str, Any], metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Any = None, run_name: str | None = None, global_step: Any = None,
    ) -> None:
        """Write hyperparameters and what came of them, as a run in a folder of its own.

        Parameters
        ----------
        hparam_dict : mapping
            Of strings and numbers.
        metric_dict : mapping
            Of numbers.
        hparam_domain_discrete : mapping, optional
            Lists of all the values that hyperparameters may have.
        run_name : str, optional
            The folder's name, the time by default.
        global_step : int, optional
        """
        if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        folder = os.path.join(self._file().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as run:
            for record in summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete):
                run._file().add_summary(record, global_step)
            for name, value in metric_dict.items():
                run.add_scalar(name, value, global_step)

    def flush(self) -> None:
        """Have all records in the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """End the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
