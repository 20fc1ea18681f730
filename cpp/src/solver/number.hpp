#pragma once
// Numbers in messages.

#include <sstream>
#include <string>

namespace lapwing {

// Writes a number as short as possible. Local.
inline std::string number(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

}  // namespace lapwing
