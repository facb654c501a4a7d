class Ring : Base {
    int size() const;
};
