#include "harness/planning/case_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/planning/case_images.h"
#include "harness/planning/plan_request.h"
#include "harness/records/case_name.h"

namespace aqbench {

const std::vector<ParameterSpec>& alignment_parameters() {
  static const std::vector<ParameterSpec> specs = {
      text_parameter("scale", "estimated",
                     "scale of the similarity between own and true cameras; one: the method knows the metre",
                     {"estimated", "one"}),
      text_parameter("then", "nothing", "what moves the cloud after its cameras; icp hides a bias",
                     {"nothing", "icp"}),
  };
  return specs;
}

std::optional<PoseAlignmentChoice> alignment_of(const Case& planned) {
  if (!has_own_poses(planned.name)) return std::nullopt;
  const Parameters given = resolve_parameters(kAlignmentOwner, alignment_parameters(), planned.overrides);
  return PoseAlignmentChoice{given.text("scale") == "estimated", given.text("then") == "icp"};
}

bool finds_poses(const MethodChoice& method, const Suite* suite) {
  const MethodDeclaration* const declared = method.spec->declaration.get();
  const bool declares = declared != nullptr && declared->own_poses;
  const std::string of_suite = suite == nullptr ? "" : suite->poses;
  if (of_suite == "given" && declares)
    refuse_plan("suite {}: \"poses\": \"given\", but method {} finds its own", suite->name,
                method.spec->name);
  if (of_suite != "own" && !declares) return false;
  const std::string who = declares ? fmt::format("method {}", method.spec->name)
                                   : fmt::format("suite {}: method {}", suite->name, method.spec->name);
  if (declared == nullptr)
    refuse_plan(who +
                ": \"poses\": \"own\" is for methods declared in a project file, not for aqbench's own");
  if (!asks_for_dataset(*declared))
    refuse_plan(who + ": \"poses\": \"own\" needs {dataset} in its command, the folder with the images");
  if (!declared->depth_maps.empty())
    refuse_plan(who + ": depth maps are not scored with \"poses\": \"own\"; leave depth_maps out");
  return true;
}

void add_alignment(Case& planned) {
  if (std::ranges::any_of(planned.overrides, [](const Override& o) { return o.owner == kPerturbOwner; }))
    refuse_plan("{}: a method with poses=own gets no calibration that could be wrong", kPerturbOwner);
  add_options(planned, kAlignmentOwner,
              resolve_parameters(kAlignmentOwner, alignment_parameters(), planned.overrides));
}

std::pair<InternedText, ParameterValue> poses_axis() { return {kPosesAxis, std::string(kOwnPoses)}; }

bool any_finds_poses(const Selection& selection) {
  bool any = false;
  for (const MethodChoice& method : selection.methods) any = finds_poses(method, selection.suite) || any;
  return any;
}

}  // namespace aqbench
