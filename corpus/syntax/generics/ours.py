type Pair[T, U] = tuple[T, U]


class Stack[T: Hashable]:
    def push(self, item: T) -> None:
        self.items.append(item)


def first[T](items: list[T]) -> T:
    return items[0]
