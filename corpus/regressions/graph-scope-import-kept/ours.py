from contextlib import nullcontext
from typing import Optional

from megatron.core.pipeline_parallel.utils import (
    AbstractSchedulePlan,
    NoopScheduleNode,
)
from megatron.core.transformer.enums import GraphScope


class Plan(AbstractSchedulePlan):
    node = NoopScheduleNode()
    context = nullcontext()
    chunk: Optional[int] = None
    scope = GraphScope.ATTENTION
