"""Seconds that a compiler takes for a model of 20 stages, declared and with contexts by hand.

python lab/programs/compile_time.py [STAGES]

The programs have the same kernels over the same views. Three say `stage(name, kernel, ...)`; the
other fills the engine's own Stage, with a context struct behind a pointer per kernel, as models did
before. In turn, with the flags of a release; time of the processor, as others may use the machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 5

KERNEL = """
void kernel_{n}(Box box, View<double> out, View<const double> in, View<const double> more) {{
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            out(i, j) = {n}.0 * in(i, j) + in(i - 1, j) + more(i, j + 1);
}}
"""

CONTEXT = """
struct Context_{n} {{
    View<double> out;
    View<const double> in, more;
}};
void call_{n}(void* context, Box box) {{
    const auto& [out, in, more] = *static_cast<Context_{n}*>(context);
    kernel_{n}(box, out, in, more);
}}
"""

# functions of equal arguments, and lambdas without captures, share what the compiler makes of a
# declaration; others
# have a type each
LAMBDA = (
    "[](Box box, View<double> out, View<const double> in, View<const double> more) "
    "{{ kernel_{n}(box, out, in, more); }}"
)
WITH_STATE = (
    "[first](Box box, View<double> out, View<const double> in, View<const double> more) "
    "{{ if (first) kernel_{n}(box, out, in, more); }}"
)

DECLARED = """
#include <lapwing/lapwing.hpp>
using namespace lapwing;
{kernels}
void run(Domain& domain) {{
    const bool first = domain.rank() == 0;
    Field<double> a(domain, "a"), b(domain, "b"), c(domain, "c");
    Step step(domain, {{{stages}}}, {{.strategy = "dataflow"}});
    step.run(10);
}}
"""

BY_HAND = """
#include "lapwing/step/step.hpp"
using namespace lapwing;
{kernels}
void run(Domain& domain) {{
    const Extent reach{{{{1, 0, 0}}, {{0, 1, 0}}, false}};
    AnyField a(domain.partition(), domain.rank(), {{.name = "a"}}, reach);
    AnyField b(domain.partition(), domain.rank(), {{.name = "b"}}, reach);
    AnyField c(domain.partition(), domain.rank(), {{.name = "c"}}, reach);
    std::vector<Stage> stages;
    {stages}
    Step step(domain, {{stages}}, "dataflow", "auto");
    step.run(10);
}}
"""


def fields_of(stage: int) -> tuple[str, str, str]:
    """Return the field that a stage writes, and the two that it reads."""
    names = "abc"
    return names[stage % 3], names[(stage + 1) % 3], names[(stage + 2) % 3]


def declared(stages: int, kernel: str = "kernel_{n}") -> str:
    """The program that declares its stages."""
    lines = (
        f'stage("stage {n}", {kernel.format(n=n)}, writes({out}), reads({one}, behind(x)), '
        f"reads({other}, ahead(y)))"
        for n, (out, one, other) in enumerate(map(fields_of, range(stages)))
    )
    return DECLARED.format(
        kernels="".join(KERNEL.format(n=n) for n in range(stages)), stages=",\n".join(lines)
    )


def by_hand(stages: int) -> str:
    """The program with contexts."""
    lines = []
    for n in range(stages):
        out, one, other = fields_of(n)
        views = f"{out}.view<double>(), {one}.view<double>(), {other}.view<double>()"
        lines.append(
            f"Context_{n} context_{n}{{{views}}};\n"
            f'stages.push_back({{"stage {n}", {{{{&{one}, reach}}, {{&{other}, reach}}}}, '
            f"{{&{out}}}, call_{n}, {{&context_{n}}}}});"
        )
    kernels = "".join(KERNEL.format(n=n) + CONTEXT.format(n=n) for n in range(stages))
    return BY_HAND.format(kernels=kernels, stages="\n    ".join(lines))


def seconds_for(source: Path) -> float:
    """Processor time of one compilation."""
    compiler = ROOT / ".venv/bin/mpicxx"
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "-march=native", "-I", str(ROOT / "cpp/include")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([compiler, *flags, "-c", source, "-o", source.with_suffix(".o")], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Compile both in turn, print medians and ranges."""
    stages = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    programs = {
        "declared": declared(stages),
        "declared, kernels that are lambdas": declared(stages, LAMBDA),
        "declared, lambdas with a state": declared(stages, WITH_STATE),
        "by hand": by_hand(stages),
    }
    found: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            for name, text in programs.items():
                source = Path(folder) / "program.cpp"
                source.write_text(text)
                found[name].append(seconds_for(source))
    for name, all_of_it in found.items():
        print(
            f"{stages} stages {name}: {median(all_of_it):.2f} s "
            f"({min(all_of_it):.2f} to {max(all_of_it):.2f})"
        )


if __name__ == "__main__":
    main()
