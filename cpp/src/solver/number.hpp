#pragma once
// Numbers in messages.

#include <sstream>
#include <string>

namespace lapwing {

// As short as a number can be said. Local.
inline std::string number(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

}  // namespace lapwing
