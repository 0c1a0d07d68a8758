#pragma once
// What all cases of a request share - selection, axes, seeds and sets - and the cases made of it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "harness/planning/axis.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/select.h"

namespace aqbench {

// Parses a value of an axis, an integer from min to max. Throws Error(usage) naming the axis.
template <class Integer>
Integer parse_axis_integer(const Axis& axis, const std::string& text, Integer min, Integer max) {
  const auto value = parse_whole<Integer>(text);
  if (!value || *value < min || *value > max)
    refuse_plan("--axis {}: '{}' is not an integer from {} to {}", axis.name, text, min, max);
  return *value;
}

// An axis and, for a parameter, its owner ("": every workload or method that has it).
struct PlannedAxis {
  const Axis* axis = nullptr;
  AxisKind kind = AxisKind::parameter;
  std::string owner, parameter;  // both empty unless the kind is `parameter`

  bool is_parameter() const { return kind == AxisKind::parameter; }
  bool is_of_images() const { return is_image_kind(kind); }
};

// Everything shared by all cases of a request. Refers to the request and the catalogue.
struct PlanBasis {
  Selection selection;
  std::vector<std::uint64_t> seeds;
  std::vector<PlannedAxis> axes;  // without seed
  std::vector<Override> sets;
  ImageChoice images;
  int threads = 1;
  std::string device;
  TimingPlan method_timing, workload_timing;
  // For workloads with their own number of warm runs in the suite.
  std::vector<std::pair<std::string, TimingPlan>> own_timing = {};
  std::string project_dir = {};  // base of relative paths of declared methods
};

// Returns whether the method gets images, as every real method does.
bool looks_at_images(const MethodChoice& method);

// Returns whether one of the specs has this name.
bool has_parameter(const std::vector<ParameterSpec>& specs, const std::string& name);

// Selects, merges the suite's options with the request's and checks their compatibility. Throws like
// plan_sweep().
PlanBasis make_basis(const PlanRequest& request, const Catalogue& catalogue);

// Returns the basis of one part: with its own axes, unless the request has an axis of that name. Throws
// Error(usage).
PlanBasis basis_of(const PlanBasis& basis, const SelectionPart& part, const PlanRequest& request);

// Returns the cases in execution order, without faults. Throws Error(usage) if there are more than kMaxCases
// or two have the same name.
std::vector<Case> planned_cases(const PlanBasis& basis, const PlanRequest& request);

}  // namespace aqbench
