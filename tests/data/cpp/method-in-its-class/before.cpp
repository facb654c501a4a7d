class Ring {
public:
    int size() const { return at; }
    int at = 0;
};
