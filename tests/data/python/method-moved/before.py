class A:
    def one(self):
        return g(self)

    def two(self):
        return h(self)
