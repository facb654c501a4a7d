def add(letters):
    global total
    total = 0
    for letter in letters:
        total += ord(letter)
    return total


def count(letters):
    found = 0

    def one(letter):
        nonlocal found
        found = len(letter)
        return found

    return [one(letter) for letter in letters]
