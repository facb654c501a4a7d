// Sums.
#pragma once
int sum(const int *of);
static const int base = 3;
