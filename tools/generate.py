"""Write all that is generated from declarations anew: the stubs and docs/ops.md.

Run after an op or a public function was declared or changed, from the project's root:
``python -m tools.generate``.
"""

from __future__ import annotations

from tools import make_op_table, make_stubs

if __name__ == "__main__":
    make_stubs.main()
    make_op_table.main()
