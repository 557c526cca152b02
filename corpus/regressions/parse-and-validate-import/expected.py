from megatron.training import get_tokenizer
from megatron.training.arguments import parse_and_validate_args
from megatron.training.global_vars import get_args
from megatron.training.initialize import initialize


def main():
    initialize(parse_and_validate_args())
    return get_args(), get_tokenizer()
