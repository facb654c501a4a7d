class Ring {
public:
    int size() const { return count(at); }
    int at = 0;
};
