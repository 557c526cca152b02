from megatron.training import get_args, initialize
from megatron.training.arguments import parse_and_validate_args


def main():
    initialize(parse_and_validate_args())
    return get_args()
