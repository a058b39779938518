"""Calls on nested tensors, each on new ones, and what is seen of them."""

from __future__ import annotations

import pickle
from typing import Any

#: With `n` of two parts (2, 3) and (1, 3), `m` like it, `o` of (2, 3) twice, `h` of (2, 3, 4) and (2, 5, 4),
#: `e` without parts.
EXPRESSIONS = """
n; h; e; n.is_nested; torch.ones(1).is_nested; n.layout; n.dtype; n.device; n.dim(); n.ndim; n.numel()
n.nbytes; n.size(0); n.size(1); n.size(-1); n.size(5); n.size(); n.shape; n.stride(); len(n); list(n)
n.is_contiguous(); n._nested_tensor_size(); n._nested_tensor_strides(); n._nested_tensor_storage_offsets()
n.is_same_size(m); n.is_same_size(o); n.unbind(); n.unbind(1); n[0]; n[-1]; n[2]; n[0, 1]; n[..., 0]; n[0:1]
n[None]; n[True]; n[torch.tensor(1)]; n.values(); n.numpy(); n.tolist(); n.item(); bool(n); float(n)
e.dim(); e.size(0); n.to_padded_tensor(0.5); torch.nested.to_padded_tensor(n, -1, (3, 4, 5))
n.to_padded_tensor(0, (2, 1, 5)); torch.nested.to_padded_tensor(n, 0, (3,)); e.to_padded_tensor(0)
torch.nested.to_padded_tensor(torch.ones(2), 0); n + 1; 1 + n; n + m; n - m; n * 2; 2 * n; n / 2
n * torch.tensor(2.0); torch.tensor(2.0) * n; n + o; n * torch.ones(3); torch.ones(3) * n
torch.add(n, m, alpha=2); n.sub(1, alpha=2); n.div(2, rounding_mode="floor"); n.add_(1); n.mul_(m)
n.relu_(); n.zero_(); n.fill_(3); n.copy_(m); n.copy_(o); n.copy_(torch.ones(2)); n.relu(); n.sin(); n.cos()
n.tanh(); n.abs(); -n; n.sqrt(); n.sgn(); n.isnan(); n.logical_not(); n.exp(); n.log(); n.sigmoid()
n.round(); n.clamp(0, 1); n.cumsum(-1); n.nonzero(); torch.stack([n, n]); torch.equal(n, n); n == 1; n.eq(m)
n > 0; n.gt(m); n.ge(1); torch.nn.functional.silu(n); n.masked_fill(n > 1, 7.0)
n.masked_fill(torch.ones(3).bool(), 1); n.masked_fill(torch.tensor(True), 1); n.softmax(-1)
torch.nn.functional.softmax(n, 1); n.softmax(0); n.softmax(7); n.sum(); n.sum(1); n.sum(-1); n.sum(-1, True)
n.sum(-1, keepdim=True); n.sum((1, 2), keepdim=True); n.sum(-1, True, dtype=torch.float64)
n.transpose(1, 2); n.transpose(-1, -2); n.transpose(0, 1); n.transpose(1, 7); n.mT; n.T; h.transpose(1, 2)
n.unsqueeze(1); n.unsqueeze(-1); n.unsqueeze(0); n.unsqueeze(5); n.unsqueeze(1).squeeze(1); n.squeeze()
n.squeeze(0); n.select(0, 1); n.select(0, 5); n.select(1, 0); n.select(2, 0); n.chunk(3, -1); n.chunk(2, -1)
n.chunk(3); n.chunk(2, 1); n.split_with_sizes([1, 2], -1); n.split_with_sizes([1, 1], -1)
n.split_with_sizes([1], 1); n.reshape(2, -1, 3); n.view(2, -1, 1, 3); n.view(2, -1, 3, 1); n.reshape(2, -1)
n.reshape(3, -1, 3); n.view(3, -1, 3); h.reshape(2, 2, -1, 2, 2); n @ n.transpose(-1, -2)
torch.bmm(n, n.transpose(1, 2)); n.bmm(m); n @ torch.ones(3, 2); torch.ones(2, 2) @ n
torch.nn.functional.linear(n, torch.ones(4, 3)); torch.nn.functional.linear(n, torch.ones(4, 2))
torch.nn.functional.linear(n, torch.ones(4, 3), torch.ones(4)); torch.nn.functional.layer_norm(n, (3,))
torch.nn.functional.layer_norm(n, (3,), torch.ones(3), torch.zeros(3))
torch.nn.functional.dropout(n, 0.5, False); torch.nn.functional.scaled_dot_product_attention(h, h, h)
torch.nn.functional.embedding(torch.nested.nested_tensor([[0, 1], [1]]), torch.ones(2, 2))
n.to(torch.float64); n.half(); n.int(); n.bool(); n.float() is n; n.to("cpu") is n; n.clone() is n
n.detach(); n.data; torch.ones_like(n); torch.zeros_like(n); n.contiguous(); torch.is_tensor(n)
n.is_floating_point(); n.is_complex(); n.requires_grad; n.grad; n.grad_fn; n.is_leaf; n.requires_grad_()
n.backward(); n.requires_grad_().backward(); (n.requires_grad_() * 2)
(n.requires_grad_() * 2).tanh().is_leaf; n.requires_grad_().bfloat16(); pickle.loads(pickle.dumps(n))
torch.nested.nested_tensor([1, 2]); torch.nested.nested_tensor([[1, 2], [3]]); torch.nested.nested_tensor(3)
torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(3)]); torch.nested.nested_tensor(torch.ones(2))
torch.nested.nested_tensor((torch.ones(2),)); torch.nested.nested_tensor([[[1, 2], [3]], [[4]]])
torch.nested.nested_tensor([torch.ones(2), torch.ones(1).double()])
torch.nested.nested_tensor([torch.ones(0), torch.ones(2)])
torch.nested.nested_tensor([torch.ones(2), torch.ones(1)], dtype=torch.int64)
torch.nested.nested_tensor([torch.ones(2), torch.ones(1)], requires_grad=True)
torch.nested.nested_tensor([torch.ones(2)], layout=torch.sparse_coo)
torch.nested.as_nested_tensor([torch.ones(2), torch.ones(1)])
torch.nested.as_nested_tensor(torch.ones(2, 3)); torch.nested.as_nested_tensor(3)
torch.nested.as_nested_tensor([torch.ones(1), 2]); torch.nested.as_nested_tensor([])
torch.nested.as_nested_tensor(n); torch.nested.narrow(torch.ones(3, 4), 1, 1, 2)
torch.nested.narrow(torch.ones(3, 4), 0, 1, 2); n.narrow(0, 1, 1); n.narrow(1, 0, 1); n.narrow(0, 1, 2)
torch.nested.narrow(torch.ones(3, 4), 1, torch.tensor([0, 1, 2]), 2)
"""


def seen(torch: Any) -> dict[str, str]:
    """What each expression shows; of errors the class and the text."""
    record = {}
    for expression in EXPRESSIONS.replace("\n", ";").split(";"):
        text = expression.strip()
        if text:
            record[text] = _shown(torch, text)
    return record


def _shown(torch: Any, expression: str) -> str:
    make = torch.nested.nested_tensor
    parts = [torch.arange(6.0).reshape(2, 3), torch.ones(1, 3)]
    names = {
        "torch": torch, "pickle": pickle, "n": make(parts), "m": make(parts), "e": make([]),
        "o": make([parts[0], parts[0]]), "h": make([torch.ones(2, 3, 4), torch.ones(2, 5, 4)]),
    }
    try:
        return repr(eval(expression, names))
    except Exception as error:  # noqa: BLE001  # its class and text are recorded
        # What follows names the backends that torch was built with.
        return f"{type(error).__name__}: {error}".split(" If you are a Facebook")[0]
