#pragma once

namespace lapwing {

/// The version of the library, "major.minor.patch".
///
/// Local. The text lives as long as the program.
const char* version();

}  // namespace lapwing
