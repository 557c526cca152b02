"""The names of what may settle a contested place, as reports give them and rule files switch them.

What git does too is no strategy: one side's change taken where the other left a place alone
(``one-side``), both sides saying the same (``same``, ``same-on-both``). The actions of rules are
switched by leaving the rule out.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Strategies of the Python engine.
PYTHON: Mapping[str, str] = {
    "combine": "two edits of one statement, header or class that touch different parts of it",
    "deletion-of-annotations": "a deletion against added annotations and changed docstrings alone",
    "deletion-of-comments": "a deletion against changes of comments and docstrings alone",
    "deletion-of-respelled": "a deletion against code that was only written another way",
    "follow-move": "an edit of code that the other side wrapped, unwrapped or moved, also to another file",
    "follow-rename": "an edit of what the other side renamed",
    "fuller-comment": "a comment that has all that the other side wrote in its place",
    "import-bindings": "imports put in order after the merge, name by name",
    "import-names": "a deleted import to which the other side added names",
    "import-union": "imports of one module that both sides added",
    "insert-both": "independent statements that both sides inserted at one place",
    "insert-superset": "statements that both sides inserted, one side more of them",
    "keep-import": "an import that one side deleted and the result still uses",
    "lines": "comments, and texts without structure, whose lines differ at different places",
    "replaced-neutral": "statements that one side replaced and the other changed in nothing that runs",
    "replaced-respelled": "code that one side replaced and the other only wrote another way",
    "same-wrapper": "statements that both sides put under the same header, with edits in them",
    "same-code": "the same code of both sides, in another layout or with other comments",
    "sweep": "a mechanical substitution of one side, carried out in the other side's text",
}

#: Strategies of the merges by format.
FORMATS: Mapping[str, str] = {
    "cell-id": "two ids given to one cell of a notebook",
    "combine-lines": "two edits of one paragraph or entry in different lines of it",
    "combine-words": "two edits of one paragraph in different words of it",
    "contained": "a place where one side made all edits of the other, and more",
    "deletion": "a key or element that one side removed and the other left unchanged",
    "insertion": "a key or element that one side added",
    "larger-pin": "a pin or lower bound of a dependency that both sides raised",
    "released": "a version that one side dated and the other still calls unreleased",
    "union": "elements that both sides added to a list that means a set",
}

#: Strategies that both have.
COMMON: Mapping[str, str] = {
    "larger-version": "a version assignment that both sides raised",
}

#: Strategies that ask the commits.
HISTORY: Mapping[str, str] = {
    "history": "a side that contains the other's work, by its commits",
    "newest-common-state": "a newer state that both sides had, as the base of the merge",
    "taken-back": "a clean addition that copies what the other side had and took back",
    "whole-feature": "an edit inside a feature of which the other side brought only a part",
}

#: All of them.
STRATEGIES: Mapping[str, str] = {**COMMON, **PYTHON, **FORMATS, **HISTORY}
