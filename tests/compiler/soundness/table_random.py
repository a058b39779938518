"""Programs that draw: Python's generator, NumPy's, torch's, and generators of the program's own."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== python_random:
def step(x): return x * random.random()
=== python_random_integer_branch:
def step(x): return x * 2 if random.randint(0, 1) else x * 3
=== python_random_shuffle:
l = [1.0, 2.0, 3.0]
def step(x):
    random.shuffle(l)
    return x * l[0]
--- state
l
=== python_random_object:
r = random.Random(3)
def step(x): return x * r.random()
=== python_random_object_inside:
def step(x): return x * random.Random(3).random()
=== python_random_seeded_inside:
def step(x):
    random.seed(3)
    return x * random.random()
=== python_random_by_name:
draw = random.random
def step(x): return x * draw()
=== python_random_in_helper:
class O:
    def draw(self): return random.uniform(1, 2)
o = O()
def step(x): return x * o.draw()
=== python_random_choice_of_tensor:
l = [torch.ones(3), torch.zeros(3)]
def step(x): return x + random.choice(l)
=== python_random_only_read:
def step(x): return x * 2, hash(random.getstate()) is not None
=== numpy_random:
def step(x): return x * np.random.rand()
=== numpy_random_array:
def step(x): return x * torch.from_numpy(np.random.rand(3))
=== numpy_random_permutation:
def step(x): return x[np.random.permutation(3).tolist()]
=== numpy_random_seeded_inside:
def step(x):
    np.random.seed(3)
    return x * float(np.random.rand())
=== numpy_generator:
g = np.random.default_rng(3)
def step(x): return x * g.random()
--- state
g.bit_generator.state
=== numpy_generator_inside:
def step(x): return x * np.random.default_rng(3).random()
=== numpy_random_state_object:
g = np.random.RandomState(3)
def step(x): return x * g.rand()
=== torch_rand: compiles
def step(x): return x * torch.rand(3)
=== torch_rand_reseeded_between: compiles
def step(x): return x * torch.rand(3)
--- change 3
torch.manual_seed(3)
=== torch_rand_shapes: compiles
def step(x): return x * torch.randn(len(x)), torch.rand(2)
--- call
torch.ones(n % 3 + 1)
=== torch_rand_unused: compiles
def step(x):
    torch.rand(3)
    return x * 2
=== torch_rand_in_branch: compiles
on = True
def step(x): return x * torch.rand(3) if on else x
--- change 3
on = False
=== torch_rand_twice_order: compiles
def step(x):
    a = torch.rand(3)
    b = torch.randn(3)
    return b * x, a
=== torch_normal_and_bernoulli: compiles
def step(x): return torch.bernoulli(x * 0 + 0.5), torch.normal(0.0, 1.0, (3,))
=== torch_in_place_draw: compiles
t = torch.zeros(3)
def step(x):
    t.uniform_()
    return x * t
--- state
t
=== torch_randint_and_permutation: compiles
def step(x): return torch.randint(0, 5, (3,)), torch.randperm(3)
=== torch_multinomial:
def step(x): return torch.multinomial(x, 2)
=== torch_rand_like_and_dropout: compiles
def step(x): return torch.rand_like(x), F.dropout(x, 0.5), F.dropout(x, 0.5, training=False)
=== torch_manual_seed_inside: compiles
def step(x):
    torch.manual_seed(3)
    return x * torch.rand(3)
=== torch_manual_seed_of_state: compiles
k = 3
def step(x):
    torch.manual_seed(k)
    return x * torch.rand(3)
--- change 3
k = 4
=== torch_manual_seed_counted: compiles
count = [0]
def step(x):
    a = torch.rand(3)
    count[0] += 1
    torch.manual_seed(count[0])
    return x * a, torch.randn(3)
--- state
torch.rand(2), torch.initial_seed()
=== torch_manual_seed_before_a_decision: compiles
def step(x):
    torch.rand(5)
    torch.manual_seed(3)
    return x * torch.rand(3) if torch.rand(()) < 0.5 else x
=== torch_generator_seeded_inside: compiles
g = torch.Generator()
def step(x):
    g.manual_seed(-5)
    return x * torch.rand(3, generator=g), torch.rand(2)
--- state
g.get_state()
=== torch_generator_made_inside: compiles
def step(x):
    g = torch.Generator()
    a = torch.rand(3, generator=g)
    return x * a, torch.randn(3, generator=g.manual_seed(2))
=== torch_generator_given_out:
def step(x):
    g = torch.Generator()
    return x * torch.rand(3, generator=g), torch.rand(3, generator=g), g.get_state()
=== torch_seed_too_large: raises
def step(x):
    torch.manual_seed(2**64)
    return x
=== torch_seed_drawn_inside:
def step(x):
    seed = torch.initial_seed()
    return x * (seed % 5)
--- change 3
torch.manual_seed(8)
=== torch_state_saved_inside:
def step(x):
    held = torch.get_rng_state()
    a = torch.rand(3)
    torch.set_rng_state(held)
    return a, torch.rand(3)
=== torch_fork_inside:
def step(x):
    with torch.random.fork_rng():
        a = torch.rand(3)
    return a, torch.rand(3)
=== torch_fork_seeded:
def step(x):
    with torch.random.fork_rng():
        torch.manual_seed(3)
        a = torch.rand(3)
    return a * x
=== generator_outside: compiles
g = torch.Generator(); g.manual_seed(3)
def step(x): return x * torch.rand(3, generator=g)
--- state
g.get_state()
=== generator_reseeded_between: compiles
g = torch.Generator(); g.manual_seed(3)
def step(x): return x * torch.rand(3, generator=g)
--- change 3
g.manual_seed(4)
=== generator_replaced: compiles
g = torch.Generator(); g.manual_seed(3)
def step(x): return x * torch.rand(3, generator=g)
--- change 3
g = torch.Generator(); g.manual_seed(5)
--- state
g.get_state()
=== torch_generator_inside: compiles
def step(x):
    g = torch.Generator()
    g.manual_seed(3)
    return x * torch.rand(3, generator=g)
=== generator_argument: compiles
g = torch.Generator(); g.manual_seed(3)
def step(x, g): return x * torch.rand(3, generator=g)
--- call
torch.ones(3), g
=== generator_is_the_default: compiles
def step(x): return x * torch.rand(3, generator=torch.default_generator)
=== generator_seeded_inside:
g = torch.Generator()
def step(x):
    g.manual_seed(3)
    return x * torch.rand(3, generator=g)
--- state
g.get_state()
=== generator_state_read_inside:
g = torch.Generator(); g.manual_seed(3)
def step(x):
    torch.rand(3, generator=g)
    return x * 2, g.get_state()
=== generator_in_list: compiles
g = [torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)]
k = 0
def step(x): return x * torch.rand(3, generator=g[k])
--- change 3
k = 1
=== draw_in_backward: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    y = F.dropout(w * x, 0.5)
    y.sum().backward()
    return y.detach()
--- state
w.grad
=== draw_then_error: raises
def step(x):
    y = torch.rand(3)
    return y + x
--- call
torch.ones(4 if n == 3 else 3)
=== draw_depends_on_number:
def step(x): return x * torch.rand(3) if x.sum() > 12 else x
=== distribution_sample:
d = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
def step(x): return x * d.sample()
--- change 3
d = torch.distributions.Uniform(torch.zeros(3), torch.ones(3))
=== all_three_generators:
def step(x): return x * random.random() + float(np.random.rand()) + torch.rand(3)
=== secrets_and_uuid_lengths:
import uuid
def step(x): return x * len(str(uuid.uuid4()))
=== generator_cloned:
g = torch.Generator().manual_seed(11)
def step(x): return x + torch.rand(3, generator=g.clone_state())
--- change 3
torch.rand(2, generator=g)
''')
