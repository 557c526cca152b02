"""The nightly-sync pack on small trees shaped like the real ones."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion
from mergewright.model.merge import Question
from mergewright.model.threeway import Side, ThreeWay
from mergewright.rules.loading import load_rules
from mergewright.rules.words import Follow

from .helpers import step, text_of

BOOK = load_rules(["nightly-sync"])
OVERRIDES = [
    "megatron/training/training.py",
    "megatron/training/initialize.py",
    "megatron/training/utils.py",
    "megatron/training/datasets/data_samplers.py",
    "megatron/core/optimizer/layer_wise_optimizer.py",
]


def conflict(path: str) -> Conflict:
    def version(text: str) -> FileVersion:
        return FileVersion(path=path, mode=MODE_REGULAR, oid=text, data=text.encode())

    versions: ThreeWay[FileVersion | None] = ThreeWay(
        base=version("b"), ours=version("o"), theirs=version("t")
    )
    return Conflict(path=path, kind=ConflictKind.BOTH_MODIFIED, versions=versions)


@pytest.mark.parametrize("path", OVERRIDES)
def test_overrides(path: str) -> None:
    """The five files are main's, clean or not, and each is followed by the API audit."""
    for subject in (path, conflict(path)):
        rule = BOOK.for_path(subject)
        assert rule is not None
        assert rule.side is Side.THEIRS
    assert BOOK.audited(path) == (Follow.API,)
    assert BOOK.audited("megatron/core/utils.py") == ()


@pytest.mark.parametrize(
    "path", [".github/CODEOWNERS", "pyproject.toml", "uv.lock", "docker/Dockerfile.ci.dev"]
)
def test_pinned_files_equal_dev(path: str) -> None:
    """Owners and the triple are dev's, clean or not, and no step touches a pinned file."""
    for subject in (path, conflict(path)):
        rule = BOOK.for_path(subject)
        assert rule is not None
        assert rule.side is Side.OURS


def test_golden_values() -> None:
    """Both changed: main's whole, clean or not; what dev alone changed stays dev's."""
    path = "tests/functional_tests/a/golden_values_dev.json"
    both = ThreeWay(base="1", ours="2", theirs="3")
    for rule in (BOOK.for_path(conflict(path)), BOOK.for_path(path, versions=both)):
        assert rule is not None
        assert rule.side is Side.THEIRS
    assert BOOK.for_path(path, versions=ThreeWay(base="1", ours="2", theirs="1")) is None


def test_offload_interface() -> None:
    """Contested methods of the interface are dev's; the rest of the file is merged."""
    path = "megatron/core/pipeline_parallel/fine_grained_activation_offload.py"
    decider = BOOK.decider(path)

    def ask(symbol: str) -> Side | None:
        texts = ThreeWay(base=b"a", ours=b"b", theirs=b"c")
        answer = decider.decide(
            Question(path=path, symbol=symbol, kind="both-changed", versions=texts)
        )
        return None if answer is None else answer.side

    assert ask("FineGrainedActivationOffloadingInterface.init_chunk_handler") is Side.OURS
    assert ask("fine_grained_offloading_group_commit") is Side.OURS
    assert ask("ChunkOffloadHandler.bulk_offload") is None


def test_delta_net() -> None:
    """A call of a helper that the merge dropped takes dev's file."""
    path = "megatron/core/ssm/gated_delta_net.py"
    ours = "class G:\n    def _resolve_cu_seqlens(self): ...\n    def f(self): ...\n"
    merged = "class G:\n    def f(self): self._resolve_cu_seqlens()\n"
    result = step(BOOK, {path: merged}, ours={path: ours}, theirs={path: "class G: ...\n"})
    assert text_of(result, path) == ours


def test_quantized_helpers() -> None:
    """A helper method of dev that the merge lost is put back beside main's additions."""
    path = "megatron/core/optimizer/distrib_optimizer.py"
    helper = (
        "    @classmethod\n    def _is_distopt_quantized_param(cls, tensor):\n        return True\n"
    )
    ours = f"class D:\n    def a(self): ...\n\n{helper}\n    def b(self): ...\n"
    merged = "class D:\n    def a(self): ...\n\n    def b(self): ...\n\n    def nvfp4(self): ...\n"
    result = step(BOOK, {path: merged}, ours={path: ours})
    assert text_of(result, path) == (
        f"class D:\n    def a(self): ...\n\n{helper}\n    def b(self): ...\n\n"
        "    def nvfp4(self): ...\n"
    )


def test_data_schedule() -> None:
    """Dev's schedulers stay as they are, and main's legacy wrapper goes with its import."""
    path = "megatron/core/datasets/data_schedule.py"
    ours = "import torch\n\n\nclass DpBalancedScheduler:\n    x = 1\n"
    merged = (
        "import torch\n"
        "from megatron.core.pipeline_parallel.hybrid_cp_schedule import BalancedCPScheduler\n"
        "\n\nclass DpBalancedScheduler:\n    x = 2\n"
        "\n\nclass HybridCPDataLoaderWrapper:\n    y = BalancedCPScheduler\n"
    )
    result = step(BOOK, {path: merged}, ours={path: ours}, theirs={path: merged})
    assert text_of(result, path) == ours


def test_training_goes_through_devs_scheduling() -> None:
    """Main's training.py with dev's wrap_data_iterator; the legacy wrapper and its import go."""
    path = "megatron/training/training.py"
    base = """\
        from megatron.core.num_microbatches_calculator import get_num_microbatches
        from megatron.core.datasets.data_schedule import HybridCPDataLoaderWrapper

        def train_step(data_iterator, config):
            forward(data_iterator=data_iterator, num_microbatches=get_num_microbatches())

        def train(iterator, config):
            args = get_args()
            if args.hybrid_context_parallel:
                iterator = iter(HybridCPDataLoaderWrapper(iterator, config))
            return iterator
    """
    call = "            forward("
    ours = (
        base.replace("HybridCPDataLoaderWrapper\n", "wrap_data_iterator\n", 1)
        .replace(
            call,
            "            if config.scheduler:\n"
            "                data_iterator, count = wrap_data_iterator(data_iterator, config)\n"
            "            else:\n"
            "                count = get_num_microbatches()\n" + call,
        )
        .replace("num_microbatches=get_num_microbatches()", "num_microbatches=count")
        .replace("            if args.hybrid_context_parallel:\n", "")
        .replace(
            "                iterator = iter(HybridCPDataLoaderWrapper(iterator, config))\n", ""
        )
    )
    theirs = base.replace("get_args()", "get_args(more=True)")
    result = step(BOOK, {path: theirs}, ours={path: ours}, theirs={path: theirs}, base={path: base})
    assert text_of(result, path) == dedent(ours.replace("get_args()", "get_args(more=True)"))
    assert {d.rule for d in result.edits[0].decisions} == {"scheduled-training", "lost-imports"}


@pytest.mark.parametrize("path", ["tools/prepare_cache.py", "pretrain_gpt.py"])
def test_mains_callers_of_the_old_argument(path: str) -> None:
    """Attribute, keyword and key are dev's names also where main's file merged cleanly."""
    text = 'f(hybrid_context_parallel=args.hybrid_context_parallel)\nk = {"hybrid_context_parallel": 1}\n'
    result = step(BOOK, {path: text}, ours={path: "f()\n"}, theirs={path: text})
    assert text_of(result, path) == text.replace("hybrid_context", "dynamic_context")
    step_result = step(BOOK, {"tests/x.py": text}, ours={}, theirs={"tests/x.py": text})
    assert text_of(step_result, "tests/x.py") is None


def test_the_smallest_size_is_passed_by_mains_initialize() -> None:
    """Main's initialize.py passes on the option that dev's initialize_model_parallel takes."""
    path = "megatron/training/initialize.py"
    state = "def initialize_model_parallel(dynamic_context_parallel, min_dynamic_context_parallel_size=1): ..."
    text = (
        "from megatron.core import mpu\n\n\ndef distributed(args):\n"
        "    mpu.initialize_model_parallel(hybrid_context_parallel=args.hybrid_context_parallel)\n"
    )
    tree = {path: text, "megatron/core/parallel_state.py": state}
    result = step(BOOK, tree, ours={path: "\n"}, theirs={path: text})
    renamed = text.replace("hybrid_context", "dynamic_context")
    size = ", min_dynamic_context_parallel_size=args.min_dynamic_context_parallel_size)\n"
    assert text_of(result, path) == renamed.removesuffix(")\n") + size


def test_new_sources_ask_for_a_new_lock() -> None:
    """When a git source is added, the run says that uv.lock no longer fits and how to mend it."""
    ours = {"pyproject.toml": "[tool.uv.sources]\n", "uv.lock": "version = 1\n"}
    theirs = {"pyproject.toml": '[tool.uv.sources]\nx = { git = "u" }\n'}
    result = step(BOOK, ours, ours=ours, theirs=theirs)
    assert text_of(result, "pyproject.toml") == theirs["pyproject.toml"]
    notes = [str(note) for note in result.notes if note.path == "uv.lock"]
    assert len(notes) == 1
    assert "resolve regenerate uv.lock" in notes[0]
    rule = BOOK.for_path(conflict("tests/golden_values_x.json"))
    assert rule is not None
    assert "to make it again: run the functional test" in rule.reason
