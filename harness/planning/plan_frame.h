#pragma once
// What is the same for all cases of a request: what was selected, the axes, seeds and sets. Internal to
// harness/planning/plan.cc.

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/planning/plan.h"
#include "harness/planning/select.h"

namespace aqbench {

inline constexpr int kMaxThreads = 1024;

[[noreturn]] void refuse_plan(const std::string& why);  // Error(usage)

// A value of an axis. Throws Error(usage) naming the axis.
template <class Integer>
Integer parse_axis_integer(const Axis& axis, const std::string& text, Integer min, Integer max) {
  Integer value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value < min || value > max)
    refuse_plan(fmt::format("--axis {}: '{}' is not an integer from {} to {}", axis.name, text, min, max));
  return value;
}

// An axis and, for parameters, whose parameter it is ("": every workload or method that has it).
struct PlannedAxis {
  const Axis* axis = nullptr;
  std::string owner, parameter;  // both empty for seed, threads, device, replica and the axes of images

  bool is_parameter() const { return !parameter.empty(); }
  bool is_replica() const { return !is_parameter() && axis->name == "replica"; }
  bool is_of_images() const {
    return !is_parameter() && !is_replica() && axis->name != "threads" && axis->name != "device";
  }
};

// Everything of a request that is the same for all its cases.
struct Frame {
  Selection selection;
  std::vector<std::uint64_t> seeds;
  std::vector<PlannedAxis> axes;  // without seed
  std::vector<Override> sets;
  ImageChoice images;
  int threads = 1;
  std::string device;
  TimingPlan method_timing, workload_timing;
};

bool looks_at_images(const MethodChoice& method);
bool has_parameter(const std::vector<ParameterSpec>& specs, const std::string& name);

// Both throw Error(usage) naming the flag.
void check_device(const std::string& flag, const std::string& device);
void check_request(const PlanRequest& request);

// Throws as plan_sweep() does. Refers to the request and the catalogue.
Frame make_frame(const PlanRequest& request, const Catalogue& catalogue);

// The frame of one part: with its own axes, unless the request has an axis of that name.
Frame frame_of(const Frame& frame, const SelectionPart& part, const PlanRequest& request);

}  // namespace aqbench
