from contextlib import nullcontext
from typing import Optional

from megatron.core.pipeline_parallel.utils import (
    AbstractSchedulePlan,
    NoopScheduleNode,
)


class Plan(AbstractSchedulePlan):
    node = NoopScheduleNode()
    context = nullcontext()
    chunk: Optional[int] = None
