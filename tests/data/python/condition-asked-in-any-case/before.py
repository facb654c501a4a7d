def count(text):
    found = 0
    for char in text:
        if char == "#":
            found += comment(char)
        elif char in WORDS:
            found += word(char)
    return found
