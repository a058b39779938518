"""Write the functions that check what a call was given, as LLVM's text.

They read Python's objects where `object_layout` found their members.
"""

from __future__ import annotations

from .native_specification import (
    ANY_NODE,
    ARRAY,
    DIFFERENT,
    DONE,
    EXTRA,
    FIELDS,
    FIXED,
    INNER_NODE,
    KNOWN,
    SCATTERED,
    WATCHED,
    field,
    read,
)
from .object_layout import Layout


def _watched_text() -> str:
    """Return 0, or `WATCHED` and the number of the first watched word that is not what it was."""
    pointers = "\n".join(field(name, "ptr") for name in FIELDS if name.startswith("watched_"))
    return f"""\
define internal i64 @watched(ptr %spec, i64 %count) #0 {{
entry:
{pointers}
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %same ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %done
body:
{read("at", "ptr", "watched_at", "%n", "ptr")}
  %now = load i64, ptr %at
{read("as", "i64", "watched_as", "%n", "i64")}
  %is = icmp eq i64 %now, %as
  br i1 %is, label %same, label %other
same:
  %next = add nuw nsw i64 %n, 1
  br label %head
other:
  %keep = getelementptr i64, ptr %watched_now, i64 %n
  store i64 %now, ptr %keep
  %code = add nuw nsw i64 %n, {WATCHED}
  ret i64 %code
done:
  ret i64 0
}}"""


def _lists_text(where: Layout) -> str:
    """Return whether every watched list still has its length and its items."""
    return f"""\
define internal i1 @lists(ptr %records, i64 %count) #0 {{
entry:
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %item_head ]
  %record = phi ptr [ %records, %entry ], [ %wanted, %item_head ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %good
body:
  %next = add nuw nsw i64 %n, 1
  %list = load ptr, ptr %record
{read("length", "i64", "record", 8)}
  %items = getelementptr i8, ptr %record, i64 16
{read("size", "i64", "list", where.list_size)}
{read("held", "ptr", "list", where.list_items)}
  %sized = icmp eq i64 %size, %length
  br i1 %sized, label %item_head, label %bad
item_head:
  %k = phi i64 [ 0, %body ], [ %k_next, %item_same ]
  %wanted = getelementptr i64, ptr %items, i64 %k
  %item_more = icmp slt i64 %k, %length
  br i1 %item_more, label %item, label %head
item:
{read("has", "i64", "held", "%k", "i64")}
  %wants = load i64, ptr %wanted
  %is = icmp eq i64 %has, %wants
  br i1 %is, label %item_same, label %bad
item_same:
  %k_next = add nuw nsw i64 %k, 1
  br label %item_head
good:
  ret i1 true
bad:
  ret i1 false
}}"""


def array_text(where: Layout) -> str:
    """Return whether an array is of the dtype and shape expected and contiguous; puts its pointer into the
    table.

    The record's words from the fifth on say what is expected: dtype, rank, address of the shape, flags.
    """
    return f"""\
define internal i64 @array(ptr %value, ptr %record, ptr %slot, i64 %array) #0 {{
entry:
{read("kind", "i64", "value", where.type)}
  %is_array = icmp eq i64 %kind, %array
  br i1 %is_array, label %kinds, label %bad
kinds:
{read("dtype", "i64", "value", where.dtype)}
{read("dtype_wanted", "i64", "record", 32)}
  %same_dtype = icmp eq i64 %dtype, %dtype_wanted
  %rank_ = getelementptr i8, ptr %value, i64 {where.rank}
  %rank32 = load i32, ptr %rank_
  %rank = sext i32 %rank32 to i64
{read("rank_wanted", "i64", "record", 40)}
  %same_rank = icmp eq i64 %rank, %rank_wanted
  %same = and i1 %same_dtype, %same_rank
{read("shape", "ptr", "value", where.shape)}
{read("shape_wanted", "ptr", "record", 48)}
  br i1 %same, label %head, label %bad
head:
  %n = phi i64 [ 0, %kinds ], [ %next, %as_long ]
  %more = icmp slt i64 %n, %rank
  br i1 %more, label %axis, label %layout
axis:
{read("extent", "i64", "shape", "%n", "i64")}
{read("extent_wanted", "i64", "shape_wanted", "%n", "i64")}
  %long = icmp eq i64 %extent, %extent_wanted
  br i1 %long, label %as_long, label %bad
as_long:
  %next = add nuw nsw i64 %n, 1
  br label %head
layout:
{read("flags", "i32", "value", where.flags)}
{read("flags_wanted", "i32", "record", 56)}
  %has = and i32 %flags, %flags_wanted
  %fits = icmp eq i32 %has, %flags_wanted
{read("data", "i64", "value", where.data)}
  store i64 %data, ptr %slot
  %code = select i1 %fits, i64 {DONE}, i64 {SCATTERED}
  ret i64 %code
bad:
  ret i64 {DIFFERENT}
}}"""


def _cell_text(where: Layout) -> str:
    """Return the same for what one cell holds: a tensor of a type and history, or an array."""
    known = "\n".join(field(name, "i64") for name in KNOWN)
    return f"""\
define internal i64 @cell(ptr %spec, ptr %record, ptr %slot, ptr %args, ptr %extras) #0 {{
entry:
{known}
  %source = load i64, ptr %record
{read("place", "i64", "record", 8)}
  %is_extra = icmp eq i64 %source, {EXTRA}
  %tuple = select i1 %is_extra, ptr %extras, ptr %args
  %is_fixed = icmp eq i64 %source, {FIXED}
  br i1 %is_fixed, label %fixed, label %item
fixed:
  %always = inttoptr i64 %place to ptr
  br label %found
item:
  %items = getelementptr i8, ptr %tuple, i64 {where.tuple_items}
  %item_ = getelementptr ptr, ptr %items, i64 %place
  %given = load ptr, ptr %item_
  br label %found
found:
  %object = phi ptr [ %always, %fixed ], [ %given, %item ]
  %is_bare = icmp eq i64 %source, {ARRAY}
  br i1 %is_bare, label %bare, label %tensor
bare:
  %code = call i64 @array(ptr %object, ptr %record, ptr %slot, i64 %array)
  ret i64 %code
tensor:
{read("type", "i64", "object", where.type)}
{read("type_wanted", "i64", "record", 16)}
  %same_type = icmp eq i64 %type, %type_wanted
  br i1 %same_type, label %slots, label %bad
slots:
{read("node", "i64", "object", where.node)}
{read("node_wanted", "i64", "record", 24)}
  %same_node = icmp eq i64 %node, %node_wanted
  %any_node = icmp eq i64 %node_wanted, {ANY_NODE}
  %wants_inner = icmp eq i64 %node_wanted, {INNER_NODE}
  %there = icmp ne i64 %node, %none
  %no_leaf = icmp ne i64 %node, %leaf
  %inner_ = and i1 %there, %no_leaf
  %inner = and i1 %inner_, %wants_inner
  %known = or i1 %same_node, %any_node
  %right = or i1 %known, %inner
{read("value", "ptr", "object", where.value)}
  %set = icmp ne ptr %value, null
  %fine = and i1 %right, %set
  br i1 %fine, label %versions, label %bad
versions:
{read("counted", "i64", "record", 64)}
  %any_counter = icmp eq i64 %counted, 0
  br i1 %any_counter, label %data, label %counter
counter:
  %counter_ = getelementptr i8, ptr %object, i64 {where.counter}
  %counter_object = load ptr, ptr %counter_
{read("counter_type", "i64", "counter_object", where.type)}
  %same_counter = icmp eq i64 %counter_type, %counted
  br i1 %same_counter, label %data, label %bad
data:
  %result = call i64 @array(ptr %value, ptr %record, ptr %slot, i64 %array)
  ret i64 %result
bad:
  ret i64 {DIFFERENT}
}}"""


def _distinct_text(where: Layout) -> str:
    """Return whether the tensors given are one another, or closed over, just where they were at the trace."""
    return f"""\
define internal i1 @distinct(ptr %args, ptr %places, i64 %count, ptr %fixed_at, i64 %fixed) #0 {{
entry:
  %items = getelementptr i8, ptr %args, i64 {where.tuple_items}
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %free ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %good
body:
  %next = add nuw nsw i64 %n, 1
  %record = getelementptr [2 x i64], ptr %places, i64 %n
  %place = load i64, ptr %record
{read("first", "i64", "record", 8)}
{read("mine", "i64", "items", "%place", "i64")}
  br label %earlier
earlier:
  %k = phi i64 [ 0, %body ], [ %k_next, %earlier_same ]
  %k_more = icmp slt i64 %k, %n
  br i1 %k_more, label %pair, label %others
pair:
  %k_record = getelementptr [2 x i64], ptr %places, i64 %k
  %k_place = load i64, ptr %k_record
{read("k_first", "i64", "k_record", 8)}
{read("theirs", "i64", "items", "%k_place", "i64")}
  %is = icmp eq i64 %mine, %theirs
  %was = icmp eq i64 %first, %k_first
  %agree = icmp eq i1 %is, %was
  br i1 %agree, label %earlier_same, label %bad
earlier_same:
  %k_next = add nuw nsw i64 %k, 1
  br label %earlier
others:
  %m = phi i64 [ 0, %earlier ], [ %m_next, %apart ]
  %m_more = icmp slt i64 %m, %fixed
  br i1 %m_more, label %outside, label %free
outside:
{read("their", "i64", "fixed_at", "%m", "i64")}
  %met = icmp eq i64 %mine, %their
  br i1 %met, label %bad, label %apart
apart:
  %m_next = add nuw nsw i64 %m, 1
  br label %others
free:
  br label %head
good:
  ret i1 true
bad:
  ret i1 false
}}"""


def _stay_text() -> str:
    """Return whether the closed-over arrays that must not move lie where they were seen."""
    return f"""\
define internal i1 @stay(ptr %table, i64 %count, ptr %slots, ptr %seen) #0 {{
entry:
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %body ]
  %good = phi i1 [ true, %entry ], [ %with, %body ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %done
body:
  %next = add nuw nsw i64 %n, 1
{read("which", "i64", "slots", "%n", "i64")}
{read("now", "i64", "table", "%which", "i64")}
{read("before", "i64", "seen", "%n", "i64")}
  %is = icmp eq i64 %now, %before
  %with = and i1 %good, %is
  br label %head
done:
  ret i1 %good
}}"""


def _apart_text() -> str:
    """Return whether nothing that is written shares memory with anything else."""
    return f"""\
define internal i1 @apart(ptr %table, i64 %written, ptr %written_at, i64 %others, ptr %others_at) #0 {{
entry:
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %inner ]
  %good = phi i1 [ true, %entry ], [ %sofar, %inner ]
  %more = icmp slt i64 %n, %others
  br i1 %more, label %body, label %done
body:
  %next = add nuw nsw i64 %n, 1
  %record = getelementptr [2 x i64], ptr %others_at, i64 %n
  %slot = load i64, ptr %record
{read("bytes", "i64", "record", 8)}
{read("start", "i64", "table", "%slot", "i64")}
  %end = add i64 %start, %bytes
  br label %inner
inner:
  %k = phi i64 [ 0, %body ], [ %k_next, %pair ]
  %sofar = phi i1 [ %good, %body ], [ %with, %pair ]
  %k_more = icmp slt i64 %k, %written
  br i1 %k_more, label %pair, label %head
pair:
  %k_next = add nuw nsw i64 %k, 1
  %k_record = getelementptr [2 x i64], ptr %written_at, i64 %k
  %k_slot = load i64, ptr %k_record
{read("k_bytes", "i64", "k_record", 8)}
{read("k_start", "i64", "table", "%k_slot", "i64")}
  %k_end = add i64 %k_start, %k_bytes
  %before = icmp ule i64 %k_end, %start
  %behind = icmp ule i64 %end, %k_start
  %same = icmp eq i64 %k_slot, %slot
  %beside = or i1 %before, %behind
  %fine = or i1 %beside, %same
  %with = and i1 %sofar, %fine
  br label %inner
done:
  ret i1 %good
}}"""


def checks_text(where: Layout) -> list[str]:
    """Return the functions of this file."""
    return [
        _watched_text(), _lists_text(where), array_text(where), _cell_text(where), _distinct_text(where),
        _stay_text(), _apart_text(),
    ]  # fmt: skip
