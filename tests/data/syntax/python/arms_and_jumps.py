def guarded(path):
    try:
        with open(path) as handle:
            read(handle)
    except (OSError, ValueError) as error:
        raise Failure(error)
    except Exception:
        return None
    finally:
        close()
    match path:
        case Point(x=0): origin()
        case [first, *rest] if first: some(first)
        case _: pass
    yield path
