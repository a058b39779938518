"""Calls under autocast on the CPU: which precision each runs in."""

from __future__ import annotations

from typing import Any

CASES = """
x@w
torch.mm(x,w)
F.linear(x,w,v)
F.linear(b,w,v)
F.conv2d(i,k)
x.double()@w.double()
torch.addmm(v,x,w)
x[:, :].matmul(w)
(x@w).softmax(-1)
F.layer_norm(b,(6,))
F.mse_loss(b,b)
F.cross_entropy(x@w,t)
F.nll_loss((x@w).log_softmax(-1),t)
torch.cat([x,b])
torch.cat([b,b])
torch.stack([x,b])
x+b
b.prod()
b.sum()
(b.T@b).trace()
torch.einsum('ij,jk->ik',x,w)
torch.einsum('i,j->ij',v,v)
torch.einsum('ij,ij->',x,x)
torch.einsum('ij,ij->ij',x,x)
torch.einsum('ij->j',x)
torch.einsum('ij,jk,kl->il',x,w,w)
torch.einsum('i,j->ij',v,v.bfloat16())
torch.bmm(x[None],w[None])
F.scaled_dot_product_attention(x[None],x[None],x[None])
F.prelu(x,torch.ones(1))
x@v
torch.mv(x,v)
torch.dot(v,v)
F.pad(b,(1,1))
F.pad(b[None],(1,1),mode='reflect')
torch.linalg.inv(w.bfloat16())
torch.fft.fft(b)
F.binary_cross_entropy_with_logits(b,torch.ones_like(b))
F.smooth_l1_loss(b,x)
F.relu(b)
F.gelu(b)
torch.cdist(b,b)
F.batch_norm(i.bfloat16(),torch.zeros(3),torch.ones(3),training=True)
F.max_pool2d(i.bfloat16(),2)
F.embedding(t,w)
x.index_copy(0,t,b)
torch.tensordot(x,w,1)
torch.tensordot(v,v,0)
torch.tensordot(x,x,2)
torch.inner(x,x)
torch.outer(v,v)
torch.chain_matmul(x,w,w)
torch.linalg.multi_dot([x,w,w])
torch.linalg.matmul(x,w)
torch.baddbmm(x[None],x[None],w[None])
torch.kron(x,x)
F.bilinear(x,x,torch.ones(2,6,6))
b.norm()
b.std()
F.cosine_similarity(b,b)
F.l1_loss(b,b)
F.kl_div(b,b)
F.huber_loss(b,b)
torch.quantile(b,0.5)
torch.polar(b,b)
torch.stft(torch.ones(100).bfloat16(),10,return_complex=True)
F.grid_sample(i.bfloat16(),torch.zeros(2,3,3,2))
torch.linalg.svd(b)
torch.nn.LSTM(6, 3)(x)
torch.nn.LSTM(6, 3)(x)[1]
torch.nn.RNN(6, 3)(x)
torch.nn.GRU(6, 3)(x)
torch.nn.LSTMCell(6, 3)(x)
torch.nn.RNNCell(6, 3)(x)
torch.nn.MultiheadAttention(6, 2)(x, x, x)
""".strip().splitlines()


def names(torch: Any) -> dict[str, Any]:
    """What the calls are made on."""
    torch.manual_seed(0)
    x = torch.randn(4, 6)
    return {
        "torch": torch, "F": torch.nn.functional, "x": x, "b": x.bfloat16(), "v": torch.randn(6),
        "w": torch.randn(6, 6, requires_grad=True), "i": torch.randn(2, 3, 8, 8),
        "k": torch.randn(4, 3, 3, 3), "t": torch.tensor([0, 1, 2, 3]),
    }  # fmt: skip


def precision(case: str, torch: Any, lower: str) -> list[str]:
    """The dtype of a call's (first) result under autocast, and its node."""
    held = names(torch)
    with torch.autocast("cpu", dtype=getattr(torch, lower)):
        result = eval(case, held)
    first = result[0] if isinstance(result, tuple) else result
    if case.startswith("torch.nn."):  # what a layer is made of inside has other nodes
        return [str(first.dtype)]
    return [str(first.dtype), type(first.grad_fn).__name__]
