"""`python -m pullback`: programs that say torch get pullback, and run as under `python`.

What Python itself does is the expectation: most tests run one program under both and compare. Those use a
small stand-in package around the real runner, because they are about running and not about tensors; the tests
at the end use the real package.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

Done = subprocess.CompletedProcess[str]

SOURCE = Path(__file__).parents[1] / "src"

STAND_IN = {
    "__init__.py": """
        import pullback.autograd as autograd
        import pullback.nn as nn
        from pullback.tensor import tensor
    """,
    "nn/__init__.py": "from pullback.nn.linear import Linear as Linear\nimport math",
    "nn/linear.py": "class Linear: pass",
    "nn/functional.py": "from . import linear\n\ndef relu(x): return x",
    "autograd/__init__.py": "from pullback.autograd.gradcheck import gradcheck as gradcheck",
    "autograd/gradcheck.py": "def gradcheck(): return True",
    "tensor/__init__.py": "def tensor(x): return [x]",
    "late/__init__.py": "import not_installed_anywhere",
    "utils/__init__.py": "",
    "utils/data.py": "class Dataset: pass",
}


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package `pullback` of a few empty modules and the real runner."""
    folder = tmp_path_factory.mktemp("stand_in")
    package = folder / "pullback"
    for name, text in STAND_IN.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(dedent(text))
    for name in ("__main__.py", "torch_names/__init__.py", "torch_names/version.py",
                 "torch_names/exclusions.py", "torch_names/exclusions.txt"):
        (package / name).parent.mkdir(exist_ok=True)
        shutil.copy(SOURCE / "pullback" / name, package / name)
    shutil.copytree(SOURCE / "pullback/command", package / "command")
    return folder


class Shell:
    """Runs Python with a package folder on its path, in a folder of its own."""

    def __init__(self, path: Path, cwd: Path) -> None:
        self.path = path
        self.cwd = cwd

    def write(self, name: str, text: str) -> Path:
        """Write a program into the working folder."""
        file = self.cwd / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"))
        return file

    def python(self, *arguments: str | Path, stdin: str = "") -> Done:
        """Run `python arguments…`."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, cwd=self.cwd, env=environment, timeout=60
        )

    def __call__(self, *arguments: str | Path, stdin: str = "") -> Done:
        """Run `python -m pullback arguments…`."""
        return self.python("-m", "pullback", *arguments, stdin=stdin)

    def output(self, *arguments: str | Path, stdin: str = "") -> str:
        """Run `python -m pullback arguments…` to a good end and return what it printed."""
        done = self(*arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture
def shell(stand_in: Path, tmp_path: Path) -> Shell:
    return Shell(stand_in, tmp_path)


@pytest.fixture
def real(tmp_path: Path) -> Shell:
    return Shell(SOURCE, tmp_path)


def assert_as_python(shell: Shell, *arguments: str | Path, stdin: str = "") -> Done:
    """Run with and without `-m pullback` and compare everything that can be seen from outside."""
    plain, ours = shell.python(*arguments, stdin=stdin), shell(*arguments, stdin=stdin)
    assert ours.stdout == plain.stdout
    assert ours.stderr == plain.stderr
    assert ours.returncode == plain.returncode
    return ours


# ------------------------------------------------------------------------------------------ torch is pullback


def test_torch_is_the_very_module(shell: Shell) -> None:
    program = """
        import torch, pullback, sys
        import torch.nn as nn
        import torch.nn.functional
        from torch import nn as nn2
        from torch.nn import functional as F
        from torch.utils.data import Dataset
        import pullback.utils.data, pullback.nn.functional, importlib
        assert torch is pullback is sys.modules["torch"]
        assert nn is nn2 is torch.nn is pullback.nn is sys.modules["torch.nn"]
        assert F is torch.nn.functional is pullback.nn.functional is sys.modules["torch.nn.functional"]
        assert Dataset is pullback.utils.data.Dataset
        assert importlib.import_module("torch.nn.linear").Linear is nn.Linear
        print("same")
    """
    shell.write("same.py", program)
    assert shell.output("same.py") == "same\n"


def test_modules_keep_their_own_spec(shell: Shell) -> None:
    program = """
        import importlib, torch.nn.functional as F, torch
        for module in (torch, torch.nn, F):
            assert module.__spec__.name == (module.__name__, "pullback")[module is torch], module
            assert module.__package__.startswith("pullback")
        assert importlib.reload(F) is F
        print(importlib.util.find_spec("torch.nn.functional").name)
    """
    shell.write("spec.py", program)
    assert shell.output("spec.py") == "pullback.nn.functional\n"


def test_submodules_are_imported_when_asked_for(shell: Shell) -> None:
    program = """
        import sys, torch
        assert not any(name.endswith("utils.data") for name in sys.modules)
        import torch.utils.data
        print(torch.utils.data.__name__)
    """
    shell.write("lazy.py", program)
    assert shell.output("lazy.py") == "pullback.utils.data\n"


def test_function_and_module_of_one_name(shell: Shell) -> None:
    program = """
        import torch
        from torch.autograd.gradcheck import gradcheck
        assert torch.autograd.gradcheck is gradcheck
        try:
            import torch.nn.math
        except ModuleNotFoundError as error:
            print(error)
        print(torch.tensor(1))
    """
    shell.write("shadow.py", program)
    expected = "No module named 'torch.nn.math': pullback has no module 'pullback.nn.math'\n[1]\n"
    assert shell.output("shadow.py") == expected


NO_CUDA = "ModuleNotFoundError: No module named 'torch.cuda': pullback has no module 'pullback.cuda'"


@pytest.mark.parametrize(
    "statement, message",
    [
        ("import torch.cuda", NO_CUDA),
        ("import torch.cuda.amp", NO_CUDA),
        ("from torch.nn import Rnn", "ImportError: cannot import name 'Rnn' from 'pullback.nn'"),
        ("torch.nowhere", "AttributeError: module 'torch' has no attribute 'nowhere'"),
        ("torch.nn.Nowhere", "AttributeError: module 'pullback.nn' has no attribute 'Nowhere'"),
        ("import torch.nn.linear.deeper", "ModuleNotFoundError: No module named 'torch.nn.linear.deeper'"),
        ("import torch.late", "ModuleNotFoundError: No module named 'not_installed_anywhere'"),
    ],
)
def test_what_is_missing_says_so(shell: Shell, statement: str, message: str) -> None:
    done = shell("-c", f"import torch; {statement}")
    assert done.returncode == 1
    assert message in done.stderr.splitlines()[-1]


def test_an_installed_torch_is_never_used(shell: Shell, tmp_path: Path) -> None:
    for name in ("torch/__init__.py", "torch/only_there.py", "sitecustomize.py"):
        shell.write(f"installed/{name}", "import torch" if name == "sitecustomize.py" else "")
    both = Shell(Path(f"{shell.path}{os.pathsep}{tmp_path / 'installed'}"), tmp_path)
    asked = "import torch; print(torch.__name__, torch.__package__)"
    assert both.python("-c", asked).stdout == "torch torch\n"
    assert both.output("-c", asked) == "torch pullback\n"
    done = both("-c", "import torch.only_there")
    assert "pullback has no module 'pullback.only_there'" in done.stderr


def test_pickles_that_name_torch(shell: Shell) -> None:
    program = r"""
        import pickle, torch
        assert pickle.loads(b"ctorch.nn.linear\nLinear\n.") is torch.nn.Linear
        assert pickle.loads(b"ctorch.utils.data\nDataset\n.").__module__ == "pullback.utils.data"

        class Net(torch.nn.Linear):
            pass

        Net.__module__ = "torch.nn.linear"
        torch.nn.linear.Net = Net
        assert type(pickle.loads(pickle.dumps(Net()))) is Net

        class Mine(torch.nn.Linear):
            pass

        assert type(pickle.loads(pickle.dumps(Mine()))) is Mine
        print(Mine.__module__)
    """
    shell.write("pickles.py", program)
    assert shell.output("pickles.py") == "__main__\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_worker_processes(shell: Shell, method: str) -> None:
    program = f"""
        import multiprocessing
        import torch
        import torch.nn.functional as F

        def work(x):
            return F.__name__, torch.__package__, x + 1

        if __name__ == "__main__":
            with multiprocessing.get_context({method!r}).Pool(1) as pool:
                print(pool.map(work, [1]))
    """
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("Windows can only spawn")
    shell.write("workers.py", program)
    assert shell.output("workers.py") == "[('pullback.nn.functional', 'pullback', 2)]\n"


def test_python_programs_that_it_starts(shell: Shell) -> None:
    """They find its torch, unless another environment is theirs or the program was told otherwise."""
    program = """
        import os, subprocess, sys
        import torch

        if sys.argv[1:]:
            print(torch.__package__ or "another", flush=True)
        else:
            for environment in ({}, {"PULLBACK_AS_TORCH": "another environment"}):
                command = [sys.executable, __file__, "again"]
                subprocess.run(command, env={**os.environ, **environment}, check=True)
    """
    shell.write("torch.py", "")
    shell.path = Path(f"{shell.path}{os.pathsep}{shell.cwd}")
    shell.write("folder/program.py", program)
    assert shell.output("folder/program.py") == "pullback\nanother\n"


# ------------------------------------------------------------------------------------------ as Python runs it

SURROUNDINGS = """
    import sys, os
    print(sys.argv, __name__, __file__, __package__, __spec__ and __spec__.name, type(__loader__).__name__)
    print(sys.path[0], __doc__, globals().get("__annotations__"))
    print(sorted(k for k in globals() if k[:2] == "__"))
    print(sys.modules["__main__"].__dict__ is globals(), type(__builtins__), __cached__ and 1)
"""


@pytest.mark.parametrize("name", ["script.py", "no_suffix", "a folder/with spaces é.py"])
def test_script_surroundings(shell: Shell, name: str) -> None:
    file = shell.write(name, SURROUNDINGS)
    assert_as_python(shell, name, "a", "-m", "--help", "")
    assert_as_python(shell, file)


def test_script_imports_its_neighbours_and_not_the_current_folder(shell: Shell) -> None:
    shell.write("project/helper.py", "where = 'beside the script'")
    shell.write("helper.py", "where = 'current folder'")
    shell.write("project/main.py", "import helper; print(helper.where)")
    assert assert_as_python(shell, "project/main.py").stdout == "beside the script\n"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege on Windows")
def test_linked_script(shell: Shell) -> None:
    target = shell.write("project/main.py", SURROUNDINGS)
    (shell.cwd / "link.py").symlink_to(target)
    assert_as_python(shell, "link.py")


def test_encoding_declaration(shell: Shell) -> None:
    (shell.cwd / "latin.py").write_bytes("# -*- coding: latin-1 -*-\nprint(ascii('é'))\n".encode("latin-1"))
    assert assert_as_python(shell, "latin.py").stdout == "'\\xe9'\n"


def test_runner_lends_no_future_import(shell: Shell) -> None:
    shell.write("plain.py", "def f(x: 1 + 1): pass\nprint(f.__annotations__)")
    assert assert_as_python(shell, "plain.py").stdout == "{'x': 2}\n"


def test_module(shell: Shell) -> None:
    shell.write("package/__init__.py", "import sys; print(sys.argv)")
    shell.write("package/part.py", SURROUNDINGS)
    shell.write("package/__main__.py", SURROUNDINGS)
    assert_as_python(shell, "-m", "package.part", "a", "-b")
    assert_as_python(shell, "-m", "package", "a")


def test_module_of_torch(shell: Shell) -> None:
    assert shell.output("-m", "torch.utils.data") == ""
    assert shell.output("-m", "torch", "--version").startswith("pullback ")


def test_other_people_s_runners_see_torch_too(shell: Shell) -> None:
    shell.write("test_it.py", "import torch\n\ndef test(): assert torch.__package__ == 'pullback'")
    assert "1 passed" in shell("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py").stdout
    shell.write("program.py", "import torch, sys; print(torch.__package__, __name__, sys.argv)")
    profile = shell.output("-m", "cProfile", "program.py", "a")
    assert profile.startswith("pullback __main__ ['program.py', 'a']\n")


def test_code(shell: Shell) -> None:
    code = "import sys; print(sys.argv, repr(sys.path[0]), __name__, '__file__' in globals())"
    assert_as_python(shell, "-c", code, "a", "-m")
    assert_as_python(shell, "-c", "1/0")


def test_standard_input(shell: Shell) -> None:
    code = "import sys; print(sys.argv, repr(sys.path[0]), __name__)\n"
    assert_as_python(shell, "-", "a", stdin=code)


def test_folder_and_zip(shell: Shell) -> None:
    shell.write("app/__main__.py", dedent(SURROUNDINGS) + "import neighbour\n")
    shell.write("app/neighbour.py", "print(__file__)")
    with zipfile.ZipFile(shell.cwd / "app.zip", "w") as archive:
        for name in ("__main__.py", "neighbour.py"):
            archive.write(shell.cwd / "app" / name, name)
    assert_as_python(shell, "app", "a")
    assert_as_python(shell, "app.zip", "a")


def test_safe_path(shell: Shell) -> None:
    shell.write("script.py", "import sys; print(__file__)")
    shell.write("torch.py", "raise RuntimeError('the current folder was searched')")
    done = shell.python("-P", "-m", "pullback", "script.py")
    assert (done.stdout, done.stderr) == (f"{shell.cwd / 'script.py'}\n", "")
    code = "import sys; print([p for p in sys.path if p.endswith('zip')])"
    assert shell.python("-P", "-m", "pullback", "-c", code).stdout == shell.python("-P", "-c", code).stdout


# ------------------------------------------------------------------------------------------ how it ends


@pytest.mark.parametrize(
    "ending",
    [
        "sys.exit()",
        "sys.exit(3)",
        "sys.exit('a message')",
        "raise SystemExit(None)",
        "os._exit(7)",
        "raise KeyError('x')",
        "deep(3)",
        "raise ValueError('a') from KeyError('b')",
        "exec('1 +')",
        "error = ValueError('x'); error.add_note('a note'); raise error",
        "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
        "raise KeyboardInterrupt",
        "atexit.register(lambda: print(sys.modules['__main__'].deep.__name__))",
        "import json.nothing_here",
    ],
)
def test_endings(shell: Shell, ending: str) -> None:
    program = f"""
        import atexit, os, sys

        def deep(n):
            return deep(n - 1) if n else 1 / 0

        print("begun", flush=True)
        {ending}
    """
    shell.write("ending.py", program)
    shell.write("package/__init__.py", "")
    shutil.copy(shell.cwd / "ending.py", shell.cwd / "package/ending.py")
    assert_as_python(shell, "ending.py")
    plain, ours = shell.python("-m", "package.ending"), shell("-m", "package.ending")
    frozen = [line for line in plain.stderr.splitlines(keepends=True) if "<frozen runpy>" not in line]
    assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, "".join(frozen))


def test_hook_that_the_program_sets(shell: Shell) -> None:
    program = """
        import sys
        sys.excepthook = lambda kind, error, tb: print(kind, tb is error.__traceback__, tb.tb_next)
        1 / 0
    """
    shell.write("hook.py", program)
    assert assert_as_python(shell, "hook.py").stdout == "<class 'ZeroDivisionError'> True None\n"


def test_syntax_error(shell: Shell) -> None:
    shell.write("wrong.py", "x = 1\nif x:\nprint(x)\n")
    assert_as_python(shell, "wrong.py")


def test_error_while_a_parent_package_is_imported(shell: Shell) -> None:
    shell.write("broken/__init__.py", "import nothing_here")
    shell.write("broken/part.py", "")
    done = shell("-m", "broken.part")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{shell.cwd / "broken/__init__.py"}", line 1, in <module>'
    assert lines[-1] == "ModuleNotFoundError: No module named 'nothing_here'"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_interrupt_from_outside(shell: Shell) -> None:
    program = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('not reached')"
    shell.write("interrupted.py", program)
    assert assert_as_python(shell, "interrupted.py").returncode == -signal.SIGINT


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (["nowhere.py"], 2, "can't open file '{cwd}/nowhere.py': [Errno 2] No such file or directory"),
        (["-m", "nowhere"], 1, "No module named nowhere"),
        (["-m", "nowhere.deeper"], 1, "No module named nowhere.deeper"),
        (["-m", "torch.nowhere"], 1, "No module named pullback.nowhere"),
        (["-m", "torch.nn"], 1, "No module named pullback.nn.__main__; 'pullback.nn' is a package"),
        (["empty"], 1, "can't find '__main__' module in 'empty'"),
        (["-m"], 2, "argument expected for the -m option"),
        (["-c"], 2, "argument expected for the -c option"),
        (["--nothing"], 2, "unknown option --nothing"),
        ([], 2, "no program given"),
    ],
)
def test_what_cannot_be_run(shell: Shell, arguments: list[str], status: int, message: str) -> None:
    (shell.cwd / "empty").mkdir()
    done = shell(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert f"{sys.executable} -m pullback: {message.format(cwd=shell.cwd)}" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_and_version(shell: Shell) -> None:
    assert shell.output("--help") == shell.output("-h")
    assert shell.output("--help").startswith("usage: python -m pullback SCRIPT")
    assert shell.output("--version") == shell.output("-V")


# ------------------------------------------------------------------------------------------ the real package


def test_real_program(real: Shell) -> None:
    program = """
        import sys
        import torch
        import torch.nn as nn
        from torch.nn import functional as F
        from torch.autograd import Variable
        from torch.utils.checkpoint import checkpoint

        x = Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
        y = torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])
        y.backward(gradient=torch.tensor([1.0, 10.0, 100.0]))
        print(x.grad)
        print(F.relu(torch.tensor(-1.0)), isinstance(nn.Linear(2, 3), nn.Module), sys.argv[1:])
    """
    real.write("program.py", program)
    expected = "tensor([  26., 1240.])\ntensor(0.) True ['argument']\n"
    assert real.output("program.py", "argument") == expected


def test_functorch_comes_with_torch(real: Shell) -> None:
    program = """
        import warnings
        warnings.simplefilter("ignore")
        import functorch, torch
        from functorch import make_functional, vmap
        from functorch.einops import rearrange
        print(functorch.__version__ == torch.__version__, functorch.__name__, rearrange.__module__)
        print(vmap(lambda x: x * 2)(torch.ones(2)))
        try:
            import functorch.dim
        except ModuleNotFoundError as error:
            print(error)
    """
    real.write("program.py", program)
    assert real.output("program.py").splitlines() == [
        "True pullback.torch_names.functorch pullback.func.rearrange",
        "tensor([2., 2.])",
        "No module named 'functorch.dim': pullback has no module 'pullback.functorch.dim'",
    ]


def test_program_of_the_readme(real: Shell) -> None:
    readme = (SOURCE.parent / "README.md").read_text(encoding="utf-8")
    program, rest = readme.split("```python\n")[1].split("```", 1)
    promised = rest.split("```text\n")[1].split("```")[0]
    real.write("readme.py", program)
    assert real.output("readme.py") == promised


def test_real_error_begins_in_the_program(real: Shell) -> None:
    real.write("wrong.py", "import torch\n\ntorch.ones(2, requires_grad=True).mul(2).backward()\n")
    done = real("wrong.py")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{real.cwd / "wrong.py"}", line 3, in <module>'
    assert "RuntimeError: grad can be implicitly created only for scalar outputs" in lines


def test_real_error_of_no_graph_is_explained(real: Shell) -> None:
    """No error of the graph was raised before, whose module would have been loaded."""
    program = """
        import torch

        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                return x * factor

            @staticmethod
            def backward(ctx, g):
                return g

        Scale.apply(torch.ones(2, requires_grad=True), 2.0).sum().backward()
        """
    real.write("wrong.py", program)
    assert "  mend: return None for each input that needs none" in real("wrong.py").stderr


def test_real_missing_name(real: Shell) -> None:
    done = real("-c", "import torch; torch.no_such_function(1)")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-2:] == [
        "AttributeError: module 'torch' has no attribute 'no_such_function'",
        "torch.no_such_function is not part of pullback",
    ]


def test_metadata_tell_of_torch(real: Shell) -> None:
    file = real.write(
        "program.py",
        """
        import importlib.metadata as metadata, torch
        print(metadata.version('torch') == str(torch.__version__))
        print('torch' in metadata.packages_distributions())
        """,
    )
    assert real.output(file) == "True\nTrue\n"
