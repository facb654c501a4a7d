namespace a {
template <typename T>
void Ring<T>::push(const T &item) {
    if (items.empty()) items.reserve(8);
    items.push_back(item);
}
}
