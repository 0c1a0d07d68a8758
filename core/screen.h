#pragma once
// How wide text for a reader may be.

#include <cstddef>

namespace aqbench {

// Returns the columns of the terminal behind a descriptor (at least 40, COLUMNS where it does not say); of a
// file or pipe, whose lines nothing cuts, a number beyond any line.
std::size_t screen_columns(int descriptor);

}  // namespace aqbench
