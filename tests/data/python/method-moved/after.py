class A:
    def two(self):
        return h(self)

    def one(self):
        return g(self)
