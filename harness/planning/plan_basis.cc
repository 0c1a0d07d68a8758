#include "harness/planning/plan_basis.h"

#include <algorithm>
#include <set>

#include "core/parallel.h"
#include "core/parameters.h"
#include "harness/planning/case_options.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {

bool has_parameter(const std::vector<ParameterSpec>& specs, const std::string& name) {
  return std::ranges::find(specs, name, &ParameterSpec::name) != specs.end();
}

bool looks_at_images(const MethodChoice& method) { return !method.spec->simulated(); }

namespace {

// ---- Axes and overrides ----

constexpr const char* kFrame = "frame";  // short for dataset.frame

bool is_recording(const SceneChoice& scene) { return scene.recording.has_value(); }

bool has_recording(const Selection& selection) { return std::ranges::any_of(selection.scenes, is_recording); }

// Whose parameters axes and settings can name. A method and a workload may have one name: the first counts.
struct Owner {
  std::string name;
  const std::vector<ParameterSpec>* parameters;
};

std::vector<Owner> owners_of(const Selection& selection) {
  static const std::vector<ParameterSpec> none;
  std::vector<Owner> owners;
  for (const SceneChoice& scene : selection.scenes)
    owners.push_back({scene.name, scene.spec == nullptr ? &none : &scene.spec->parameters});
  for (const MethodChoice& method : selection.methods)
    if (std::ranges::find(owners, method.spec->name, &Owner::name) == owners.end())
      owners.push_back({method.spec->name, &method.spec->parameters});
  for (const WorkloadSpec* workload : selection.workloads)
    owners.push_back({workload->name, &workload->parameters});
  for (const std::string& rig : selection.rigs)
    owners.push_back({rig_spec(rig).name, &rig_spec(rig).parameters});
  const auto recording = std::ranges::find_if(selection.scenes, is_recording);
  const bool is_rendered = !selection.rigs.empty(), is_recorded = recording != selection.scenes.end();
  if (is_rendered) owners.push_back({kImagingOwner, &imaging_parameters()});
  if (is_rendered || is_recorded) owners.push_back({kPerturbOwner, &perturb_parameters()});
  // All have the same parameters, but for the number of their frames.
  if (is_recorded)
    owners.push_back({kDatasetOwner, &recording->recording->parameters});
  else if (is_rendered)
    owners.push_back({kDatasetOwner, &rendered_view_parameters()});
  if (std::ranges::any_of(selection.scenes, has_true_surface))
    owners.push_back({kScoringOwner, &scoring_parameters()});
  if (std::ranges::any_of(selection.methods, looks_at_images))
    owners.push_back({kAlignmentOwner, &alignment_parameters()});
  if (!selection.methods.empty()) owners.push_back({kProtocolsOwner, &protocols_parameters()});
  return owners;
}

void check_owner(const Selection& selection, const std::string& flag, const std::string& owner,
                 const std::string& parameter) {
  const std::vector<Owner> owners = owners_of(selection);
  const auto found = std::ranges::find(owners, owner, &Owner::name);
  if (found == owners.end())
    refuse_plan("{}: {}", flag,
                unknown_name_message("scene, method or workload of this sweep", owner, names_of(owners)));
  const auto& specs = *found->parameters;
  if (has_parameter(specs, parameter)) return;
  refuse_plan(specs.empty()
                  ? fmt::format("{}: {} has no parameters", flag, owner)
                  : fmt::format("{}: {}", flag,
                                unknown_name_message("parameter of " + owner, parameter, names_of(specs))));
}

[[noreturn]] void refuse_unknown_axis(const Selection& selection, const std::string& name) {
  std::vector<std::string> names = axis_names();
  for (const Owner& owner : owners_of(selection))
    for (const ParameterSpec& spec : *owner.parameters) names.push_back(owner.name + "." + spec.name);
  refuse_plan(unknown_name_message("axis", name, names));
}

PlannedAxis plan_axis(const Axis& axis, const Selection& selection) {
  const AxisKind kind = axis_kind(axis.name);
  // "width" and the like mean the images whenever a method uses rendered images.
  if (kind != AxisKind::parameter && (!is_image_kind(kind) || !selection.rigs.empty()))
    return {&axis, kind, "", ""};
  if (axis.name == kFrame && has_recording(selection))
    return {&axis, AxisKind::parameter, kDatasetOwner, kFrame};
  if (const std::size_t dot = axis.name.rfind('.'); dot != std::string::npos) {
    PlannedAxis planned{&axis, AxisKind::parameter, axis.name.substr(0, dot), axis.name.substr(dot + 1)};
    check_owner(selection, "--axis " + axis.name, planned.owner, planned.parameter);
    if (planned.owner == kAlignmentOwner || planned.owner == kProtocolsOwner)
      refuse_plan("--axis {0}: all cases have one value; give --set {0}=VALUE", axis.name);
    if (selection.rigs.size() > 1 && is_owner_of_rig(selection.rigs, planned.owner))
      refuse_plan("--axis {}: excludes --axis rig", axis.name);
    return planned;
  }
  for (const WorkloadSpec* workload : selection.workloads)
    if (has_parameter(workload->parameters, axis.name)) return {&axis, AxisKind::parameter, "", axis.name};
  if (std::ranges::find(axis_names(), axis.name) == axis_names().end())
    refuse_unknown_axis(selection, axis.name);
  for (const MethodChoice& method : selection.methods)
    if (has_parameter(method.spec->parameters, axis.name)) return {&axis, AxisKind::parameter, "", axis.name};
  refuse_plan("--axis {}: no method or workload of this sweep has a parameter '{}'", axis.name, axis.name);
}

bool is_selected(const Selection& selection, const std::string& owner) {
  const std::vector<Owner> owners = owners_of(selection);
  return std::ranges::find(owners, owner, &Owner::name) != owners.end();
}

bool has_axis(const PlanRequest& request, const std::string& name) {
  return std::ranges::find(request.axes, name, &Axis::name) != request.axes.end();
}

bool has_filters(const PlanRequest& request) {
  return !request.scenes.empty() || !request.methods.empty() || !request.workloads.empty();
}

// Returns whether the request's filters excluded all owners of this parameter, "batch" or
// "plane_sweep.batch".
bool was_left_out(const PlanRequest& request, const Selection& selection, const Catalogue& catalogue,
                  const std::string& name) {
  if (!has_filters(request)) return false;
  const std::string owner = name.substr(0, name.rfind('.'));
  if (owner == kAlignmentOwner || owner == kProtocolsOwner) return !is_selected(selection, owner);
  const auto is_owner = [&](const auto& spec) { return spec.name == owner; };
  const auto has = [&](const auto& spec) { return has_parameter(spec.parameters, name); };
  const auto is_known = [&](const auto& is_it) {
    return std::ranges::any_of(catalogue.methods, is_it) || std::ranges::any_of(catalogue.workloads, is_it);
  };
  if (owner != name)
    return !is_selected(selection, owner) &&
           (is_known(is_owner) || std::ranges::any_of(catalogue.scenes, is_owner));
  return axis_kind(name) == AxisKind::parameter && is_known(has) &&
         std::ranges::none_of(selection.methods, [&](const auto& method) { return has(*method.spec); }) &&
         std::ranges::none_of(selection.workloads, [&](const auto* workload) { return has(*workload); });
}

// Names the missing flag for an axis of a known method or workload that is not selected.
void refuse_absent_owner(const Axis& axis, const Selection& selection, const Catalogue& catalogue) {
  const std::size_t dot = axis.name.rfind('.');
  if (dot == std::string::npos || axis_kind(axis.name) != AxisKind::parameter) return;
  const std::string owner = axis.name.substr(0, dot);
  if (is_selected(selection, owner)) return;
  const auto is_owner = [&](const auto& spec) { return spec.name == owner; };
  for (const auto& [flag, known] : {std::pair("--method", std::ranges::any_of(catalogue.methods, is_owner)),
                                    {"--workload", std::ranges::any_of(catalogue.workloads, is_owner)}})
    if (known) refuse_plan("--axis {}: {} is not selected; add {} {}", axis.name, owner, flag, owner);
}

std::vector<const Axis*> merged_axes(const PlanRequest& request, const Selection& selection,
                                     const Catalogue& catalogue) {
  std::vector<const Axis*> axes;
  if (selection.suite != nullptr)
    for (const Axis& axis : selection.suite->axes)
      if (!has_axis(request, axis.name) && !was_left_out(request, selection, catalogue, axis.name))
        axes.push_back(&axis);
  for (const Axis& axis : request.axes) {
    refuse_absent_owner(axis, selection, catalogue);
    axes.push_back(&axis);
  }
  std::set<std::string> seen;
  for (const Axis* axis : axes)
    if (!seen.insert(axis->name).second) refuse_plan("--axis {}: given more than once", axis->name);
  return axes;
}

std::vector<std::uint64_t> plan_seeds(const PlanRequest& request, const Suite* suite, const Axis* axis) {
  if (axis != nullptr) {
    if (request.seed || request.repeat) refuse_plan("--axis seed excludes --seed and --repeat");
    std::vector<std::uint64_t> seeds;
    for (const std::string& text : axis->values)
      seeds.push_back(parse_axis_integer<std::uint64_t>(*axis, text, 0, kMaxSeed));
    return seeds;
  }
  if (!request.seed && !request.repeat) return suite == nullptr ? Suite().seeds : suite->seeds;
  const std::uint64_t first = request.seed ? *request.seed : suite == nullptr ? 42 : suite->seeds.front();
  if (first > kMaxSeed - kMaxCases)
    refuse_plan("--repeat: exceeds the largest seed after the suite's seed {}", first);
  std::vector<std::uint64_t> seeds(request.repeat.value_or(1));
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = first + i;
  return seeds;
}

// Returns the request's choice of images, completed by the suite's.
ImageChoice merged_images(const PlanRequest& request, const Suite* suite) {
  ImageChoice images = request.images;
  if (suite == nullptr) return images;
  if (!images.rig) images.rig = suite->images.rig;
  if (!images.imaging) images.imaging = suite->images.imaging;
  // A size is one choice: half of the suite's would be a size that was never chosen.
  const bool sweeps_size = std::ranges::any_of(request.axes, [](const Axis& axis) {
    const AxisKind kind = axis_kind(axis.name);
    return kind == AxisKind::width || kind == AxisKind::height;
  });
  if (!images.width_px && !images.height_px && !sweeps_size) {
    images.width_px = suite->images.width_px;
    images.height_px = suite->images.height_px;
  }
  return images;
}

// Returns whether a flag of the request sets what an axis of this kind varies.
bool has_flag(const PlanRequest& request, AxisKind kind) {
  const ImageChoice& images = request.images;
  return (kind == AxisKind::threads && request.threads) || (kind == AxisKind::device && request.device) ||
         (kind == AxisKind::rig && images.rig) || (kind == AxisKind::imaging && images.imaging) ||
         (kind == AxisKind::width && images.width_px) || (kind == AxisKind::height && images.height_px);
}

// Returns the rigs of the sweep's cases, none if no method uses images. Throws Error(usage) for an unknown
// one.
std::vector<std::string> plan_rigs(const PlanRequest& request, const PlanBasis& basis, const Axis* rig_axis) {
  if (std::ranges::all_of(basis.selection.scenes, is_recording) ||
      std::ranges::none_of(basis.selection.methods, looks_at_images)) {
    for (const char* const flag : {"rig", "imaging", "width", "height"})
      if (has_flag(request, axis_kind(flag)))
        refuse_plan("--{}: no method of this sweep uses images{}", flag,
                    has_recording(basis.selection) ? " that are rendered" : "");
    return {};
  }
  std::vector<std::string> rigs = {basis.images.rig.value_or(CaseImages().rig)};
  if (rig_axis != nullptr) rigs = rig_axis->values;
  for (const std::string& rig : rigs) rig_spec(rig);
  return rigs;
}

// Returns the suite's own repetitions of workloads; none if the request sets them.
std::vector<std::pair<std::string, TimingPlan>> plan_own_timing(const TimingRequest& request,
                                                                const Suite& suite,
                                                                const Catalogue& catalogue) {
  std::vector<std::pair<std::string, TimingPlan>> own;
  for (const auto& [workload, runs] : suite.repetitions) {
    if (std::ranges::find(catalogue.workloads, workload, &WorkloadSpec::name) == catalogue.workloads.end())
      refuse_plan("suite {}: repetitions: unknown workload '{}'", suite.name, workload);
    if (request.repetitions || request.precision || request.min_time_s) continue;
    TimingRequest with_runs = request;
    with_runs.repetitions = std::min(runs, request.max_repetitions.value_or(runs));
    own.emplace_back(workload, effective_timing(with_runs, true));
  }
  return own;
}

// Refuses a parameter that is set or swept twice: the name of a case would contain an unused value.
void check_conflicts(const PlanBasis& basis) {
  for (std::size_t i = 0; i < basis.axes.size(); ++i) {
    const PlannedAxis& a = basis.axes[i];
    if (!a.is_parameter()) continue;
    for (const Override& given : basis.sets)
      if (given.parameter == a.parameter && (a.owner.empty() || given.owner == a.owner))
        refuse_plan("--axis {}: conflicts with --set {}.{}", a.axis->name, given.owner, given.parameter);
    for (std::size_t j = 0; j < i; ++j) {
      const PlannedAxis& b = basis.axes[j];
      if (b.parameter == a.parameter && (a.owner.empty() || b.owner.empty()))
        refuse_plan("--axis {}: conflicts with --axis {}", a.axis->name, b.axis->name);
    }
  }
}

}  // namespace

PlanBasis basis_of(const PlanBasis& basis, const SelectionPart& part, const PlanRequest& request) {
  PlanBasis own = basis;
  if (part.axes == nullptr) return own;
  for (const Axis& axis : *part.axes) {
    if (const AxisKind kind = axis_kind(axis.name); kind == AxisKind::seed || kind == AxisKind::rig)
      refuse_plan("suite {}: an additional part cannot have the axis {}", basis.selection.suite->name,
                  axis.name);
    const std::size_t dot = axis.name.rfind('.');
    // Its owner is not among the requested scenes and methods.
    if (dot != std::string::npos && has_filters(request) &&
        !is_selected(basis.selection, axis.name.substr(0, dot)))
      continue;
    if (has_axis(request, axis.name)) continue;
    own.axes.push_back(plan_axis(axis, basis.selection));
    // It takes the place of what the suite sets for its other parts.
    const auto sets_it = [&](const Override& given) {
      return given.owner + "." + given.parameter == axis.name;
    };
    if (std::ranges::none_of(request.sets, sets_it)) std::erase_if(own.sets, sets_it);
  }
  check_conflicts(own);
  return own;
}

PlanBasis make_basis(const PlanRequest& request, const Catalogue& catalogue) {
  PlanBasis basis;
  basis.project_dir = request.project.dir;
  basis.selection = select_for(request, catalogue);
  const Suite* const suite = basis.selection.suite;
  basis.images = merged_images(request, suite);
  const std::vector<const Axis*> axes = merged_axes(request, basis.selection, catalogue);
  const auto rig_axis =
      std::ranges::find(axes, AxisKind::rig, [](const Axis* axis) { return axis_kind(axis->name); });
  basis.selection.rigs = plan_rigs(request, basis, rig_axis == axes.end() ? nullptr : *rig_axis);
  const Axis* seed_axis = nullptr;
  for (const Axis* axis : axes) {
    const AxisKind kind = axis_kind(axis->name);
    // An axis overrides the suite, but not a flag.
    if (has_flag(request, kind)) refuse_plan("--axis {0} excludes --{0}", axis->name);
    if (kind == AxisKind::seed)
      seed_axis = axis;
    else
      basis.axes.push_back(plan_axis(*axis, basis.selection));
  }
  // Seeds given with --seed replace a suite's axis, like other flags.
  if (seed_axis != nullptr && (request.seed || request.repeat) && !has_axis(request, seed_axis->name))
    seed_axis = nullptr;
  basis.seeds = plan_seeds(request, suite, seed_axis);
  if (suite != nullptr)
    for (const Override& given : suite->sets)
      if (!was_left_out(request, basis.selection, catalogue, given.owner + "." + given.parameter))
        basis.sets.push_back(given);
  basis.sets.insert(basis.sets.end(), request.sets.begin(), request.sets.end());
  for (const Override& given : basis.sets)
    check_owner(basis.selection, fmt::format("--set {}.{}", given.owner, given.parameter), given.owner,
                given.parameter);
  for (const Override& given : basis.sets)
    if (given.owner == kAlignmentOwner && given.parameter == "scale" && !any_finds_poses(basis.selection))
      refuse_plan("--set {}.scale: no method of this sweep has poses of its own", kAlignmentOwner);
  check_conflicts(basis);
  basis.threads = request.threads ? *request.threads : available_processors();
  basis.device = request.device.value_or("cpu");
  basis.method_timing = effective_timing(request.timing, false);
  basis.workload_timing = effective_timing(request.timing, true);
  if (suite != nullptr) basis.own_timing = plan_own_timing(request.timing, *suite, catalogue);
  return basis;
}

}  // namespace aqbench
