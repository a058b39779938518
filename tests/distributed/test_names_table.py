"""The list of names in the docs is what the package has."""

from __future__ import annotations

from tools.make_distributed_table import PAGE, page


def test_the_list_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.make_distributed_table"
