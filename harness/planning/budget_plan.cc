#include "harness/planning/budget_plan.h"

#include <algorithm>
#include <optional>

#include "harness/planning/case_options.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {
namespace {

constexpr const char* kCalibration = "calibration";
constexpr const char* kFullContrast = "0.25";  // of a texture that is hardly clipped

std::string name_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

// Returns whether a request gives a setting another value than this one, which is the default.
bool gives_another(const PlanRequest& request, const std::string& name, const std::string& value) {
  std::string last = value;
  for (const Override& given : request.sets)
    if (given.owner + "." + given.parameter == name) last = given.value;
  const auto number = parse_double(last);
  return number ? number != parse_double(value) : last != value;
}

// Returns whether the images or the calibration of a request have what a setting takes away.
bool has_error(const PlanRequest& request, const std::string& setting) {
  const std::string name = name_of(setting), value = setting.substr(name.size() + 1);
  if (name.starts_with("perturb.")) return gives_another(request, name, value);
  const ImagingVariant& variant = find_imaging_variant(request.images.imaging.value_or(CaseImages().imaging));
  std::vector<Override> all = variant.overrides;
  for (const Override& given : request.sets)
    if (given.owner == kImagingOwner) all.push_back(given);
  const Parameters parameters = resolve_parameters(kImagingOwner, imaging_parameters(), all);
  return parameters.number(name.substr(name.find('.') + 1)) != parse_double(value);
}

bool is_recorded(const PlanRequest& request) {
  return std::ranges::all_of(request.scenes,
                             [](const std::string& scene) { return scene.starts_with(kDatasetPrefix); });
}

// The causes that a request has, with their settings that change something.
std::vector<BudgetCause> causes_of(const PlanRequest& request) {
  std::vector<BudgetCause> causes;
  for (BudgetCause cause : budget_causes()) {
    std::erase_if(cause.settings, [&](const std::string& setting) {
      return (setting.starts_with("imaging.") && is_recorded(request)) || !has_error(request, setting);
    });
    if (!cause.settings.empty()) causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace

const std::vector<BudgetCause>& budget_causes() {
  static const std::vector<BudgetCause> causes = {
      {"camera poses", kCalibration, {"perturb.camera_position_m=0", "perturb.camera_rotation_deg=0"}},
      {"lenses",
       kCalibration,
       {"perturb.focal_pct=0", "perturb.sigma_focal_pct=0", "perturb.camera_focal_pct=0",
        "perturb.camera_principal_px=0", "perturb.camera_k1=0"}},
      {"water surface",
       kCalibration,
       {"perturb.water_z_m=0", "perturb.sigma_water_z_m=0", "perturb.tilt_deg=0",
        "perturb.sigma_tilt_deg=0"}},
      {"index of water", kCalibration, {"perturb.n_water=0", "perturb.sigma_n_water=0"}},
      {"ports",
       kCalibration,
       {"perturb.port_dist_m=0", "perturb.port_thick_m=0", "perturb.n_glass=0", "perturb.port_tilt_deg=0",
        "perturb.dome_x_m=0", "perturb.dome_y_m=0", "perturb.dome_z_m=0", "perturb.camera_port_dist_m=0",
        "perturb.camera_port_thick_m=0", "perturb.camera_n_glass=0", "perturb.camera_port_tilt_deg=0",
        "perturb.camera_dome_x_m=0", "perturb.camera_dome_y_m=0", "perturb.camera_dome_z_m=0"}},
      {"board's size", kCalibration, {"perturb.board_size_pct=0", "perturb.sigma_board_size_pct=0"}},
      {"covariance", kCalibration, {"perturb.covariance=none"}},
      {"refraction as a pinhole", "", {"perturb.as_pinhole_m=0"}},
      {"noise", "", {"imaging.noise_sigma=0", "imaging.gain_spread=0"}},
      {"blur", "", {"imaging.psf_sigma_px=0"}},
      {"weak texture", "", {std::string("imaging.texture_contrast=") + kFullContrast}},
  };
  return causes;
}

PlanRequest budget_request(PlanRequest asked, bool pairs) {
  const std::vector<BudgetCause> causes = causes_of(asked);
  if (causes.empty())
    throw usage_error("budget: no cause of errors to take away; give --set perturb.NAME=VALUE");
  Suite suite{.name = kBudgetSuite,
              .description = "one cause of errors taken away at a time",
              .scenes = asked.scenes,
              .methods = asked.methods,
              .sets = asked.sets,
              .images = asked.images};
  const auto add = [&](const auto& is_taken) {
    SuitePart part{asked.scenes, asked.methods, {}};
    for (const BudgetCause& cause : causes)
      if (is_taken(cause))
        for (const std::string& setting : cause.settings) part.axes.push_back(parse_axis(setting));
    suite.more.push_back(std::move(part));
  };
  for (const BudgetCause& taken : causes)
    add([&](const BudgetCause& cause) { return cause.name == taken.name; });
  const auto grouped = std::ranges::count(causes, kCalibration, &BudgetCause::group);
  const auto is_calibration = [](const BudgetCause& cause) { return cause.group == kCalibration; };
  if (pairs && causes.size() > 2)
    for (auto a = causes.begin(); a != causes.end(); ++a)
      for (auto b = a + 1; b != causes.end(); ++b)
        if (grouped != 2 || !is_calibration(*a) || !is_calibration(*b))  // else the two are the group
          add([&](const BudgetCause& cause) { return cause.name == a->name || cause.name == b->name; });
  if (grouped > 1 && grouped < std::ssize(causes)) add(is_calibration);
  if (causes.size() > 1) add([](const BudgetCause&) { return true; });
  asked.suite = kBudgetSuite;
  asked.own_suite = std::move(suite);
  asked.scenes.clear();
  asked.methods.clear();
  asked.sets.clear();
  asked.images = {};
  return asked;
}

std::vector<std::string> taken_away(const NamedValues& axes) {
  std::vector<std::string> taken;
  for (const BudgetCause& cause : budget_causes())
    if (std::ranges::any_of(cause.settings, [&](const std::string& setting) {
          return find_value(axes, name_of(setting)) != nullptr;
        }))
      taken.push_back(cause.name);
  return taken;
}

std::string name_of_pair(const std::vector<std::string>& two) { return two.at(0) + " with " + two.at(1); }

std::string name_of_causes(const std::vector<std::string>& taken, const std::vector<std::string>& present) {
  if (taken.size() < 2) return taken.empty() ? std::string() : taken.front();
  std::vector<std::string> of_group;
  for (const BudgetCause& cause : budget_causes())
    if (cause.group == kCalibration && std::ranges::find(present, cause.name) != present.end())
      of_group.push_back(cause.name);
  if (taken == of_group) return kCalibration;
  return taken == present ? kAllCauses : name_of_pair(taken);
}

}  // namespace aqbench
