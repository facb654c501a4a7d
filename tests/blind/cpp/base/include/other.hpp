#pragma once

namespace other {

struct token {
    unsigned value = 0;
};

} // namespace other
