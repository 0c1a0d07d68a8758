#pragma once
// Distances of images by a TorchScript module.

#include <functional>
#include <string>

#include "metrics/protocols/view_images.h"

namespace aqbench {

// Does what ProtocolsTable::image_distance() says. On one thread: sums do not depend on the number of
// threads.
std::function<double(const ImagePair& image)> image_distance(const std::string& file);

}  // namespace aqbench
