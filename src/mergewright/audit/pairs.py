"""Pairs that a merge brought together: an item removed twice, a resource released twice.

Precision first: each half stands in one parent, and no parent has both.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mergewright.audit.lost import both_touched
from mergewright.audit.source import dotted
from mergewright.audit.values import Finding, Place, Tier, Trees
from mergewright.text.syntax import syntax_tree

#: Verbs that take an item out of a container.
REMOVING = frozenset({"pop", "remove", "popleft", "popitem"})
#: Verbs that must not be done twice to one thing.
ONCE = frozenset(
    {
        "close",
        "release",
        "shutdown",
        "terminate",
        "unlink",
        "rmtree",
        "destroy",
        "destroy_process_group",
        "unregister",
        "register",
        "register_hook",
        "register_forward_hook",
        "register_full_backward_hook",
        "add_listener",
        "add_done_callback",
        "subscribe",
        "connect",
    }
)


_VERBS = re.compile(rb"\.(?:" + "|".join(sorted(REMOVING | ONCE)).encode() + rb")\(")


@dataclass(frozen=True, slots=True)
class _Effect:
    """One effect in a function: the verb, on what, the whole call without layout, its line."""

    verb: str
    target: str
    text: str
    line: int


@dataclass(slots=True)
class _Body:
    """Effects and calls of one function."""

    effects: list[_Effect]
    calls: dict[str, int]


def _bodies(data: bytes | None) -> dict[str, _Body]:
    if data is None:
        return {}
    tree = syntax_tree(data)
    if tree is None:
        return {}
    out: dict[str, _Body] = {}
    for name, node in _functions(tree.body, ""):
        body = _Body([], {})
        for inner in _straight(node.body):
            for call in ast.walk(inner):
                if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                    continue
                target = dotted(call.func.value)
                if call.func.attr in REMOVING | ONCE:
                    body.effects.append(
                        _Effect(call.func.attr, target, ast.unparse(call), call.lineno)
                    )
                elif target in {"self", "cls"}:
                    body.calls.setdefault(call.func.attr, call.lineno)
        out[name] = body
    return out


def _functions(
    body: list[ast.stmt], owner: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f"{owner}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{owner}{node.name}.")


def _straight(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Expressions that may run one after the other: nested definitions and branches left apart.

    Two arms of one ``if`` never both run, so only statements of one suite and its loops count.
    """
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)):
            yield from _straight(node.body)
        elif isinstance(node, ast.If):
            yield node.test
            if not node.orelse and not _leaves(node.body):
                yield from _straight(node.body)
        elif isinstance(node, (ast.Try, ast.TryStar)):
            yield from _straight(node.body)
        else:
            yield node


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def pair_findings(trees: Trees) -> list[Finding]:
    """Pairs that no parent has, in files that both sides had a hand in."""
    out: list[Finding] = []
    for path in both_touched(trees):
        merged = trees.merged.data(path)
        if not path.endswith(".py") or merged is None:
            continue
        if merged in (trees.ours.data(path), trees.theirs.data(path)):
            continue
        if not _VERBS.search(merged):
            continue
        now = _bodies(merged)
        if not any(_interesting(body) for body in now.values()):
            continue
        before = [_bodies(trees.ours.data(path)), _bodies(trees.theirs.data(path))]
        for name, body in now.items():
            out.extend(_same_function(path, name, body, before))
            out.extend(_through_helper(path, name, now, before))
    return out


def _interesting(body: _Body) -> bool:
    """Whether a function removes something, or does one thing twice."""
    texts = [effect.text for effect in body.effects]
    return len(set(texts)) < len(texts) or any(e.verb == "remove" for e in body.effects)


def _same_function(
    path: str, name: str, body: _Body, before: list[dict[str, _Body]]
) -> Iterator[Finding]:
    counts: dict[str, list[_Effect]] = defaultdict(list)
    for effect in body.effects:
        counts[effect.text].append(effect)
    for text, effects in counts.items():
        old = [
            sum(e.text == text for e in parent[name].effects) if name in parent else 0
            for parent in before
        ]
        # One from each side: both parents do it once, the merged function twice.
        if len(effects) >= 2 and old == [1, 1] and effects[0].verb in ONCE | REMOVING:
            yield _finding(
                path,
                name,
                f"`{text}` stands twice in `{name}`; each parent has it once",
                effects[-1].line,
                Tier.REVIEW,
                text,
            )
    removals: dict[str, set[str]] = defaultdict(set)
    lines: dict[str, int] = {}
    for effect in body.effects:
        if effect.verb in REMOVING and effect.target:
            removals[effect.target].add(effect.verb)
            lines[effect.target] = max(effect.line, lines.get(effect.target, 0))
    for target, verbs in removals.items():
        if len(verbs) < 2 or "remove" not in verbs:
            continue
        halves = [
            {e.verb for e in parent[name].effects if e.target == target and e.verb in REMOVING}
            if name in parent
            else set()
            for parent in before
        ]
        if all(half and half < verbs for half in halves) and halves[0] | halves[1] == verbs:
            yield _finding(
                path,
                name,
                f"`{name}` takes an item out of `{target}` by {' and by '.join(sorted(verbs))}; "
                "each parent does one of them",
                lines[target],
                Tier.ERROR,
                target,
            )


def _through_helper(
    path: str, name: str, now: Mapping[str, _Body], before: list[dict[str, _Body]]
) -> Iterator[Finding]:
    """A function removes an item that a method which it calls has removed already."""
    owner = name.rpartition(".")[0]
    if not owner:
        return
    body = now[name]
    own = {e.target: e for e in body.effects if e.verb in REMOVING and e.target.startswith("self.")}
    for called in body.calls:
        helper = f"{owner}.{called}"
        if helper not in now or helper == name:
            continue
        for effect in now[helper].effects:
            mine = own.get(effect.target)
            if effect.verb not in REMOVING or mine is None:
                continue
            if "remove" not in {mine.verb, effect.verb}:
                # Two pops take two items; a remove after a pop takes the same one again.
                continue
            both = [
                name in parent
                and helper in parent
                and any(
                    e.target == effect.target and e.verb in REMOVING for e in parent[name].effects
                )
                and any(
                    e.target == effect.target and e.verb in REMOVING for e in parent[helper].effects
                )
                and called in parent[name].calls
                for parent in before
            ]
            if any(both):
                continue
            yield _finding(
                path,
                name,
                f"`{name}` calls `{called}`, which does `{effect.text}`, and then does "
                f"`{mine.text}`: the item is removed twice",
                mine.line,
                Tier.ERROR,
                f"{effect.target}:{called}",
                helper,
            )


def _finding(
    path: str, name: str, message: str, line: int, tier: Tier, subject: str, helper: str = ""
) -> Finding:
    return Finding(
        check="double-effect",
        tier=tier,
        subject=f"pair:{name}:{subject}",
        message=message,
        places=(Place(path=path, line=line, symbol=name),),
        cause="one half came from ours, the other from theirs",
        repair="keep one of the two",
        origin=path,
        origin_symbol=helper or name,
        analysers=("pairs",),
    )
