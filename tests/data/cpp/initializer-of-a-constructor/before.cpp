struct Buffer {
    Buffer(int size) : data(size) { start(); }
};
