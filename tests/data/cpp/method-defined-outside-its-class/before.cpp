namespace a {
template <typename T>
void Ring<T>::push(const T &item) {
    items.push_back(item);
}
}
