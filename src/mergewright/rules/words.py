"""Words of a rule file that the rest asks for, apart from its schema: that is slow to load.

Without a rule file there is nothing to check against the schema, and it is not loaded at all.
"""

from __future__ import annotations

from enum import StrEnum


class Changed(StrEnum):
    """Which side changed the thing against the merge base (``match: {changed: …}``)."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"


class Action(StrEnum):
    """What a rule does. The first group decides, the second works on what was merged."""

    TAKE_OURS = "take-ours"
    TAKE_THEIRS = "take-theirs"
    PINNED = "pinned"
    UNION = "union"
    LEAVE = "leave"
    #: One side for a group of files that belong together, also where the merge is clean.
    COUPLED = "coupled"
    #: One side whole for a generated file, and the command that generates it again.
    REGENERATE = "regenerate"
    #: Delete/modify: the deletion stands unless something in the merged tree still needs the file.
    BY_NEED = "by-need"
    #: The submodule commit that contains the other one.
    NEWER = "newer"
    #: A file that one side put into a directory that the other side renamed goes along.
    FOLLOW = "follow"
    #: Of two versions that both moved the same way, the one that went further.
    LARGER = "larger"
    #: One side's helper instead of an explicit check, in the other side's text.
    PREFER_ABSTRACTION = "prefer-abstraction"
    #: History: the side that contains the other's work.
    TAKE_AHEAD = "take-ahead"
    #: History: merge again from the newest state that both sides had.
    MERGE_FROM_COMMON = "merge-from-common"

    #: The named symbols stand in the result as ours (theirs) has them, also where it is clean.
    KEEP_OURS = "keep-ours"
    KEEP_THEIRS = "keep-theirs"
    #: The named symbols that ours does not have are taken out of the result.
    DROP = "drop"
    RENAME = "rename"
    PATCH_CALLERS = "patch-callers"
    RESTORE_IMPORTS = "restore-imports"
    #: One side's file when the merged one calls a helper that is not there.
    FALL_BACK = "fall-back"
    #: One side's uses of named things, in the other side's version of a file.
    KEEP_USES = "keep-uses"
    GIT_SOURCES = "git-sources"
    RESTORE_DELETED = "restore-deleted"


class Level(StrEnum):
    """What a rule is asked for."""

    PATH = "path"
    SYMBOL = "symbol"
    STEP = "step"


class Follow(StrEnum):
    """Checks that follow a decision."""

    #: Calls across the border of the file are compared with what is there in the merged tree.
    API = "api"
