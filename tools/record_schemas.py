"""Record the schemas of torch's ops as src/pullback/tensor/schemas.txt.

Run with a Python that has torch, from the project's root: ``python -m tools.record_schemas``.
"""

from __future__ import annotations

from pathlib import Path

import torch

TARGET = Path(__file__).parents[1] / "src" / "pullback" / "tensor" / "schemas.txt"


def main() -> None:
    names = sorted({schema.name for schema in torch._C._jit_get_all_schemas()})
    lines = []
    for name in names:
        if not name.startswith("aten::"):
            continue
        packet = getattr(torch.ops.aten, name.removeprefix("aten::"), None)
        for overload in [] if packet is None else packet.overloads():
            lines.append(str(getattr(packet, overload)._schema).removeprefix("aten::"))
    TARGET.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} schemas")


if __name__ == "__main__":
    main()
