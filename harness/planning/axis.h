#pragma once
// The varied values of a sweep: `--axis name=a,b,c`, `name=start:stop:step` (stop included),
// `name[pow2]=4:10`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The maximum number of values of an axis.
inline constexpr std::size_t kMaxAxisValues = 10000;

// One axis: unique values as text, numbers of a range in plain decimal without trailing zeros.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// Parses the argument of --axis. Ranges use exact decimal arithmetic: 0.1:0.5:0.1 ends in 0.5 and has no
// 0.30000000000000004. The default step is 1; it may be negative if stop < start. [pow2] takes a range or a
// list of exponents 0 to 62. Throws Error(usage) quoting the argument: malformed, a step that is 0 or leads
// away from stop, a duplicate value, more than kMaxAxisValues values.
Axis parse_axis(std::string_view argument);

// The meaning of an axis.
enum class AxisKind {
  parameter,  // of methods or workloads
  seed,       // of the method's random numbers
  threads,    // available to a case
  device,     // cpu, cuda, opencl or opencl:N
  replica,    // the same case again, by number: a comparison of replicas must find no difference
  rig,        // the cameras of the images
  imaging,    // the variant of the images
  width,      // of the images, px
  height,     // of the images, px
};

// Returns the meaning of an axis name: `parameter` for every name of no other kind. If no method uses images,
// "width" and the other names of images may also be parameters.
AxisKind axis_kind(std::string_view name);

// Returns whether the kind is a property of images: rig, imaging, width or height.
bool is_image_kind(AxisKind kind);

// Returns the axis names that are not NAME.PARAMETER: those of all kinds, and "batch" and "size", which are
// parameters of many methods and workloads.
const std::vector<std::string>& axis_names();

}  // namespace aqbench
