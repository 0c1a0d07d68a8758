#pragma once
// A reconstruction on its way from the process of a method to the one that scores it.

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns every array of a reconstruction as bytes of this machine.
std::string encode_reconstruction(const Reconstruction& reconstruction);

// Reads what encode_reconstruction() wrote. Throws Error(method) for bytes that are none, whatever they are.
Reconstruction decode_reconstruction(std::string_view bytes);

}  // namespace aqbench
