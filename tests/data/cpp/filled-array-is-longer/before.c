int sum(const int *from)
{
    static const int weights[4] = { 1, 2, 3, 4 };
    int copy[16] = { 0 };
    take(copy, from);
    return copy[0] * weights[0];
}
