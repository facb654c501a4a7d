def size(of):
    if of > 30:
        return grown(of)
    return grown(of + 1)
