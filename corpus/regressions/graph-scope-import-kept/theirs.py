from contextlib import nullcontext
from typing import Optional

from megatron.core.pipeline_parallel.utils import (
    AbstractSchedulePlan,
    NoopScheduleNode,
    get_comm_stream,
)


class Plan(AbstractSchedulePlan):
    node = NoopScheduleNode()
    context = nullcontext()
    stream = get_comm_stream()
    chunk: Optional[int] = None
