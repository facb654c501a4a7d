int weigh(int x);
int sum(const int *of, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += of[i];
    return total;
}
