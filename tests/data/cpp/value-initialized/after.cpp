#include "pool.h"

void *Pool::alloc() {
    Block *block = new Block;
    push(block);
    return block;
}
