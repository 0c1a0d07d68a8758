#pragma once
// The surface of a set of ripples.

#include <memory>

#include "scenes/surfaces/ripples/ripples.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Makes a surface of ripples with this patch. Throws Error(usage) as check() does.
std::shared_ptr<const HeightField> make_ripple_field(const RippleFieldShape& shape, const Patch& patch);

}  // namespace aqbench
