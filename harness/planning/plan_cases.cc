#include "harness/planning/plan_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/sha256.h"
#include "harness/planning/case_options.h"
#include "harness/records/case_name.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {
namespace {

// The subject of a case: a scene and a method, or a workload.
struct Subject {
  const SceneChoice* scene = nullptr;
  const MethodChoice* method = nullptr;
  const WorkloadSpec* workload = nullptr;
  bool looks_away = false;  // uses no images, though the method could: images_unused()

  const std::string& runner() const { return workload != nullptr ? workload->name : method->spec->name; }
  const std::vector<ParameterSpec>& parameters() const {
    return workload != nullptr ? workload->parameters : method->spec->parameters;
  }
  bool owns(const std::string& owner) const {
    return owner == runner() || (scene != nullptr && owner == scene->name);
  }
  bool has_recording() const { return scene != nullptr && scene->recording.has_value(); }
  bool is_scored() const { return scene != nullptr && has_true_surface(*scene); }
  // Rendered images.
  bool has_images() const {
    return method != nullptr && looks_at_images(*method) && !has_recording() && !looks_away;
  }
};

// Whether a parameter of kDatasetOwner is one of rendered scenes, too.
bool is_of_rendered(const std::string& parameter) {
  return has_parameter(rendered_view_parameters(), parameter);
}

bool concerns(const PlanBasis& basis, const PlannedAxis& axis, const Subject& subject) {
  if (axis.is_of_images()) return subject.has_images();
  if (!axis.is_parameter()) return true;
  if (axis.owner.empty()) return has_parameter(subject.parameters(), axis.parameter);
  if (subject.owns(axis.owner)) return true;
  if (axis.owner == kScoringOwner) return subject.is_scored();
  if (subject.has_recording()) return axis.owner == kPerturbOwner || axis.owner == kDatasetOwner;
  if (axis.owner == kDatasetOwner) return subject.has_images() && is_of_rendered(axis.parameter);
  const auto& rigs = basis.selection.rigs;
  return subject.has_images() &&
         (axis.owner == kImagingOwner || axis.owner == kPerturbOwner || is_owner_of_rig(rigs, axis.owner));
}

// Returns the owner (method, workload or other) of the axis's parameter in this case.
const std::string& owner_in(const Case& planned, const PlannedAxis& axis) {
  if (!axis.owner.empty()) return axis.owner;
  return planned.workload.empty() ? planned.method : planned.workload;
}

const ParameterValue& option_of(const Case& planned, const PlannedAxis& axis) {
  return *find_option(planned, fmt::format("{}.{}", owner_in(planned, axis), axis.parameter));
}

void apply_image_axis(CaseImages& images, const PlannedAxis& axis, const std::string& value) {
  const auto pixels = [&] { return parse_axis_integer<int>(*axis.axis, value, 1, kMaxImageSide_px); };
  if (axis.kind == AxisKind::rig) images.rig = value;
  if (axis.kind == AxisKind::imaging) images.imaging = value;
  if (axis.kind == AxisKind::width) images.width_px = pixels();
  if (axis.kind == AxisKind::height) images.height_px = pixels();
}

// Applies the value of an axis, except one of images (images_of()); a parameter becomes an override.
void apply_axis(Case& planned, const PlannedAxis& axis, const std::string& value) {
  if (axis.kind == AxisKind::threads) {
    planned.threads = parse_axis_integer<int>(*axis.axis, value, 1, kMaxThreads);
  } else if (axis.kind == AxisKind::device) {
    check_device("--axis device", value);
    planned.device = value;
  } else if (axis.is_parameter()) {
    planned.overrides.push_back({owner_in(planned, axis), axis.parameter, value});
  }
}

// Appends the options of a calibration error, if any.
void append_calibration_error(Case& planned, const Rig& rig) {
  if (const CalibrationError error = case_calibration_error(planned); !is_zero(error))
    perturbed(rig, error);  // refused now rather than after rendering
  if (!has_overrides(planned, kPerturbOwner)) return;
  const Parameters resolved = resolve_parameters(kPerturbOwner, perturb_parameters(), planned.overrides);
  add_options(planned, kPerturbOwner, resolved);
  if (const std::string& file = resolved.text(kCovarianceFile); file != kNoCovariance)
    planned.options.emplace_back("covariance.sha256", sha256_file_hex(file));
}

// Appends how a declared method finds its dataset, where that is not in aqbench's own layout.
void append_layout(Case& planned, const MethodDeclaration& method) {
  for (const auto& [name, value] : unusual_members(method.dataset))
    planned.options.emplace_back(fmt::format("{}.{}", method.name, name), value);
}

void resolve_options(Case& planned, const Subject& subject) {
  if (subject.workload != nullptr)
    return add_resolved(planned, subject.workload->name, subject.workload->parameters);
  const SceneChoice& scene = *subject.scene;
  const MethodChoice& method = *subject.method;
  if (scene.spec != nullptr) add_resolved(planned, scene.name, scene.spec->parameters);
  for (const auto& option : scene.options) planned.options.push_back(option);
  std::vector<Override> overrides = preset_overrides(*method.spec, method.preset);
  overrides.insert(overrides.end(), planned.overrides.begin(), planned.overrides.end());
  add_options(planned, method.spec->name,
              resolve_parameters(method.spec->name, method.spec->parameters, overrides));
  if (method.spec->declaration) append_layout(planned, *method.spec->declaration);
  add_given_scoring(planned, scene.recording.has_value());
  if (scene.recording) {
    add_resolved(planned, kDatasetOwner, scene.recording->parameters);
    return append_calibration_error(planned, scene.recording->rig);
  }
  if (!planned.images) return;
  if (has_overrides(planned, kDatasetOwner)) add_resolved(planned, kDatasetOwner, rendered_view_parameters());
  const DatasetPlan dataset = plan_images(dataset_request(planned));
  if (views_of(planned, dataset.rig).kept.empty())
    refuse_plan("{}.hold_out: no camera of {} is left", kDatasetOwner, planned.images->rig);
  for (const auto& [name, asked] :  // a rig of a file takes none
       {std::pair("width", planned.images->width_px), {"height", planned.images->height_px}})
    if (const std::int64_t given = asked ? dataset.rig_parameters.integer(name) : 0; asked && *asked != given)
      refuse_plan("{} {}: {}.{}={} contradicts it", name, *asked, planned.images->rig, name, given);
  planned.options.emplace_back("dataset.rig", dataset.request.rig);
  planned.options.emplace_back("dataset.imaging", dataset.request.imaging);
  if (!dataset.rig_sha256.empty()) planned.options.emplace_back("rig.sha256", dataset.rig_sha256);
  add_options(planned, rig_spec(dataset.request.rig).name, dataset.rig_parameters);
  add_options(planned, kImagingOwner, dataset.imaging_parameters);
  append_calibration_error(planned, dataset.rig);
}

using AxisPoint = std::vector<std::pair<const PlannedAxis*, const std::string*>>;

// Returns the image properties in a case's name that are not swept: those that differ from the default.
NamedValues fixed_image_axes(const PlanBasis& basis) {
  const auto is_swept = [&](AxisKind kind) {
    return std::ranges::find(basis.axes, kind, &PlannedAxis::kind) != basis.axes.end();
  };
  const ImageChoice& images = basis.images;
  NamedValues named;
  if (!is_swept(AxisKind::rig) && images.rig && *images.rig != CaseImages().rig)
    named.emplace_back("rig", *images.rig);
  if (!is_swept(AxisKind::imaging) && images.imaging && *images.imaging != CaseImages().imaging)
    named.emplace_back("imaging", *images.imaging);
  if (!is_swept(AxisKind::width) && images.width_px)
    named.emplace_back("width", std::int64_t{*images.width_px});
  if (!is_swept(AxisKind::height) && images.height_px)
    named.emplace_back("height", std::int64_t{*images.height_px});
  return named;
}

CaseImages images_of(const PlanBasis& basis, const AxisPoint& point) {
  const ImageChoice& choice = basis.images;
  CaseImages images;
  images.rig = choice.rig.value_or(images.rig);
  images.imaging = choice.imaging.value_or(images.imaging);
  images.width_px = choice.width_px;
  images.height_px = choice.height_px;
  for (const auto& [axis, value] : point)
    if (axis->is_of_images()) apply_image_axis(images, *axis, *value);
  return images;
}

// Returns the value of an axis in a resolved case.
ParameterValue axis_value(const Case& planned, const PlannedAxis& axis, const std::string& text) {
  switch (axis.kind) {
    case AxisKind::parameter:
      return option_of(planned, axis);
    case AxisKind::threads:
      return std::int64_t{planned.threads};
    case AxisKind::replica:
      return parse_axis_integer<std::int64_t>(*axis.axis, text, 1, kMaxCases);
    case AxisKind::width:
      return std::int64_t{planned.images->width_px.value()};
    case AxisKind::height:
      return std::int64_t{planned.images->height_px.value()};
    default:
      return text;
  }
}

const TimingPlan& timing_of(const PlanBasis& basis, const Subject& subject) {
  if (subject.workload == nullptr) return basis.method_timing;
  for (const auto& [workload, own] : basis.own_timing)
    if (workload == subject.workload->name) return own;
  return basis.workload_timing;
}

// A method must find the cameras of images that have none, and what moves or measures by a true surface needs
// one.
void check_recording(const Case& planned, const Subject& subject) {
  if (!subject.has_recording()) return;
  const RecordingChoice& recording = *subject.scene->recording;
  const MethodDeclaration* const declared = subject.method->spec->declaration.get();
  if (!recording.has_cameras && (declared == nullptr || !declared->own_intrinsics))
    refuse_plan(
        "{} has images without cameras, and method {} does not declare \"poses\": \"own\" and "
        "\"intrinsics\": \"own\"",
        planned.scene, planned.method);
  if (recording.has_surface) return;
  if (const auto alignment = alignment_of(planned); alignment && alignment->to_truth())
    refuse_plan("alignment.then={}: {} has no true surface", alignment->then, planned.scene);
  if (!recording.has_cameras && !case_protocols(planned).empty())
    refuse_plan("protocols: {} has no true surface", planned.scene);
}

Case make_case(const PlanBasis& basis, const Subject& subject, std::uint64_t seed, const AxisPoint& point) {
  Case planned;
  if (subject.workload != nullptr) {
    planned.workload = subject.workload->name;
  } else {
    planned.scene = subject.scene->name;
    planned.method = subject.method->spec->name;
    planned.preset = subject.method->preset;
    planned.simulated = subject.method->spec->simulated();
    if (const auto& declaration = subject.method->spec->declaration)
      planned.declaration = to_json(*declaration);
    planned.project_dir = basis.project_dir;
  }
  if (!is_given(planned)) planned.timing = timing_of(basis, subject);  // there is nothing to time
  planned.seed = seed;
  planned.threads = basis.threads;
  planned.device = basis.device;
  if (subject.has_images()) {
    planned.images = images_of(basis, point);
    planned.axes = fixed_image_axes(basis);
  }
  const bool own_poses = subject.method != nullptr && finds_poses(*subject.method, basis.selection.suite);
  if (own_poses) planned.axes.emplace(planned.axes.begin(), kPosesAxis, std::string(kOwnPoses));
  for (const Override& given : basis.sets)
    if (subject.owns(given.owner) || (planned.images && owns_images(*planned.images, given.owner)) ||
        (subject.has_recording() && (given.owner == kPerturbOwner || given.owner == kDatasetOwner)) ||
        (planned.images && given.owner == kDatasetOwner && is_of_rendered(given.parameter)) ||
        (subject.is_scored() && given.owner == kScoringOwner) ||
        (subject.method != nullptr && looks_at_images(*subject.method) && given.owner == kAlignmentOwner &&
         (own_poses || given.parameter != "scale")) ||
        (subject.method != nullptr && given.owner == kProtocolsOwner))
      planned.overrides.push_back(given);
  for (const auto& [axis, value] : point) apply_axis(planned, *axis, *value);
  resolve_options(planned, subject);
  add_alignment(planned, own_poses);
  add_protocols(planned);
  check_recording(planned, subject);
  const std::string seed_part = fmt::format("/seed={}", seed);
  if (subject.workload != nullptr)
    planned.name = planned.workload;
  else
    planned.name = fmt::format("{}/{}{}", planned.scene, subject.method->name(), seed_part);
  for (const auto& [name, value] : planned.axes)
    planned.name += fmt::format("/{}={}", name, to_string(value));
  for (const auto& [axis, text] : point) {
    ParameterValue value = axis_value(planned, *axis, *text);
    planned.name += fmt::format("/{}={}", axis->axis->name, to_string(value));
    if (axis->is_parameter() || axis->is_of_images() || axis->kind == AxisKind::replica)
      planned.axes.emplace_back(axis->axis->name, std::move(value));
  }
  if (subject.workload != nullptr) planned.name += seed_part;
  if (planned.workload.empty()) check_protocols(planned);
  planned.options.shrink_to_fit();  // there may be very many cases
  planned.overrides.shrink_to_fit();
  return planned;
}

void add_cases(std::vector<Case>& cases, const PlanBasis& basis, const Subject& subject) {
  std::vector<const PlannedAxis*> axes;
  std::size_t points = 1;
  for (const PlannedAxis& axis : basis.axes) {
    if (!concerns(basis, axis, subject)) continue;
    axes.push_back(&axis);
    points *= axis.axis->values.size();
    if (points > kMaxCases) break;
  }
  if (points > kMaxCases || cases.size() + points * basis.seeds.size() > kMaxCases)
    refuse_plan("the sweep has more than {} cases", kMaxCases);
  for (const std::uint64_t seed : basis.seeds) {
    for (std::size_t index = 0; index < points; ++index) {
      AxisPoint point(axes.size());
      std::size_t rest = index;
      for (std::size_t i = axes.size(); i-- > 0;) {  // the last axis fastest
        const auto& values = axes[i]->axis->values;
        point[i] = {axes[i], &values[rest % values.size()]};
        rest /= values.size();
      }
      cases.push_back(make_case(basis, subject, seed, point));
    }
  }
}

// Returns whether nothing is rendered for a case: a command without {dataset} runs on any mesh, also on one
// outside every rig's view.
bool images_unused(const PlanBasis& basis, const SceneChoice& scene, const MethodChoice& method) {
  if (scene.spec != nullptr || scene.recording) return false;
  if (method.spec->declaration) return !asks_for_dataset(*method.spec->declaration);
  std::string command;
  if (method.spec->starts_program)
    for (const Override& given : basis.sets)
      if (given.owner == method.spec->name && given.parameter == "command") command = given.value;
  return !command.empty() && command.find("{dataset}") == std::string::npos;
}

// Adds the cases of a part, except those of an earlier part.
void add_part(std::vector<Case>& cases, const PlanBasis& basis, const SelectionPart& part) {
  std::vector<Case> added;
  for (const SceneChoice& scene : basis.selection.scenes) {
    if (std::ranges::find(part.scenes, scene.given) == part.scenes.end()) continue;
    for (const MethodChoice& method : basis.selection.methods) {
      if (std::ranges::find(part.methods, method.name()) == part.methods.end()) continue;
      if (scene.recording && !looks_at_images(method))
        refuse_plan("method {}: simulated methods need a true surface, but {} is a recording; give --method",
                    method.spec->name, scene.name);
      add_cases(added, basis, {&scene, &method, nullptr, images_unused(basis, scene, method)});
    }
  }
  if (cases.empty()) {
    cases = std::move(added);  // two lists of very many cases would take twice the memory
    return;
  }
  std::set<std::string> names;
  for (const Case& planned : cases) names.insert(planned.name);
  for (Case& planned : added)
    if (!names.contains(planned.name)) cases.push_back(std::move(planned));
  if (cases.size() > kMaxCases) refuse_plan("the sweep has more than {} cases", kMaxCases);
}

void check_unique(const std::vector<Case>& cases) {
  std::set<std::string> names;
  for (const Case& planned : cases)
    if (!names.insert(planned.name).second) refuse_plan("two cases would be called '{}'", planned.name);
}

}  // namespace

std::vector<Case> planned_cases(const PlanBasis& basis, const PlanRequest& request) {
  std::vector<Case> cases;
  for (const SelectionPart& part : basis.selection.parts)
    add_part(cases, basis_of(basis, part, request), part);
  for (const WorkloadSpec* workload : basis.selection.workloads)
    add_cases(cases, basis, {nullptr, nullptr, workload});
  check_unique(cases);
  return cases;
}

}  // namespace aqbench
