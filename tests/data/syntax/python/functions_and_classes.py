"""Module documentation."""
class Reader(Base):
    """Documentation."""
    size: int = 0

    @property
    def length(self) -> int:
        """Documentation."""
        return self.size

    def _private(self, count: int, step=1, *rest, **named):
        def inner(value):
            return value
        return inner(count)

@decorate(1)
def free(a: List[int], b: "str"): ...
async def later(): await wait()
