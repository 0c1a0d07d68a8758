#include "pipeline/fusion/fusion_spec.h"

#include <algorithm>

#include "core/error.h"

namespace aqbench {
namespace {

struct NamedSurface {
  const char* name;
  SurfaceMethod method;
};

constexpr NamedSurface kSurfaces[] = {
    {"poisson", SurfaceMethod::poisson},
    {"heightfield", SurfaceMethod::heightfield},
    {"ball_pivoting", SurfaceMethod::ball_pivoting},
    {"none", SurfaceMethod::none},
};

}  // namespace

SurfaceMethod surface_method_from_name(std::string_view name) {
  for (const NamedSurface& surface : kSurfaces)
    if (name == surface.name) return surface.method;
  throw Error(ErrorKind::usage, "surface: must be poisson, heightfield, ball_pivoting or none, got '" +
                                    std::string(name) + "'");
}

std::vector<std::string> surface_method_names() {
  std::vector<std::string> names;
  for (const NamedSurface& surface : kSurfaces) names.emplace_back(surface.name);
  return names;
}

const char* to_string(SurfaceMethod method) {
  return std::ranges::find(kSurfaces, method, &NamedSurface::method)->name;
}

}  // namespace aqbench
