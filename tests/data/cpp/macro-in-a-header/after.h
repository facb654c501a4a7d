#define STEP 2
int sum(const int *of);
