#define STEP 1
#define EACH(of)                 \
    do {                         \
        add(of, "two  words");   \
    } while (0)
