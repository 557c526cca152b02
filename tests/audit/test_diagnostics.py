"""What the two analysers see in the merged tree and not in its parents."""

from __future__ import annotations

import pytest
from tests.audit.trees import audited, checks, one

from mergewright.audit.analysers import AnalyserError, Diagnostic, Ruff
from mergewright.audit.run import AuditOptions
from mergewright.audit.values import Tier

OFFLOAD_DEV = """
    class Offload:
        @staticmethod
        def start(rank, size, least, delta, fraction):
            return rank

        @staticmethod
        def group_offload(tensor, forced=None):
            return tensor
    """
OFFLOAD_MAIN = """
    class Offload:
        @staticmethod
        def start(size, least):
            return size

        @staticmethod
        def group_commit(tensor, name=None, forced=None):
            return tensor
    """
CALLER_MAIN = """
    from pkg.offload import Offload

    def run(tensor):
        Offload.start(1, 2)
        return Offload.group_commit(tensor, name="x")
    """
CALLER_DEV = """
    from pkg.offload import Offload

    def run(tensor):
        Offload.start(0, 1, 2, 3, 4)
        return Offload.group_offload(tensor)
    """


def test_mains_caller_meets_devs_implementation() -> None:
    """A call written for the other parent's signature, and a method that only that parent has."""
    report = audited(
        {"pkg/offload.py": "class Offload: ...\n", "pkg/run.py": "x = 1\n"},
        {"pkg/offload.py": OFFLOAD_DEV, "pkg/run.py": CALLER_DEV},
        {"pkg/offload.py": OFFLOAD_MAIN, "pkg/run.py": CALLER_MAIN},
        {"pkg/offload.py": OFFLOAD_DEV, "pkg/run.py": CALLER_MAIN},
    )
    assert report.complete, report.notes
    call = one(report, "call-mismatch")
    assert call.tier is Tier.ERROR
    assert call.had == "theirs"
    assert "start" in call.message
    assert "rank, size, least, delta, fraction" in call.repair
    attribute = one(report, "missing-attribute")
    assert attribute.tier is Tier.ERROR
    assert attribute.had == "theirs"
    assert "group_commit" in attribute.message


def test_an_import_that_the_merge_dropped_is_named_with_its_repair() -> None:
    """Ours used and imported a name; the merge kept the use alone."""
    enum = {"pkg/enums.py": "class Scope:\n    full = 1\n"}
    old = "import os\n\nA = os.sep\n"
    ours = "import os\nfrom pkg.enums import Scope\n\nA = os.sep\nB = Scope.full\n"
    report = audited(
        {"pkg/plan.py": old, **enum},
        {"pkg/plan.py": ours, **enum},
        {"pkg/plan.py": old + "C = 1\n", **enum},
        {"pkg/plan.py": "import os\n\nA = os.sep\nB = Scope.full\nC = 1\n", **enum},
    )
    name = one(report, "undefined-name")
    assert name.tier is Tier.ERROR
    assert name.had == "ours"
    assert name.repair == "from pkg.enums import Scope"
    assert name.analysers == ("facts", "pyrefly", "ruff")


def test_what_a_parent_had_already_is_not_told() -> None:
    """An undefined name that stands in a parent, moved by the merge, is an old finding."""
    bad = "def f():\n    return missing_name\n"
    report = audited(
        {"a.py": bad},
        {"a.py": "def g():\n    return 1\n\n\n" + bad},
        {"a.py": bad + "\n\ndef h():\n    return 2\n"},
        {"a.py": "def g():\n    return 1\n\n\n" + bad + "\n\ndef h():\n    return 2\n"},
    )
    assert checks(report) == []


def test_both_sides_bring_a_copy_of_an_old_finding() -> None:
    """Two occurrences in the merged file, one from each parent, are not new."""
    report = audited(
        {"a.py": "x = 1\n"},
        {"a.py": "y = nowhere\nx = 1\n"},
        {"a.py": "x = 1\nz = nowhere\n"},
        {"a.py": "y = nowhere\nx = 1\nz = nowhere\n"},
    )
    assert checks(report) == []


def test_a_helper_that_is_lost_on_a_torch_module_is_seen() -> None:
    """The stub of ``torch.nn.Module`` has no ``__getattr__``, so the lost method shows."""
    head = "from torch import nn\n\nclass Net(nn.Module):\n"
    helper = "    def _resolve(self, x):\n        return x\n\n"
    forward = "    def forward(self, x):\n        return self._resolve(x)\n"
    old = head + "    def forward(self, x):\n        return x\n"
    report = audited(
        {"net.py": old},
        {"net.py": head + helper + forward},
        {"net.py": old},
        {"net.py": head + forward},
    )
    found = one(report, "missing-attribute")
    assert found.tier is Tier.ERROR
    assert found.had == "ours"


def test_a_lost_module_of_this_repository_is_an_error_and_a_third_partys_is_not() -> None:
    """Unresolved third-party imports stay unresolved and silent."""
    use = "import numpy\nfrom pkg.schedule import plan\n\nplan(numpy)\n"
    report = audited(
        {"pkg/__init__.py": "", "pkg/use.py": "x = 1\n"},
        {"pkg/__init__.py": "", "pkg/use.py": "x = 1\n"},
        {"pkg/__init__.py": "", "pkg/use.py": use, "pkg/schedule.py": "def plan(n): ...\n"},
        {"pkg/__init__.py": "", "pkg/use.py": "import scipy\n" + use},
    )
    module = one(report, "missing-module")
    assert module.subject == "pkg.schedule"
    assert module.repair == "restore pkg/schedule.py from theirs"


def test_doubled_fields_are_errors() -> None:
    """A union merge that keeps both sides' copy of a dataclass field."""
    head = "import dataclasses\n\n@dataclasses.dataclass\nclass C:\n    a: int = 1\n"
    field = "    beta: float = 0.9\n"
    report = audited(
        {"c.py": head},
        {"c.py": head + field},
        {"c.py": head + "    gamma: int = 3\n" + field},
        {"c.py": head + field + "    gamma: int = 3\n" + field},
    )
    assert one(report, "duplicate-field").tier is Tier.ERROR


class _Broken:
    name = "broken"
    rules = ()

    def identity(self) -> str:
        return "broken 1"

    def run(self, folder: object, tree: object, timeout: float) -> list[Diagnostic]:
        raise AnalyserError("it crashed")


def test_an_analyser_that_fails_never_gives_a_clean_report() -> None:
    """The other checks go on, the report says what is missing and is not complete."""
    report = audited(
        {"a.py": "import os\n"},
        {"a.py": "import os\nx = os.sep\n"},
        {"a.py": "import os\ny = 1\n"},
        {"a.py": "x = os.sep\ny = 1\n"},
        AuditOptions(analysers=(_Broken(), Ruff())),
    )
    assert not report.complete
    assert any("broken was not compared: it crashed" in note for note in report.notes)
    assert "undefined-name" in checks(report)


@pytest.mark.parametrize("text", ["def f(:\n", "<<<<<<< ours\nx = 1\n=======\n>>>>>>> theirs\n"])
def test_a_file_that_no_longer_parses_is_one_error(text: str) -> None:
    """Nothing else is told of it."""
    report = audited({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}, {"a.py": "x = 3\n"}, {"a.py": text})
    assert one(report, "does-not-parse").tier is Tier.ERROR
