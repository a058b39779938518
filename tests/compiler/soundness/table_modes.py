"""Programs under modes and flags: grad mode, default dtype, autocast, determinism, threads, warnings."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== default_dtype_changed: compiles
def step(x): return x * 2, torch.ones(3)
--- change 3
torch.set_default_dtype(torch.float64)
=== default_dtype_of_constant: compiles
def step(x): return torch.tensor(1.5) + x[0].to(torch.int64)
--- change 3
torch.set_default_dtype(torch.float64)
=== default_dtype_of_division: compiles
def step(x): return x / 2
--- call
torch.arange(1, 4)
--- change 3
torch.set_default_dtype(torch.float64)
=== default_dtype_read: compiles
def step(x): return x * 2 if torch.get_default_dtype() == torch.float32 else x * 3
--- change 3
torch.set_default_dtype(torch.float64)
=== default_dtype_set_inside:
def step(x):
    held = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    y = torch.ones(3)
    torch.set_default_dtype(held)
    return x * y
=== default_dtype_left_set_inside:
def step(x):
    torch.set_default_dtype(torch.float64)
    return x * 2, torch.ones(2)
--- state
torch.get_default_dtype()
=== grad_mode_off: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return x * w
--- change 3
torch.set_grad_enabled(False)
--- change 5
torch.set_grad_enabled(True)
=== grad_mode_read: compiles
def step(x): return x * 2 if torch.is_grad_enabled() else x * 3
--- change 3
torch.set_grad_enabled(False)
=== grad_mode_set_inside:
w = torch.ones(3, requires_grad=True)
def step(x):
    torch.set_grad_enabled(False)
    return x * w
--- state
torch.is_grad_enabled()
=== no_grad_inside: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    with torch.no_grad():
        y = x * w
    return y, x * w
=== no_grad_decorator: compiles
w = torch.ones(3, requires_grad=True)
@torch.no_grad()
def f(x): return x * w
def step(x): return f(x) + w
=== enable_grad_inside_no_grad: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    with torch.no_grad():
        with torch.enable_grad():
            return x * w
=== grad_enabled_by_flag: compiles
w = torch.ones(3, requires_grad=True)
train = True
def step(x):
    with torch.set_grad_enabled(train):
        return x * w
--- change 3
train = False
=== called_under_no_grad:
w = torch.ones(3, requires_grad=True)
def step(x): return x * w
step = compiled(step)
plain = step
def step(x):
    if x[0] > 4:
        with torch.no_grad(): return plain(x)
    return plain(x)
=== called_under_inference_mode: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return x * w
plain = compiled(step)
def step(x):
    if x[0] > 4:
        with torch.inference_mode(): return plain(x)
    return plain(x)
=== data_written_under_inference_mode:
w = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
def step(x):
    global w
    w = (w.detach() * 0.5).requires_grad_()
    try:
        w.data.copy_(x)
    except RuntimeError:
        x = x + 0.5
    return x
inner = compiled(step)
def step(x):
    with torch.inference_mode(): return inner(x)
=== inference_tensor_argument: compiles
def step(x): return x * 2
--- change
with torch.inference_mode(): x = torch.ones(3)
--- call
x if n > 3 else torch.ones(3)
=== inference_mode_inside: compiles
def step(x):
    with torch.inference_mode():
        return x * 2
=== autocast_inside: compiles
m = nn.Linear(3, 3)
def step(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return m(x)
=== autocast_outside: compiles
m = nn.Linear(3, 3)
def step(x): return m(x)
plain = compiled(step)
def step(x):
    if x[0] > 4:
        with torch.autocast("cpu", dtype=torch.bfloat16): return plain(x)
    return plain(x)
=== autocast_flag: compiles
m = nn.Linear(3, 3)
on = False
def step(x):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=on):
        return m(x)
--- change 3
on = True
=== autocast_read: compiles
def step(x): return x * 2 if torch.is_autocast_enabled("cpu") else x * 3
plain = compiled(step)
def step(x):
    if x[0] > 4:
        with torch.autocast("cpu"): return plain(x)
    return plain(x)
=== inference_mode_around: compiles
m = nn.Linear(3, 3)
def step(x): return m(x), x[0], x.view(1, 3)
plain = compiled(step)
def step(x):
    if x[0] > 4:
        with torch.inference_mode(): return plain(x)
    return plain(x)
=== inference_mode_around_writes: compiles
t = torch.zeros(3)
def step(x):
    t.add_(x)
    return t, t[0], (x * 2).add_(1)
plain = compiled(step)
def step(x):
    with torch.inference_mode(bool(x[0] > 4)): return plain(x)
--- state
t, t._version
=== inference_mode_switched_off_inside: compiles
def step(x):
    with torch.inference_mode(False):
        y = x * 2
    return y, x * 3
plain = compiled(step)
def step(x):
    with torch.inference_mode(): return plain(x)
=== inference_mode_read: compiles
def step(x): return x * 2 if torch.is_inference_mode_enabled() else x * 3
plain = compiled(step)
def step(x):
    with torch.inference_mode(bool(x[0] > 4)): return plain(x)
=== inference_mode_views_inside: compiles
def step(x):
    with torch.inference_mode():
        y = x * 2
        return y, y[1:], x[1:], x.detach()
=== autocast_of_another_dtype: compiles
m = nn.Linear(3, 3)
def step(x): return m(x), m(x * 2)
plain = compiled(step)
kind = torch.bfloat16
def step(x):
    with torch.autocast("cpu", dtype=kind): return plain(x)
--- change 3
kind = torch.float16
=== autocast_around_a_training_step: compiles
m = nn.Linear(3, 3)
o = torch.optim.SGD(m.parameters(), lr=0.1)
def step(x):
    loss = m(m(x)).float().square().mean()
    o.zero_grad()
    loss.backward()
    o.step()
    return loss.detach()
plain = compiled(step)
def step(x):
    with torch.autocast("cpu", dtype=torch.bfloat16): return plain(x)
--- state
m.weight, m.weight.grad
=== autocast_without_its_cache: compiles
m = nn.Linear(3, 3)
def step(x): return m(x), m(x + 1)
plain = compiled(step)
def step(x):
    with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=bool(x[0] > 3)): return plain(x)
=== autocast_after_an_eager_call: compiles
m = nn.Linear(3, 3)
def step(x): return m(x)
plain = compiled(step)
def step(x):
    with torch.autocast("cpu", dtype=torch.bfloat16): return m(x), plain(x), m(x * 2)
=== autocast_dtype_set_outside:
m = nn.Linear(3, 3)
def step(x):
    with torch.autocast("cpu"): return m(x)
--- change 3
torch.set_autocast_dtype("cpu", torch.float16)
--- after
torch.set_autocast_dtype("cpu", torch.bfloat16)
=== autocast_enabled_elsewhere:
def step(x): return x * (2 if torch.is_autocast_enabled("mps") else 3)
--- change 3
torch.set_autocast_enabled("mps", True)
--- after
torch.set_autocast_enabled("mps", False)
=== anomaly_mode:
def step(x): return x * 2 if torch.is_anomaly_enabled() else x * 3
plain = compiled(step)
def step(x):
    if x[0] > 4:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.detect_anomaly(): return plain(x)
    return plain(x)
=== deterministic_flag_read:
def step(x): return x * 2 if torch.are_deterministic_algorithms_enabled() else x * 3
--- change 3
torch.use_deterministic_algorithms(True)
=== deterministic_fill:
def step(x): return x * 2, torch.are_deterministic_algorithms_enabled()
--- thread 3
torch.use_deterministic_algorithms(True)
=== thread_count_read:
def step(x): return x * torch.get_num_threads()
--- change 3
torch.set_num_threads(torch.get_num_threads() + 1)
=== print_options_changed:
def step(x):
    print(x / 3)
    return x * 2
--- change 3
torch.set_printoptions(precision=2)
--- after
torch.set_printoptions(profile="default")
=== default_device_read:
def step(x): return x * 2, str(torch.get_default_device())
=== device_context_inside:
def step(x):
    with torch.device("cpu"):
        return x * torch.ones(3)
=== multithreading_flag:
def step(x): return (x * 2).sum()
--- change 3
torch.autograd.set_multithreading_enabled(False)
--- after
torch.autograd.set_multithreading_enabled(True)
=== warnings_inside:
def step(x):
    warnings.warn("told", UserWarning, stacklevel=2)
    return x * 2
=== warnings_filtered_inside:
def step(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("told", UserWarning, stacklevel=2)
    return x * 2
=== warnings_become_errors: raises
k = 0
def step(x):
    if k:
        warnings.warn("told", UserWarning, stacklevel=2)
    return x * 2
--- change 3
warnings.simplefilter("error"); k = 1
=== warning_of_an_operation:
def step(x): return torch.from_numpy(np.broadcast_to(np.float32(1), (3,)).copy()) * x.expand_as(x)
=== warning_by_loss_shapes:
def step(x): return F.mse_loss(x, torch.ones(3, 1))
=== stance_forced_eager:
k = 2.0
def step(x): return x * k
--- change 2
torch.compiler.set_stance("force_eager"); k = 3.0
--- change 4
torch.compiler.set_stance("default")
--- after
torch.compiler.set_stance("default")
=== is_compiling_read:
def step(x): return x * 2 if torch.compiler.is_compiling() else x * 2
=== disabled_function_with_effect:
log = []
@torch.compiler.disable
def f(x):
    log.append(x.tolist())
    return x * 2
def step(x): return f(x + 1)
--- state
log
=== float32_precision_flag:
def step(x): return x * 2 if torch.get_float32_matmul_precision() == "highest" else x * 3
--- change 3
torch.set_float32_matmul_precision("high")
--- after
torch.set_float32_matmul_precision("highest")
=== flush_denormal_absent: compiles
def step(x): return x * 1e-40
=== recursion_limit_read:
def step(x): return x * (2 if sys.getrecursionlimit() > 1500 else 3)
--- change 3
limit = sys.getrecursionlimit(); sys.setrecursionlimit(limit + 1000)
--- after
sys.setrecursionlimit(limit)
=== current_thread_name:
def step(x): return x * 2, threading.current_thread().name
=== called_by_another_thread: compiles
k = [2.0]
def step(x): return x * k[0]
plain = compiled(step)
def step(x):
    out = []
    t = threading.Thread(target=lambda: out.append(plain(x)))
    t.start(); t.join()
    return out[0]
--- change 3
k[0] = 3.0
=== grad_mode_of_another_thread: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return x * w
--- thread 3
torch.set_grad_enabled(False)
=== function_mode_entered_inside:
class M(torch.overrides.TorchFunctionMode):
    calls = []
    def __torch_function__(self, func, types, args=(), kwargs=None):
        M.calls.append(func.__name__)
        return func(*args, **(kwargs or {}))
def step(x):
    with M():
        return x * 2
--- state
M.calls
=== modules_checkpointed_in_order_where_errors_are_handled:
m = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Dropout(0.5))
def step(x):
    try:
        x = torch.utils.checkpoint.checkpoint_sequential(m, 1, x, use_reentrant=False)
    except (RuntimeError, TypeError):
        x = x + 1
    return x
=== inference_tensor_saved_where_the_error_is_handled: compiles
with torch.inference_mode(): given = torch.arange(3.0)
w = torch.ones(3, requires_grad=True)
def step(x):
    try: return x + w * given
    except RuntimeError: return x + 7 * given
=== inference_tensor_saved_of_what_is_dropped: raises
with torch.inference_mode(): given = torch.arange(3.0)
w = torch.ones(3, requires_grad=True)
def step(x):
    y = w * given
    return x * 2
--- change 4
w.requires_grad_(False)
=== anomaly_mode_inside: raises
w = torch.zeros(3, requires_grad=True)
def step(x, on):
    with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(on, check_nan=x.shape[0] > 2):
        warnings.simplefilter("ignore")
        (w.sqrt() * x).sum().backward()
    return x
--- call
torch.zeros(3 if n < 5 else 1), n % 3 == 1
=== default_device_changed:
def step(x): return torch.zeros(2).device.type, x * 2
--- call
torch.full((3,), n, device="cpu")
--- change 3
torch.set_default_device("meta")
--- change 5
torch.set_default_device(None)
--- after
torch.set_default_device(None)
=== default_device_of_another_thread: compiles
makes = compiled(lambda x: x * torch.ones(3))
def step(x):
    found = []
    with torch.device("meta"):
        thread = threading.Thread(target=lambda: found.append(makes(x)))
        thread.start()
        thread.join()
    return found
=== default_device_inside: compiles
def step(x):
    with torch.device("cpu"): return x + torch.ones(3)
=== warning_of_a_lost_history: compiles
torch.set_warn_always(True)
w = torch.ones((), requires_grad=True)
def step(x):
    with torch.no_grad(): a = float(w)
    return x * a, int(w), math.sqrt(w), w.item()
--- change 3
torch.set_warn_always(False)
--- after
torch.set_warn_always(False)
=== warnings_always_given: compiles
def step(x): return x.reshape(1, 3, 1).T * 2
--- change 0 5
torch.set_warn_always(True)
--- change 3
torch.set_warn_always(False)
--- after
torch.set_warn_always(False)
=== mutation_of_saved_tensors_inside:
w = torch.ones(3, requires_grad=True)
def step(x):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = w * x
        loss = y.sin().sum()
        y.mul_(2)
        (loss + y.sum()).backward()
    return y
--- state
w.grad
''')
