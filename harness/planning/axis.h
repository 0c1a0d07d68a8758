#pragma once
// What a sweep varies: `--axis name=a,b,c`, `name=start:stop:step` (stop included), `name[pow2]=4:10`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The most values of an axis; one with more is refused.
inline constexpr std::size_t kMaxAxisValues = 10000;

// One axis: values as text, each once, numbers of a range in plain decimal without trailing zeros.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// Parses the argument of --axis. Ranges step in exact decimal arithmetic: 0.1:0.5:0.1 ends in 0.5 and has no
// 0.30000000000000004. The step is 1 when left out and may be negative when stop < start. [pow2] takes a
// range or a list of exponents 0 to 62. Throws Error(usage) quoting the argument: malformed, a step that
// leads away from stop or is 0, a value twice, more than kMaxAxisValues values.
Axis parse_axis(std::string_view argument);

// What an axis stands for.
enum class AxisKind {
  parameter,  // of methods or workloads
  seed,       // of the method's random numbers
  threads,    // that a case may use
  device,     // cpu or cuda
  replica,    // the same case again, by a number: a comparison of replicas must find no difference
  rig,        // the cameras that images are made with
  imaging,    // the variant of the images
  width,      // of the images, px
  height,     // of the images, px
};

// Returns what an axis of this name stands for: `parameter` for every name that no other kind has. Where no
// method looks at images, "width" and the other names of images may still mean parameters.
AxisKind axis_kind(std::string_view name);

// Returns whether the kind is a property of images: rig, imaging, width or height.
bool is_image_kind(AxisKind kind);

// Returns the names of axes that are not a NAME.PARAMETER: those of all kinds, and "batch" and "size", which
// are parameters of many methods and workloads.
const std::vector<std::string>& axis_names();

}  // namespace aqbench
