class Queue:
	def push(self, item, *, front=False):
		self.items.insert(0 if front else self.size(), Entry(item))
		return item
