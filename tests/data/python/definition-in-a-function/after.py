def pairs(letters):
    class Pair:
        def __init__(self, one):
            self.one = one

    def length(letter):
        return len(letter)

    return [Pair(length(letter)) for letter in letters]
