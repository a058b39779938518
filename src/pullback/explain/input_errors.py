"""Judge errors of wrong input: shapes that do not fit, other dtypes, labels that are no class, one sample.

torch's message says which check failed. What is added is what that means for the program: which tensors stand
on the line, of which shape and dtype, and what is usually meant.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from ..core.blame import Place
from ..core.value import TensorBase, dtype_of, shape_of
from ..nn.modules.module import Module
from .answer import Answer
from .carried import loops_around
from .failure import Raised
from .scene import Scene, paths_in, place_in, tree_of

#: Tensors of a line that are named.
MOST_NAMED = 6

#: What an error of torch's holds: (a part of its message, kind, cause, mend).
MEANINGS: tuple[tuple[str, str, str, str], ...] = (
    ("Expected more than 1 value per channel when training", "batch of one sample",
     ("Batch norm in training takes mean and deviation over the batch, and this batch has one sample, "
     "often the last batch of an epoch."),
     ("pass `drop_last=True` to the DataLoader, take another batch size, or call `eval()` where nothing is "
     "trained")),
    ("arguments - got (NoneType", "nothing in place of a tensor",
     ("None stands where a tensor is needed: a `forward` or function that does not return its result gives "
      "None."),
     "return the result: `return x`"),
    ("must be Tensor, not", "a tuple in place of a tensor",
     ("What is passed is no tensor: calls such as `max`, `sort` and `topk` with a `dim` give a pair of "
      "values and indices, and recurrent layers and attention a tuple of two results."),
     "take the tensor out of it: `.values`, `[0]`, or `out, _ = …`"),
    ("Inference tensors cannot be saved for backward", "inference tensor",
     ("A tensor that was made in inference mode goes into a computation that is recorded, and such tensors "
      "can have no part in it."),
     "use `torch.no_grad()` in place of `torch.inference_mode()`, or `clone()` the tensor outside of it"),
    ("Expected floating point type for target with class probabilities", "target of probabilities",
     ("A target of the input's shape is taken as probabilities of the classes, and these must be floats; a "
     "one-hot target of integers is neither probabilities nor class indices."),
     "pass the class indices themselves, shape (N,) and dtype int64, or `target.float()`"),
    ("is out of bounds", "label out of range",
     "A label is no class: with C outputs of the last layer, labels go from 0 to C - 1.",
     "subtract 1 where labels start at 1, or give the last layer one output more"),
    ("all elements of input should be between 0 and 1", "no probabilities",
     ("binary_cross_entropy takes probabilities, and its input lies outside 0 to 1: plain scores (logits) "
     "that went through no sigmoid."),
     "use `binary_cross_entropy_with_logits` (`nn.BCEWithLogitsLoss`), or put a sigmoid before it"),
    ("multi-target not supported", "target of the wrong shape",
     ("The target holds one index for each sample, shape (N,); here it has a second axis, as one-hot labels "
     "or a column have."),
     "pass `target.argmax(1)` for one-hot labels, `target.squeeze(1)` for a column"),
    ("Expected target size", "classes on the wrong axis",
     ("The loss takes the classes along axis 1, input (N, C, …) and target (N, …); here another axis stands "
      "there, as after a layer that puts the classes last."),
     "pass `logits.transpose(1, 2)`, or flatten: `logits.flatten(0, 1), target.flatten()`"),
    ("only batches of spatial targets supported", "target with an extra axis",
     ("The target has an axis too many, that of channels: it holds one class index for each place, input "
      "(N, C, H, W), target (N, H, W)."),
     "take the axis of channels out of the target: `target.squeeze(1)`"),
    ("attn_mask is", "shape of the mask",
     ("`attn_mask` (`src_mask`, `mask`) says which step may see which, shape (T, T), the same for all "
      "samples; a mask of the padding of each sample, shape (N, T), is another argument."),
     "pass the padding as `src_key_padding_mask` (`key_padding_mask`), True where there is padding"),
    ("object is not callable", "a value where a function is meant",
     ("The name was given a value and is called as a function afterwards, as `loss = loss(…)` in a loop "
      "does, or a layer or loss is made in the place where it should be called."),
     "give the result another name than the function: `value = loss(…)`"),
    ("spatial sizes don't match", "shapes of input and target",
     "The target has one class index for each place of the input: input (N, C, H, W), target (N, H, W).",
     "take the axis of channels out of the target (`target.squeeze(1)`), or resize one of them"),
    ("to match target batch_size", "numbers of samples differ",
     ("Prediction and target have different numbers of samples: a view or a flatten mixed the batch with "
     "another axis, or the last step of a sequence was taken along the wrong axis."),
     "look at the shapes: the first axis of both is the batch"),
    ("is different to the input size", "shapes of input and target",
     "Prediction and target have different shapes; this loss compares them element by element.",
     "give both one shape: `.squeeze(-1)` on the prediction, or `.unsqueeze(-1)` on the target"),
    ("shapes cannot be multiplied", "sizes do not fit",
     "The last axis of the input is not the number of inputs that the layer was made for (`in_features`).",
     "flatten what comes before it (`x.flatten(1)`), or make the layer with that number"),
    ("must have the same dtype", "two dtypes",
     "The data has another dtype than the weights; NumPy makes float64, and weights are float32.",
     "make the data float32: `x.float()`, or `dtype=torch.float32` where it is made"),
    ("should be the same", "two dtypes",
     "The data has another dtype than the weights; NumPy makes float64, and weights are float32.",
     "make the data float32: `x.float()`, or `dtype=torch.float32` where it is made"),
    ("index out of range in self", "index out of range",
     "An index is as large as the table of the embedding, or larger, or negative.",
     "make the embedding as large as the largest index plus 1; padding and unknown words count, too"),
    ("expected scalar type Long", "integer target",
     "The target holds class indices, which must be int64.", "pass `target.long()`"),
    ("optimizer got an empty parameter list", "no parameters",
     ("The optimizer gets no parameters: those of the model are not registered, because they are kept in a "
      "plain list or dict or made later, or an iterator over them was used up before."),
     "keep them as `nn.Parameter` attributes, in `nn.ParameterList` or `nn.ModuleList`"),
    ("to satisfy the constraint", "parameter of a distribution",
     ("A parameter of the distribution is out of its range, mostly NaN: the network that gave it has NaN "
      "weights or inputs since an earlier step, or a scale is not positive."),
     "look for the first value that is not finite; give scales through `softplus` or `exp`"),
    ("probability tensor contains either", "probabilities not finite",
     "The probabilities to draw from hold NaN, infinities or negative numbers.",
     "look for the first value that is not finite; take them from a softmax"),
    ("stack expects each tensor to be equal size", "samples of different sizes",
     "The samples of a batch have different shapes, such as sequences of different lengths.",
     "pad them in `collate_fn` (`nn.utils.rnn.pad_sequence`), or cut them to one size"),
    ("expected a non-empty list of Tensors", "nothing collected",
     "There is nothing to put together: the list is empty, as nothing was collected or selected.",
     "look at the loop or condition that fills the list"),
    (" channels instead", "channels do not fit",
     "The input has another number of channels than the layer was made for; images are (N, C, H, W).",
     ("move the channels to axis 1 (`x.permute(0, 3, 1, 2)`), add one (`x.unsqueeze(1)`), or make the layer "
     "with that number")),
    ("must be equal to input_size", "sizes do not fit",
     "The last axis of the input is not the `input_size` that the recurrent layer was made for.",
     "make the layer with that number, or exchange the axes of the input"),
    ("Boolean value of Tensor with more than one value is ambiguous", "a tensor as a condition",
     ("A tensor of several numbers stands where one true or false is needed; often a loss class was called "
     "with the prediction as its constructor's argument."),
     "reduce it with `.any()` or `.all()`, or make the loss first: `nn.MSELoss()(prediction, target)`"),
    ("must match the size of tensor b", "sizes do not fit",
     "Two tensors are combined element by element, and on one axis their sizes are neither equal nor 1.",
     "look at the shapes: add an axis with `unsqueeze`, or reduce the other one"),
    ("running_mean should contain", "axes of batch norm",
     ("Batch norm takes the channels (features) along axis 1, and the input has another axis there, as a "
      "sequence (N, T, C) does."),
     "exchange the axes before and after it: `norm(x.transpose(1, 2)).transpose(1, 2)`"),
    ("object has no attribute 'size'", "nothing in place of a tensor",
     ("Something else stands where a tensor is needed: a `forward` or function without `return` gives None, "
      "and several results or a batch are a tuple or list."),
     "return the result, or take the tensor out of the tuple or list"),
    ("Expected hidden", "state of another batch",
     ("The hidden state has another batch size than the input: it was made for a full batch, and the last "
      "batch of an epoch is smaller, or the input has its axes in another order (`batch_first`)."),
     "make the state for `x.size(0)` samples in each call, or pass `drop_last=True` to the DataLoader"),
    ("all elements of target should be between 0 and 1", "no probabilities as target",
     ("The target of binary_cross_entropy lies outside 0 to 1 or is NaN: the labels are not 0 and 1, or "
      "prediction and target are swapped, the prediction goes first."),
     "pass the prediction first, then the target, with labels of 0 and 1"),
    ("array must be sorted in decreasing order", "lengths not sorted",
     "The sequences of a packed batch go from the longest to the shortest, and these do not.",
     "pass `enforce_sorted=False`, or sort the batch by length"),
    ("view size is not compatible", "view of what is not contiguous",
     ("After `transpose` or `permute` the numbers do not lie in the order of the axes, and a view cannot "
      "join them."),
     "use `reshape`, or `.contiguous()` before `view`"),
    ("is invalid for input of size", "sizes do not fit",
     "The new shape has another number of elements: the sizes written there are not those of the input.",
     "let one axis be worked out: `x.view(x.size(0), -1)`, `x.flatten(1)`"),
    ("can't be cast to", "integers where floats are meant",
     "A result of floats is to be written into integers: the target or the tensor written to holds integers.",
     "make it floats: `target.float()`, `dtype=torch.float32` where it is made"),
    ("could not infer output dtype", "mean of integers",
     "A mean or deviation of integers or booleans is not defined.", "make them floats: `x.float().mean()`"),
    ("weight tensor should be defined either for all", "number of class weights",
     "The loss takes one weight for each class, and the weights given are not as many as the classes.",
     "pass one weight for each output of the last layer"),
    ("Given normalized_shape", "sizes do not fit",
     "LayerNorm normalises the last axes, which must have the shape that it was made for.",
     "make it with the size of the last axis, or move the features to the last axis (`transpose(1, 2)`)"),
    ("divisible by num_groups", "groups do not fit",
     "GroupNorm needs a number of channels that its groups divide.",
     "choose a number of groups that divides the channels"),
    ("divisible by num_heads", "heads do not fit",
     "The heads share the embedding: their number must divide its size.",
     "choose a number of heads that divides `embed_dim`"),
    ("Fan in and fan out can not be computed", "initialisation of a vector",
     "This initialisation needs a matrix; a bias or the weight of a norm layer has one axis.",
     "initialise weights alone (`if p.dim() > 1`), and set biases to 0 (`nn.init.zeros_`)"),
    ("torch.nn.Parameter or None expected", "tensor in place of a parameter",
     "The name belongs to a parameter, and a plain tensor is given to it.",
     "write into it under `torch.no_grad()` (`p.copy_(x)`), or give it `nn.Parameter(x)`"),
    ("before Module.__init__() call", "module not begun",
     "A layer or parameter is assigned before the module's own `__init__` has run.",
     "call `super().__init__()` first in `__init__`"),
    ("Legacy autograd function", "custom function without apply",
     ("A custom function has static methods and is called by `apply`; here an instance is made and called, "
      "or its `forward` is no static method."),
     "write `@staticmethod` before `forward` and `backward`, and call `F.apply(x)`"),
    ("@once_differentiable", "derivative of a backward",
     ("The backward of a custom function is marked `once_differentiable`, and a second derivative goes "
      "through it, as a gradient penalty or `create_graph=True` does."),
     "leave the mark out, and write the backward in differentiable ops"),
    ("cannot register a hook on a tensor that doesn't require gradient", "hook without gradient",
     "The tensor has no history, so no gradient ever comes to it: it was cut off, or came in as data.",
     "call `requires_grad_()` on it first, or register the hook on a result that has a history"),
    ("assigned grad has data of a different size", "gradient of another shape",
     "A gradient has the shape of its tensor.", "assign `torch.zeros_like(p)`, or None"),
    ("is not a Module subclass", "class in place of a module",
     "A class, a function or a list stands where a module is needed: the parentheses are missing.",
     "make the module: `nn.ReLU()` for `nn.ReLU`"),
    ("object is not iterable", "not called",
     "A method, a module or a single value stands where several are needed: parentheses may be missing.",
     "call it: `model.parameters()` for `model.parameters`"),
    ("Tried to step", "schedule too short",
     "The schedule is stepped more often than the number of steps it was made for (`total_steps`).",
     "give the whole number of steps, `epochs * len(loader)`, or step it once an epoch"),
    ("argument: 'closure'", "closure missing",
     "LBFGS evaluates the loss several times in a step, and needs a function that does.",
     "pass one: `optimizer.step(closure)`, where closure clears gradients, calls backward, returns the loss"),
    ("doesn't match the broadcast shape", "in-place change of shape",
     "The tensor written to in place is smaller than the result.",
     "compute a new tensor (`x = x + y`), or begin with one of the full shape"),
    ("cannot be converted to Scalar", "several numbers as one",
     "`item()` and `float()` take one number, and the tensor holds several.",
     "reduce it first (`.mean()`, `.sum()`), or use `.tolist()`"),
    ("Error(s) in loading state_dict", "state dict does not fit",
     ("The keys or shapes of the state dict are not those of the model: it was saved from another model, "
      "from a wrapper (`module.`), or with other sizes."),
     "make the model as it was when saved, or rename the keys"),
    ("input matrix is singular", "singular matrix",
     "The matrix has no inverse: rows or columns depend on each other, or some are 0.",
     "add a small multiple of the identity (`+ 1e-6 * torch.eye(n)`), or use `pinv` or `lstsq`"),
    ("Dimension out of range", "no such axis",
     "The tensor has fewer axes than the call needs; a reduction or `squeeze` took one away.",
     "look at the shape before the call"),
    ("is only applicable to index tensor", "integers needed", "Indices of classes must be int64.",
     "pass `x.long()`"),
    ("Class values must be", "label out of range",
     "A label is negative, or as large as `num_classes` or larger.",
     "look at the labels: they go from 0 to `num_classes - 1`"),
    ("Kernel size can't be greater than actual input size", "input too small",
     "The image has become smaller than the kernel: too many poolings, or axes in another order.",
     "pad, pool less, or look at the order of the axes (N, C, H, W)"),
    ("The shape of the mask", "shape of the mask", "A mask has the shape of the tensor it chooses from.",
     "give it the tensor's shape, or index the matching axes alone"),
    ("Sizes of tensors must match except in dimension", "sizes differ",
     ("The tensors to be joined differ on another axis than the one they are joined along; after pooling an "
      "odd size, upsampling does not give it back."),
     "join along the other axis (`dim`), or bring them to one size (pad, crop, `F.interpolate`)"),
    ("No inf checks were recorded", "scaler without gradients",
     ("The scaler has seen no gradients of this optimizer: the loss was not scaled before backward, or no "
      "parameter of it got a gradient."),
     "call `scaler.scale(loss).backward()` before `scaler.step(optimizer)`"),
)  # fmt: skip


def wrong_input(error: BaseException, raised: Raised) -> Answer | None:
    """Return what an error of wrong input means; None where it is not known."""
    text = str(error)
    found = next((meaning for meaning in MEANINGS if meaning[0] in text), None)
    if found is None:
        return None
    _, kind, cause, mend = found
    seen = () if raised.scene is None else tuple(_on_line(raised.scenes[0]))
    place, checked = raised.innermost, ""
    if text.startswith("Expected more than 1 value per channel"):
        place, checked = next((loader for s in raised.scenes if (loader := _short_batch(s))), (place, ""))
    elif kind == "nothing in place of a tensor" and place is not None:
        place = _without_return(place.file) or place
    elif kind == "inference tensor" and place is not None:
        place = _inference_mode(place.file) or place
    return Answer(kind, cause, place, (*seen, *getattr(error, "__notes__", ())), mend, checked)


def _without_return(file: str) -> Place | None:
    """Return the last line of the only `forward` of a program that returns nothing."""
    tree = tree_of(file)
    found = [
        node for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.FunctionDef) and node.name == "forward"
        and not any(isinstance(inner, (ast.Return, ast.Raise)) for inner in ast.walk(node))
    ]  # fmt: skip
    return place_in(file, found[0].body[-1].lineno) if len(found) == 1 else None


def _inference_mode(file: str) -> Place | None:
    """Return the only line of a program that turns inference mode on."""
    tree = tree_of(file)
    lines = {
        node.lineno for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node).endswith("inference_mode")
    }  # fmt: skip
    return place_in(file, *lines) if len(lines) == 1 else None


def _short_batch(scene: Scene) -> tuple[Place, str] | None:
    """Return the line that makes a loader whose last batch has one sample, and how many there are."""
    # A program that has a loader has imported them.
    loaders: Any = sys.modules.get("pullback.utils.data")
    if loaders is None:
        return None
    loops = [loop for loop in loops_around(scene) if isinstance(loop, ast.For)]
    over = {name for loop in loops for name in paths_in(loop.iter)}
    for name, value in list(scene.variables.items()):
        if not isinstance(value, loaders.DataLoader) or name not in over:
            continue
        if value.drop_last or not value.batch_size:
            continue
        count = len(value.dataset) if hasattr(value.dataset, "__len__") else 0
        made = [] if scene.scope is None else scene.scope.assigning(name)
        if count % value.batch_size == 1 and made and scene.scope is not None:
            return scene.scope.place_of_line(made[-1].line), (
                f"{count} samples in batches of {value.batch_size} leave one for the last batch, which "
                "`drop_last=True` leaves out"
            )
    return None


def _on_line(scene: Scene) -> list[str]:
    """Return name, shape and dtype of the tensors on the line of a scene."""
    if scene.scope is None:
        return []
    lines = [
        node for node in ast.walk(scene.scope.tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
        and node.lineno <= scene.line <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
    found = []
    for path in dict.fromkeys(path for node in lines for path in paths_in(node)):
        value = scene.value(path)
        if isinstance(value, TensorBase):
            found.append(f"`{path}` has shape {tuple(shape_of(value))} and dtype {dtype_of(value)}")
        elif isinstance(value, Module) and next(value.parameters(), None) is not None:
            weight = next(value.parameters())
            found.append(f"`{path}` is a {type(value).__name__}, its weights are {dtype_of(weight)}")
    return found[:MOST_NAMED]


__all__ = ["wrong_input"]
