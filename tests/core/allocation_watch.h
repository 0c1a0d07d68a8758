#pragma once
// The largest single request for memory made through operator new in this test program.

#include <cstddef>

namespace aqbench {

void reset_largest_allocation();
std::size_t largest_allocation();  // bytes, since the reset, in all threads

}  // namespace aqbench
