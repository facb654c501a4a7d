def size(of):
    if of > 30:
        grown(of)
    return grown(of + 1)
