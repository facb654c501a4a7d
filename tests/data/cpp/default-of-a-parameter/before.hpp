int sum(int a, int b = 1);
