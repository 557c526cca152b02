"""Hypothesis strategies for modules that look like work, and for merges of them."""

from __future__ import annotations

from random import Random

from hypothesis import assume
from hypothesis import strategies as st
from tests.corpus.drawing import scenario
from tests.corpus.edits import Scenario

NOUNS = [
    "batch",
    "shard",
    "router",
    "token",
    "layer",
    "config",
    "session",
    "client",
    "record",
    "queue",
    "stream",
    "budget",
]
VERBS = [
    "load",
    "store",
    "merge",
    "split",
    "route",
    "cast",
    "flush",
    "encode",
    "resolve",
    "schedule",
    "parse",
    "render",
]
MODULES = ["json", "os", "re", "time", "logging", "functools", "itertools", "pathlib"]


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.used: set[str] = set()

    def name(self) -> str:
        for number in range(1000):
            name = f"{self.random.choice(VERBS)}_{self.random.choice(NOUNS)}"
            name += str(number) if number > 3 else ""
            if name not in self.used:
                self.used.add(name)
                return name
        raise AssertionError("names ran out")

    def value(self) -> str:
        r = self.random
        return r.choice(
            [
                str(r.randrange(100)),
                repr(r.choice(NOUNS)),
                f"[{r.randrange(9)}, {r.randrange(9)}]",
                f"{{{r.choice(NOUNS)!r}: {r.randrange(9)}, {r.choice(VERBS)!r}: None}}",
                "None",
                f"{r.choice(NOUNS)!r} if DEBUG else {r.choice(NOUNS)!r}",
            ]
        )

    def call(self) -> str:
        r = self.random
        arguments = ["value", *([f"{r.choice(NOUNS)}={self.value()}"] if r.random() < 0.6 else [])]
        return f"{r.choice(NOUNS)}.{r.choice(VERBS)}({', '.join(arguments)})"

    def suite(self, indent: str, depth: int = 0) -> list[str]:
        r = self.random
        lines: list[str] = []
        for _ in range(r.randint(1, 4)):
            form = r.randrange(9 if depth < 2 else 5)
            deeper = indent + "    "
            if form == 0 and r.random() < 0.5:
                lines.append(f"{indent}# Keep the {r.choice(NOUNS)} first.")
            if form <= 2:
                lines.append(f"{indent}{r.choice(NOUNS)} = {self.call()}")
            elif form <= 4:
                lines.append(f"{indent}{self.call()}")
            elif form == 5:
                lines += [f"{indent}if {r.choice(NOUNS)} > {r.randrange(9)}:"]
                lines += self.suite(deeper, depth + 1)
                if r.random() < 0.4:
                    lines += [f"{indent}else:", *self.suite(deeper, depth + 1)]
            elif form == 6:
                lines += [f"{indent}for item in {self.call()}:", *self.suite(deeper, depth + 1)]
            elif form == 7:
                lines += [f"{indent}with {self.call()} as handle:"]
                lines += self.suite(deeper, depth + 1)
            else:
                lines += [f"{indent}try:", *self.suite(deeper, depth + 1)]
                lines += [f"{indent}except ValueError:", f"{deeper}raise"]
        return lines

    def function(self, indent: str = "", first: str = "") -> list[str]:
        r = self.random
        names = r.sample(NOUNS, r.randint(1, 3))
        parameters = [first] * bool(first) + [
            names[0],
            *(f"{n}={r.randrange(9)}" for n in names[1:]),
        ]
        head = f"{indent}def {self.name()}({', '.join(parameters)}):"
        doc = [f'{indent}    """Do one thing with a {names[0]}."""'] if r.random() < 0.5 else []
        tail = f"{indent}    return {names[0]}"
        return [head, *doc, *self.suite(indent + "    "), tail]

    def klass(self) -> list[str]:
        r = self.random
        lines = [f"class {self.name().title().replace('_', '')}(Base):"]
        lines += [f'    """One {r.choice(NOUNS)}."""', ""]
        lines += [f"    {noun} = {self.value()}" for noun in r.sample(NOUNS, r.randint(1, 3))]
        for _ in range(r.randint(1, 3)):
            lines += ["", *self.function("    ", "self")]
        return lines

    def module(self) -> str:
        r = self.random
        lines = [f'"""About the {r.choice(NOUNS)}."""', ""]
        lines += [f"import {name}" for name in sorted(r.sample(MODULES, r.randint(1, 4)))]
        lines += [f"from pkg.{r.choice(NOUNS)} import {', '.join(sorted(r.sample(VERBS, 2)))}", ""]
        lines += [f"{noun.upper()} = {self.value()}" for noun in r.sample(NOUNS, r.randint(1, 3))]
        for _ in range(r.randint(2, 5)):
            part = self.klass() if r.random() < 0.4 else self.function()
            comment = [f"# The {r.choice(NOUNS)} comes from the {r.choice(NOUNS)}."]
            lines += ["", "", *(comment if r.random() < 0.3 else []), *part]
        return "\n".join(lines) + "\n"


def module_text(random: Random) -> bytes:
    """A module of a few dozen lines."""
    return _Writer(random).module().encode()


@st.composite
def modules(draw: st.DrawFn) -> bytes:
    """Texts of modules."""
    return module_text(draw(st.randoms(use_true_random=False)))


@st.composite
def scenarios(draw: st.DrawFn, *, clash: bool = False, rich: bool = False) -> Scenario:
    """Merges of generated modules whose right result is known.

    With ``rich``, code is also moved, wrapped, split off or renamed, both add at one place, and the
    texts have other layouts, line ends and encodings.
    """
    random = draw(st.randoms(use_true_random=False))
    # Two new names of one dict key become two entries: corpus/known_failures/gate/ has the case, and
    # `python -m tests.fuzz` counts it.
    found = scenario(
        module_text(random),
        random,
        edits=draw(st.integers(2, 6)),
        reshape=float(rich),
        clash=clash,
        clash_keys=False,
        growth=rich and random.random() < 0.5,
        dress=rich,
    )
    assume(found is not None)
    assert found is not None
    assume(not clash or found.clashes)
    return found
