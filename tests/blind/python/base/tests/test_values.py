from shelf import values


def test_constant():
    assert values.constant() > 0
