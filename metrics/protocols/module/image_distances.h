#pragma once
// Distances of images by a TorchScript module.

#include <span>
#include <string>
#include <vector>

#include "metrics/protocols/view_images.h"

namespace aqbench {

// Does what ProtocolsTable::image_distances() says. On one thread: its sums do not hang on their number.
std::vector<double> image_distances(const std::string& file, std::span<const ImagePair> images);

}  // namespace aqbench
