type Pair[T] = tuple[T, T]


class Stack[T]:
    def push(self, item: T) -> None:
        self.items.append(item)
        self.size += 1


def first[T](items: Sequence[T]) -> T:
    return items[0]
