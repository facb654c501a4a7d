#ifndef CONDITIONS_H
#define CONDITIONS_H
#ifdef __SSE2__
int width(void) { return 16; }
#elif defined(WIDE)
int width(void) { return 8; }
#else
int width(void) { return 1; }
#endif

int run(int kind) {
    switch (kind) {
    case 1:
        return width();
    case 2: {
        int last = width() * 2;
        return last;
    }
    default:
        goto end;
    }
#if CHECKED
    check(kind);
#else
    kind++;
#endif
end:
    return kind > 3 ? width() : run(kind + 1);
}
#endif
