class Ring : Base {
    int size() const;
    void visit() override;
};
