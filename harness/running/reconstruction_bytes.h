#pragma once
// A reconstruction on its way from the process of a method to the scoring one.

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns every array of a reconstruction as bytes of this machine.
std::string encode_reconstruction(const Reconstruction& reconstruction);

// Reads what encode_reconstruction() wrote. Throws Error(method) for any other bytes.
Reconstruction decode_reconstruction(std::string_view bytes);

}  // namespace aqbench
