type Pair[T] = tuple[T, T]


class Stack[T]:
    def push(self, item: T) -> None:
        self.items.append(item)


def first[T](items: list[T]) -> T:
    return items[0]
