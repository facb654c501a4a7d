#define NAME "two words"
int sum(const int *of);
