"""Programs with input and output: text, logs, files, variables of the environment, iterators, clocks."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== print_text:
def step(x):
    print("called")
    return x * 2
=== print_number_of_state:
k = 1
def step(x):
    print("k", k)
    return x * k
--- change 3
k = 2
=== print_tensor:
def step(x):
    y = x * 2
    print(y)
    return y
=== print_item:
def step(x):
    y = (x * 2).sum()
    print(f"loss {y.item():.2f}")
    return y
=== print_formatted_tensor:
def step(x):
    y = (x * 2).sum()
    print(f"loss {y:.1f}", "shape", x.shape)
    return y
=== print_between_draws:
def step(x):
    a = torch.rand(1)
    print("drawn")
    return x * a
=== print_to_stream:
out = io.StringIO()
def step(x):
    print("called", file=out)
    return x * 2
--- state
out.getvalue()
=== print_of_representation:
class O:
    k = 1
    def __repr__(self): return f"O{self.k}"
o = O()
def step(x):
    print(o)
    return x * 2
--- change 3
o.k = 2
=== stdout_write:
def step(x):
    sys.stdout.write("called\\n")
    return x * 2
=== stdout_replaced_between:
other = io.StringIO()
def step(x):
    print("called")
    return x * 2
--- change 3
held, sys.stdout = sys.stdout, other
--- change 5
sys.stdout = held
--- state
other.getvalue()
=== stdout_redirected_inside:
out = io.StringIO()
def step(x):
    with contextlib.redirect_stdout(out):
        print("called")
    return x * 2
--- state
out.getvalue()
=== stringio_read:
source = io.StringIO("1 2 3 4 5 6 7 8")
def step(x): return x * int(source.read(2))
=== logging_info:
logger = logging.getLogger("program.one")
logger.setLevel(logging.INFO)
def step(x):
    logger.info("called with %s", tuple(x.shape))
    return x * 2
=== logging_item:
logger = logging.getLogger("program.two")
logger.setLevel(logging.INFO)
def step(x):
    y = x.sum()
    logger.info("loss %.1f", y.item())
    return y
=== logging_level_changes:
logger = logging.getLogger("program.three")
logger.setLevel(logging.WARNING)
def step(x):
    logger.info("called")
    return x * 2
--- change 3
logger.setLevel(logging.INFO)
=== logging_level_branch:
logger = logging.getLogger("program.four")
logger.setLevel(logging.WARNING)
def step(x): return x * 2 if logger.isEnabledFor(logging.INFO) else x * 3
--- change 3
logger.setLevel(logging.INFO)
=== logging_root_warning:
def step(x):
    logging.warning("called")
    return x * 2
=== input_read:
lines = iter("1234567")
builtins.input = lambda: next(lines)
def step(x): return x * int(input())
=== environment_read:
os.environ["SOUNDNESS_K"] = "2"
def step(x): return x * float(os.environ["SOUNDNESS_K"])
--- change 3
os.environ["SOUNDNESS_K"] = "3"
=== environment_get_default:
def step(x): return x * float(os.environ.get("SOUNDNESS_K", "2"))
--- change 3
os.environ["SOUNDNESS_K"] = "3"
=== environment_getenv:
def step(x): return x * float(os.getenv("SOUNDNESS_K", "2"))
--- thread 3
os.environ["SOUNDNESS_K"] = "3"
=== environment_written:
os.environ["SOUNDNESS_K"] = "0"
def step(x):
    os.environ["SOUNDNESS_K"] += "1"
    return x * 2
--- state
os.environ["SOUNDNESS_K"]
=== file_read:
pathlib.Path("k.txt").write_text("2")
def step(x): return x * float(pathlib.Path("k.txt").read_text())
--- change 3
pathlib.Path("k.txt").write_text("3")
=== file_read_with_open:
with open("k.txt", "w") as f: f.write("2")
def step(x):
    with open("k.txt") as f:
        return x * float(f.read())
--- change 3
with open("k.txt", "w") as f: f.write("3")
=== file_written:
def step(x):
    with open("log.txt", "a") as f:
        f.write("called\\n")
    return x * 2
--- state
open("log.txt").read()
=== file_exists:
def step(x): return x * 2 if os.path.exists("flag") else x * 3
--- change 3
pathlib.Path("flag").touch()
=== tensor_saved:
def step(x):
    y = x * 2
    torch.save(y, "t.pt")
    return y
--- state
torch.load("t.pt")
=== tensor_loaded:
torch.save(torch.ones(3), "t.pt")
def step(x): return x * torch.load("t.pt")
--- change 3
torch.save(torch.full((3,), 5.0), "t.pt")
=== working_folder:
def step(x): return x * len(os.listdir("."))
--- change
pathlib.Path(f"f{n}").touch()
=== iterator_advanced:
i = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
def step(x): return x * next(i)
=== iterator_exhausted: raises
i = iter([1.0, 2.0, 3.0])
def step(x): return x * next(i)
=== iterator_with_default:
i = iter([1.0, 2.0])
def step(x): return x * next(i, 9.0)
=== iterator_shared_with_change:
i = iter(range(20))
def step(x): return x * next(i)
--- change
next(i)
=== count_of_itertools:
c = itertools.count()
def step(x): return x * next(c)
=== cycle_of_itertools:
c = itertools.cycle([1.0, 2.0])
def step(x): return x * next(c)
=== cycle_of_tensors:
c = itertools.cycle([torch.ones(3), torch.zeros(3)])
def step(x): return x + next(c)
=== generator_advanced:
def g():
    k = 1.0
    while True:
        yield k
        k += 1
made = g()
def step(x): return x * next(made)
=== generator_sent_to:
def g():
    total = 0.0
    while True:
        total += (yield total)
made = g(); next(made)
def step(x): return x * made.send(1.0)
=== generator_inside: compiles
def g(x):
    for k in (1.0, 2.0): yield x * k
def step(x): return sum(g(x))
=== generator_result_kept:
def step(x): return list(x * k for k in range(3))
=== generator_with_finally:
log = []
def g():
    try:
        yield 2.0
    finally:
        log.append("closed")
def step(x):
    for k in g(): return x * k
--- state
len(log)
=== clock_counter:
now = [0.0]
def clock():
    now[0] += 1
    return now[0]
def step(x):
    began = clock()
    y = x * 2
    return y * (clock() - began), began
=== clock_replaced:
import time
ticks = itertools.count()
time.perf_counter, held = (lambda: next(ticks)), time.perf_counter
def step(x): return x * time.perf_counter()
--- after
time.perf_counter = held
=== stack_of_what_is_entered: compiles
stack = []
class Entered:
    def __init__(self, x): self.held, self.hidden = x * 2, iter(())
def step(x):
    stack.append(None)
    stack.append(Entered(x))
    stack[len(stack) - 2] = stack[-1].held
    y = stack[-1].held + len(stack)
    stack.pop()
    return y * stack.pop()
--- change 3
stack.append(1)
--- state
list(stack)
=== stack_that_is_left_lower
stack = [1, 2, 3, 4, 5, 6, 7, 8]
def step(x):
    stack.append(torch.ones(()))
    stack[1] = 7
    y = x * stack.pop()
    stack.pop()
    stack.append(9)
    stack[-1] = 8
    stack[len(stack) - 1] = 6
    stack.pop()
    stack.append(5)
    return y
--- state
list(stack)
=== stack_that_something_looks_at
stack = []
def step(x):
    stack.append(x)
    seen = list(stack)
    stack.pop()
    stack.insert(0, 2)
    return x * len(stack), seen
--- state
list(stack)
=== optimizer_made_by_the_first_call: compiles
w = torch.nn.Parameter(torch.ones(3))
made = {}
def step(x):
    if w not in made: made[w] = torch.optim.Adam([w], lr=0.1)
    made[w].zero_grad()
    loss = ((w * x) ** 2).sum()
    loss.backward()
    made[w].step()
    return loss
--- state
w, len(made)
''')
