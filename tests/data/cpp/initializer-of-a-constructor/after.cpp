struct Buffer {
    Buffer(int size) : data(filled(size)) { start(); }
};
