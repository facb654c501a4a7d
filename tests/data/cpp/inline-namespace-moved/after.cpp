namespace v1 {
int step(int n) {
    return n + 1;
}
}
inline namespace v2 {
int step(int n) {
    return n + 2;
}
}
