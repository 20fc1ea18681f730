"""The plugin of pytest: tests that run on ranks, what fails there, and models that are verified."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

Project = Callable[..., tuple[int, str]]

HEAT = """
import numpy as np

import lapwing


class Heat:
    grid = (24, 16)

    def create(self, domain, **options):
        a, b = domain.field("a"), domain.field("b")

        @lapwing.stage(reads=[(a, 1)], writes=[b])
        def there(box, a, b):
            b[...] = a.at() + 0.2 * (a.at(x=-1) - a.at())

        @lapwing.stage(reads=[(b, 1)], writes=[a])
        def back(box, b, a):
            a[...] = b.at() + 0.2 * (b.at(y=-1) - b.at())

        step = lapwing.Step(domain, [there, back], **options)
        cells = np.indices(a.owned.shape)
        a.owned[...] = 1.0 / (1 + cells[0] + domain.box.lo[0] + 7 * (cells[1] + domain.box.lo[1]))
        a.modified()
        return step
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """project(source, *options): pytest on a project with one file of tests; code and output."""
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = ["-ra"]\n')
    (tmp_path / "heat.py").write_text(HEAT)

    def run(source: str, *options: str) -> tuple[int, str]:
        (tmp_path / "test_own.py").write_text(textwrap.dedent(source))
        command = [sys.executable, "-m", "pytest", *PLUGIN, *options, "test_own.py"]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
        )
        return done.returncode, done.stdout + done.stderr

    return run


# by name where lapwing was installed before it had the plugin
KNOWN = any(entry.name == "lapwing" for entry in entry_points(group="pytest11"))
PLUGIN = [] if KNOWN else ["-p", "lapwing.commands.testing.plugin"]

pytestmark = pytest.mark.ranks


def test_a_marked_test_runs_on_its_ranks(project: Project) -> None:
    code, output = project(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def ranks():
            from mpi4py.MPI import COMM_WORLD
            return COMM_WORLD.size

        @pytest.mark.lapwing(ranks=3)
        @pytest.mark.parametrize("factor", [1, 2])
        def test_ranks(ranks, factor, tmp_path):
            import lapwing
            domain = lapwing.Domain((12, 9))
            assert domain.ranks * factor == ranks * factor == 3 * factor
            assert tmp_path.exists()

        class TestInside:
            @pytest.mark.lapwing(2, timeout=40)
            def test_of_a_class(self):
                import lapwing
                assert lapwing.Domain((12, 9)).ranks == 2

        @pytest.mark.lapwing(ranks=2)
        @pytest.mark.skipif(True, reason="not here")
        def test_skipped():
            raise AssertionError

        @pytest.mark.lapwing(ranks=2)
        def test_skips_itself():
            pytest.skip("not today")

        @pytest.mark.lapwing(ranks=2)
        @pytest.mark.xfail(strict=True, reason="known")
        def test_known_to_fail():
            raise AssertionError
        """
    )
    assert code == 0, output
    assert "3 passed, 2 skipped, 1 xfailed" in output
    assert "not here" in output
    assert "not today" in output


def test_what_fails_on_one_rank_is_told_with_its_rank_and_ends_the_others(project: Project) -> None:
    code, output = project(
        """
        import pytest

        @pytest.mark.lapwing(ranks=3, timeout=60)
        def test_one_rank_is_wrong():
            import lapwing
            domain = lapwing.Domain((12, 9))
            print("this is rank", domain.rank)
            assert domain.rank != 1, "wrong here"
            domain.mpi.barrier()
        """
    )
    assert code == 1, output
    assert "test_one_rank_is_wrong on 3 ranks" in output
    assert "=== rank 1: failed" in output
    assert "wrong here" in output
    assert "this is rank 1" in output
    assert "=== rank 0, 2: did not end" in output.replace("=== rank 0: did", "=== rank 0, 2: did")
    assert "in test_one_rank_is_wrong" in output  # where the others were


def test_a_test_that_hangs_ends_in_time_and_shows_where(project: Project) -> None:
    code, output = project(
        """
        import pytest

        @pytest.mark.lapwing(ranks=2, timeout=6)
        def test_hangs():
            import lapwing
            domain = lapwing.Domain((12, 9))
            if domain.rank == 0:
                domain.mpi.recv(source=1)
        """
    )
    assert code == 1, output
    assert "test_hangs on 2 ranks: no end after 6 s" in output
    assert "=== rank 0: did not end, and was here:" in output
    assert "=== rank 1: passed" in output


def test_what_all_ranks_meet_is_told_once(project: Project) -> None:
    code, output = project(
        """
        import pytest

        @pytest.mark.lapwing(ranks=2)
        def test_too_many_blocks():
            import lapwing
            lapwing.Domain((1, 1))
        """
    )
    assert code == 1, output
    assert "=== rank 0, 1: failed" in output
    assert output.count("UserError") >= 1


def test_a_wrong_marker_and_a_file_that_cannot_be_imported_are_told(project: Project) -> None:
    code, output = project(
        """
        import pytest

        @pytest.mark.lapwing(ranks=0)
        def test_no_ranks():
            pass

        @pytest.mark.lapwing(ranks=2, nodes=1)
        def test_unknown_word():
            pass
        """
    )
    assert code == 1, output
    assert "got (ranks=0); expected ranks=N" in output
    assert "got (ranks=2, nodes=1); expected ranks=N" in output
    code, output = project(
        """
        import os
        import pytest

        if os.environ.get("LAPWING_TEST_REPORTS"):
            raise ImportError("only there")

        @pytest.mark.lapwing(ranks=2)
        def test_something():
            pass
        """
    )
    assert code == 1, output
    assert "only there" in output


def test_models_are_verified(project: Project) -> None:
    code, output = project(
        """
        from heat import Heat

        def test_agrees(verify):
            verify(Heat, ranks=2, steps=4, strategies=["blocking", "dataflow"], transports=["p2p"])

        def test_unknown_strategy(verify):
            verify("heat.py:Heat", ranks=2, strategies=["sideways"])

        def test_no_model(verify):
            verify(lambda: None)
        """
    )
    assert code == 1, output
    assert "1 passed" in output or "2 failed, 1 passed" in output
    assert "sideways" in output
    assert "expected a class, a function named model" in output


def test_the_guide_has_tests_that_run(project: Project) -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "checking.md").read_text()
    begin = "import lapwing\nimport numpy as np\nimport pytest\n"
    source = begin + guide.split("```python\n" + begin, 1)[1].split("```", 1)[0]
    code, output = project(source)
    assert code == 0, output
    assert "2 passed" in output
