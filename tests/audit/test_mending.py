"""Calls that do not fit and effects that are done twice are mended where the parents prove how."""

from __future__ import annotations

import pytest
from tests.audit.trees import Files, audited, facts_only, one, trees

from mergewright.audit.analysers import Pyrefly
from mergewright.audit.run import AuditOptions
from mergewright.audit.values import AuditReport, Finding
from mergewright.workflows.fixing import make_fixes

BODY = """\
def attend(q, hybrid=False, scale=1.0):
    total = q * scale
    if hybrid:
        total = total + gather(q, hybrid)
    for part in split(total):
        total = merge(total, part, fast=hybrid)
    return total


def gather(q, hybrid):
    return q


def split(q):
    return [q]


def merge(one, other, fast):
    return one
"""
CALLER = """\
from pkg.core import attend


def step(q, args):
    return attend(
        q,
        {argument},
        scale=2.0,
    )
"""
OLD = {"pkg/core.py": BODY, "pkg/use.py": "x = 1\n"}


def mismatch(
    core: str, argument: str, *, base: Files = OLD, more: Files | None = None
) -> tuple[AuditReport, tuple[Files, ...]]:
    """Ours changed the function, theirs brought a caller of the old one."""
    use = CALLER.format(argument=argument)
    theirs = {**base, "pkg/use.py": use}
    ours = {**base, "pkg/core.py": core, **(more or {})}
    files: tuple[Files, ...] = (base, ours, theirs, {**ours, "pkg/use.py": use})
    return audited(*files, AuditOptions(analysers=(Pyrefly(),))), files


def mended(finding: Finding, files: tuple[Files, ...]) -> dict[str, str]:
    assert finding.patch is not None, finding
    fixes = make_fixes([finding], trees(*files))
    assert [o.reason for o in fixes.outcomes if not o.applied] == []
    return {path: after.decode() for path, (_, after) in fixes.changes.items()}


def test_an_argument_is_given_under_the_parameters_new_name() -> None:
    """The body goes on with the new name at the old one's place: the call follows."""
    report, files = mismatch(BODY.replace("hybrid", "dynamic"), "hybrid=args.hybrid")
    found = one(report, "call-mismatch")
    assert "give dynamic for hybrid" in found.repair
    (text,) = mended(found, files).values()
    assert text == CALLER.format(argument="dynamic=args.hybrid")


def test_a_name_that_is_only_at_its_place_proves_nothing() -> None:
    """A new parameter with a body of its own is not the old one."""
    core = BODY.replace(BODY[: BODY.index("def gather")], "")
    core = "def attend(q, window=False, scale=1.0):\n    return q[window:][::2]\n\n\n" + core
    report, _ = mismatch(core, "hybrid=args.hybrid")
    assert one(report, "call-mismatch").patch is None


def test_an_argument_goes_with_the_parameter_that_one_side_removed() -> None:
    """The base had it, and nothing came in its place."""
    core = BODY.replace("hybrid=False, ", "").replace("hybrid", "True")
    core = core.replace("def gather(q, True)", "def gather(q, hybrid)")
    report, files = mismatch(core, "hybrid=args.hybrid")
    (text,) = mended(one(report, "call-mismatch"), files).values()
    assert "hybrid" not in text
    assert "attend(\n        q,\n        scale=2.0,\n    )" in text


SEND = """\
def send(data, retries):
    for attempt in range(retries):
        log(attempt, data)
    return retries * data


def log(attempt, data):
    return data
"""


@pytest.mark.parametrize(
    ("face", "repaired"),
    [
        ("data, attempts", "attempts=50"),
        ("data, attempts=3", "attempts=50"),
        ("data, *, attempts=3", None),
        ("attempts=3, data=None", None),
    ],
)
def test_a_renamed_parameter_that_got_a_default_is_renamed_and_not_removed(
    face: str, repaired: str | None
) -> None:
    """A call without the argument would be no error any more, and mean something else."""
    core = SEND.replace("retries", "attempts").replace("data, attempts)", f"{face})", 1)
    use = "from pkg.core import send\n\n\ndef step(data):\n    return send(data, {}=50)\n"
    base = {"pkg/core.py": SEND, "pkg/use.py": "x = 1\n"}
    theirs = {**base, "pkg/use.py": use.format("retries")}
    files: tuple[Files, ...] = (
        base,
        {**base, "pkg/core.py": core},
        theirs,
        {**theirs, "pkg/core.py": core},
    )
    found = one(audited(*files, AuditOptions(analysers=(Pyrefly(),))), "call-mismatch")
    if repaired is None:
        assert found.patch is None
    else:
        assert mended(found, files) == {"pkg/use.py": use.replace("{}=50", repaired)}


def test_an_argument_stays_where_a_new_parameter_is_not_explained() -> None:
    """What the value is given for may be the new one, wherever it stands."""
    core = BODY.replace("hybrid=False, ", "").replace("hybrid", "True")
    core = core.replace("def gather(q, True)", "def gather(q, hybrid)")
    core = core.replace("scale=1.0):", "scale=1.0, mode=None):")
    report, _ = mismatch(core, "hybrid=args.hybrid")
    assert one(report, "call-mismatch").patch is None


def test_an_argument_with_an_effect_of_its_own_stays() -> None:
    """Leaving it out would leave out what it does."""
    core = BODY.replace("hybrid=False, ", "").replace("hybrid", "True")
    core = core.replace("def gather(q, True)", "def gather(q, hybrid)")
    report, _ = mismatch(core, "hybrid=args.next()")
    assert one(report, "call-mismatch").patch is None


def test_a_parameter_that_the_other_side_added_goes_back_where_its_body_reads_it() -> None:
    """The merge kept the body and the call and dropped the parameter."""
    ours = BODY.replace("scale=1.0):", "scale=1.0, ids=None):").replace(
        "return total", "return total if ids is None else total[ids]"
    )
    use = CALLER.format(argument="ids=args.ids")
    base, theirs = OLD, {**OLD, "pkg/core.py": BODY.replace("[q]", "[q, q]")}
    lost = ours.replace(", ids=None", "").replace("[q]", "[q, q]")
    files: tuple[Files, ...] = (
        base,
        {"pkg/core.py": ours, "pkg/use.py": use},
        theirs,
        {"pkg/core.py": lost, "pkg/use.py": use},
    )
    report = audited(*files, AuditOptions(analysers=(Pyrefly(),)))
    (text,) = mended(one(report, "call-mismatch"), files).values()
    assert "def attend(q, hybrid=False, scale=1.0, ids=None):" in text


CONFIG = """\
from dataclasses import dataclass


@dataclass
class Config:
    seed: int
    hybrid: bool = False
    scale: float = 1.0
"""
READER = "def read{n}(config):\n    return config.hybrid\n"


@pytest.mark.parametrize("readers", [1, 3])
def test_a_field_is_renamed_where_its_readers_say_so(readers: int) -> None:
    """A dataclass has no body: the files that read the field read the new one now, two or more."""
    rest = {f"pkg/r{n}.py": READER.format(n=n) for n in range(readers)}
    call = "from pkg.config import Config\n\n\ndef make(args):\n    return Config({})\n"
    base = {"pkg/config.py": CONFIG, **rest}
    ours = {path: text.replace("hybrid", "dynamic") for path, text in base.items()}
    use = {"pkg/use.py": call.format("seed=1, hybrid=args.hybrid")}
    files: tuple[Files, ...] = (base, ours, {**base, **use}, {**ours, **use})
    report = audited(*files, AuditOptions(analysers=(Pyrefly(),)))
    found = one(report, "call-mismatch")
    if readers == 1:
        assert found.patch is None
    else:
        assert mended(found, files) == {"pkg/use.py": call.format("seed=1, dynamic=args.hybrid")}


# -- effects ---------------------------------------------------------------------------------------

QUEUE = """\
class Queue:
    def take(self, item):
        self.send(item)
{helper}        self.count += 1

    def flush(self, item):
        self.take(item)
{caller}        return item
"""
HELPER = "        self.items.pop()\n"
CALL = "        self.items.remove(item)\n"


def queue(helper: str = "", caller: str = "", end: str = "") -> Files:
    return {"q.py": QUEUE.format(helper=helper, caller=caller) + end}


def both(ours: Files, theirs: Files, merged: Files) -> tuple[Finding, tuple[Files, ...]]:
    files: tuple[Files, ...] = ({"q.py": "x = 1\n"}, ours, theirs, merged)
    return one(facts_only(*files), "double-effect"), files


def test_the_helper_leaves_an_item_to_callers_that_are_all_of_the_side_that_takes_it_out() -> None:
    """All callers of the helper are ours, whose helper does not remove."""
    end = "\n\nLIMIT = 3\n"
    found, files = both(queue(caller=CALL), queue(helper=HELPER, end=end), queue(HELPER, CALL, end))
    (text,) = mended(found, files).values()
    assert text == queue(caller=CALL, end=end)["q.py"]


def test_the_caller_leaves_an_item_to_a_helper_that_other_callers_rely_on() -> None:
    """The helper is theirs, and so is another caller: ours' statement goes."""
    more = "\n    def drop(self, item):\n        return self.take(item)\n"
    found, files = both(
        queue(caller=CALL), queue(helper=HELPER, end=more), queue(HELPER, CALL, more)
    )
    (text,) = mended(found, files).values()
    assert text == queue(helper=HELPER, end=more)["q.py"]


def test_a_helper_that_another_file_calls_is_left_to_a_person() -> None:
    """What those callers expect is not seen."""
    end = "\n\nLIMIT = 3\n"
    more: Files = {"other.py": "def run(q):\n    q.take(1)\n"}
    files: tuple[Files, ...] = (
        {"q.py": "x = 1\n", **more},
        {**queue(caller=CALL), **more},
        {**queue(helper=HELPER, end=end), **more},
        {**queue(HELPER, CALL, end), **more},
    )
    assert one(facts_only(*files), "double-effect").patch is None


def test_a_caller_outside_of_the_class_counts_as_well() -> None:
    """A loop in the same file ends because the helper takes the item out: it must go on doing so."""
    end = "\n\ndef drain(queue):\n    while queue.items:\n        queue.take(queue.items[0])\n"
    found, files = both(queue(caller=CALL), queue(helper=HELPER, end=end), queue(HELPER, CALL, end))
    (text,) = mended(found, files).values()
    assert text == queue(helper=HELPER, end=end)["q.py"]


@pytest.mark.parametrize("end", ["\n\nQueue().take(1)\n", "\n\nTAKE = getattr(Queue(), 'take')\n"])
def test_a_helper_that_is_named_outside_of_functions_goes_on_as_it_is(end: str) -> None:
    """Who calls it there is not known: neither half of the helper's side is left out of it."""
    found, files = both(queue(caller=CALL), queue(helper=HELPER, end=end), queue(HELPER, CALL, end))
    (text,) = mended(found, files).values()
    assert text == queue(helper=HELPER, end=end)["q.py"]


REMOVING = """\
class Queue:
    def step(self, item):
        self.log()
{}        self.count += 1
{}        return item
"""


@pytest.mark.parametrize(
    ("line", "patched"),
    [
        ("self.total = item.size", True),
        ("note(item, self.total)", True),
        ("item = item.parent", False),
        ("item.parent = None", False),
        ("item.move()", False),
        ("for item in self.others: note(item)", False),
        ("import item", False),
        ("self.refill()", False),
        ("refill(self)", False),
        ("self.items = []", False),
        ("yield item", False),
    ],
)
def test_what_is_not_the_same_effect_any_more_stays(line: str, patched: bool) -> None:
    """Between the two nothing may bind the arguments anew or call anything on the holder."""
    remove = "        self.items.remove(item)\n"
    late = f"        {line}\n{remove}"
    found, files = both(
        {"q.py": REMOVING.format(remove, "")},
        {"q.py": REMOVING.format("", late)},
        {"q.py": REMOVING.format(remove, late)},
    )
    if patched:
        (text,) = mended(found, files).values()
        assert text == REMOVING.format(remove, f"        {line}\n")
    else:
        assert found.patch is None


CLOSING = "def done(a, b):\n    a.log()\n{}    b.log()\n{}    return b\n"


@pytest.mark.parametrize(("line", "patched"), [("    a.close()\n", True), ("    a.x.y()\n", False)])
def test_what_both_did_once_is_done_once(line: str, patched: bool) -> None:
    """The second goes, where nothing between the two touches the thing."""
    close = "    a.close()\n"
    between = "" if patched else line
    ours = {"q.py": CLOSING.format(close, between)}
    theirs = {"q.py": CLOSING.format("", between + close)}
    merged = {"q.py": CLOSING.format(close, between + close)}
    found, files = both(ours, theirs, merged)
    if not patched:
        assert found.patch is None
        return
    (text,) = mended(found, files).values()
    assert text.count("close") == 1
    assert text.index("close") < text.index("b.log")


@pytest.mark.parametrize(("more", "patched"), [("", True), (", default=2", False)])
def test_an_argument_that_both_added_is_added_once(more: str, patched: bool) -> None:
    """The later of two equal statements goes; two that differ are for a person."""
    start = "import argparse\n\n\ndef add(parser):\n    parser.add_argument('--size', type=int)\n"
    flag = "    parser.add_argument('--fast', type=int{})\n"
    first = start.replace("    parser", flag.format("") + "    parser")
    files: tuple[Files, ...] = (
        {"a.py": start},
        {"a.py": start + flag.format(more)},
        {"a.py": first},
        {"a.py": first + flag.format(more)},
    )
    found = one(facts_only(*files), "duplicate-argument")
    if patched:
        assert mended(found, files) == {"a.py": first}
    else:
        assert found.patch is None
