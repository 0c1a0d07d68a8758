#include "harness/planning/owners.h"

#include <algorithm>

#include "harness/planning/case_images.h"
#include "harness/planning/case_poses.h"
#include "harness/planning/case_protocols.h"
#include "harness/planning/case_scoring.h"
#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

bool has_scored_scene(const Selection& selection) {
  return std::ranges::any_of(selection.scenes,
                             [](const SceneChoice& scene) { return !scene.recording.has_value(); });
}

}  // namespace

bool has_recording(const Selection& selection) {
  return std::ranges::any_of(selection.scenes,
                             [](const SceneChoice& scene) { return scene.recording.has_value(); });
}

std::vector<std::string> owners_of(const Selection& selection) {
  std::vector<std::string> owners;
  for (const SceneChoice& scene : selection.scenes) owners.push_back(scene.name);
  for (const MethodChoice& method : selection.methods)
    if (std::ranges::find(owners, method.spec->name) == owners.end()) owners.push_back(method.spec->name);
  for (const WorkloadSpec* workload : selection.workloads) owners.push_back(workload->name);
  owners.insert(owners.end(), selection.rigs.begin(), selection.rigs.end());
  if (!selection.rigs.empty()) owners.emplace_back(kImagingOwner);
  if (!selection.rigs.empty() || has_recording(selection)) owners.emplace_back(kPerturbOwner);
  if (has_recording(selection)) owners.emplace_back(kDatasetOwner);
  if (has_scored_scene(selection)) owners.emplace_back(kScoringOwner);
  if (any_finds_poses(selection)) owners.emplace_back(kAlignmentOwner);
  if (!selection.methods.empty()) owners.emplace_back(kProtocolsOwner);
  return owners;
}

const std::vector<ParameterSpec>& parameters_of(const Selection& selection, const std::string& owner) {
  static const std::vector<ParameterSpec> none;
  for (const SceneChoice& scene : selection.scenes)
    if (scene.name == owner) return scene.spec == nullptr ? none : scene.spec->parameters;
  for (const MethodChoice& method : selection.methods)
    if (method.spec->name == owner) return method.spec->parameters;
  for (const WorkloadSpec* workload : selection.workloads)
    if (workload->name == owner) return workload->parameters;
  if (owner == kDatasetOwner)  // all have the same, but for the number of their frames
    for (const SceneChoice& scene : selection.scenes)
      if (scene.recording) return scene.recording->parameters;
  if (owner == kPerturbOwner && (!selection.rigs.empty() || has_recording(selection)))
    return perturb_parameters();
  if (owner == kScoringOwner && has_scored_scene(selection)) return scoring_parameters();
  if (owner == kAlignmentOwner && any_finds_poses(selection)) return alignment_parameters();
  if (owner == kProtocolsOwner) return protocols_parameters();
  if (selection.rigs.empty()) return none;
  if (owner == kImagingOwner) return imaging_parameters();
  if (std::ranges::find(selection.rigs, owner) != selection.rigs.end()) return find_rig(owner).parameters;
  return none;
}

}  // namespace aqbench
