#define STEP 1
int sum(const int *of);
