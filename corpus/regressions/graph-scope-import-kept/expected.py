from contextlib import nullcontext
from typing import Optional

from megatron.core.pipeline_parallel.utils import (
    AbstractSchedulePlan,
    NoopScheduleNode,
    get_comm_stream,
)
from megatron.core.transformer.enums import GraphScope


class Plan(AbstractSchedulePlan):
    node = NoopScheduleNode()
    context = nullcontext()
    stream = get_comm_stream()
    chunk: Optional[int] = None
    scope = GraphScope.ATTENTION
