int sum(const int *from)
{
    static const int weights[5] = { 1, 2, 3, 4, 5 };
    int copy[4096] = { 0 };
    take(copy, from);
    return copy[0] * weights[0];
}
