"""Lines of LLVM's text for tables of words, which tell a function what it works on, and a part its share."""

from collections.abc import Iterable, Mapping


def written(table: str, words: int, entries: Iterable[tuple[int, str]]) -> list[str]:
    """Return the lines that make a table of so many words, and write typed entries to their places."""
    lines = [f"  {table} = alloca [{words} x i64]"]
    for n, entry in entries:
        lines.append(f"  {table}_{n} = getelementptr i64, ptr {table}, i64 {n}")
        lines.append(f"  store {entry}, ptr {table}_{n}")
    return lines


def read(table: str, fields: Mapping[str, str], first: int = 0) -> list[str]:
    """Return the lines that read the words from the one at `first` on, by their names and types."""
    lines = []
    for n, (name, type_) in enumerate(fields.items(), first):
        lines.append(f"  {name}_at = getelementptr i64, ptr {table}, i64 {n}")
        lines.append(f"  {name} = load {type_}, ptr {name}_at")
    return lines


def share(part: str, parts: str, total: str | int, first: str = "%lo", last: str = "%hi") -> list[str]:
    """Return the lines that find a part's share of so many things, from `first` to below `last`."""
    return [
        f"  {first}_all = mul nuw nsw i64 {part}, {total}",
        f"  {first} = udiv i64 {first}_all, {parts}",
        f"  {last}_all = add nuw nsw i64 {first}_all, {total}",
        f"  {last} = udiv i64 {last}_all, {parts}",
    ]
