struct class { int new; };
static inline int template(struct class *this) { return this->new; }
int delete(int private) { int class = private; return class; }
