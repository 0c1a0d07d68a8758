#include "harness/planning/scene_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <variant>

#include "core/error.h"
#include "core/text.h"
#include "harness/datasets/project_datasets.h"
#include "scenes/dataset/perturb.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {
namespace {

// Returns a folder's name, also for "." and a path with a trailing slash.
std::string label_of(const std::filesystem::path& dir) {
  const std::filesystem::path whole = std::filesystem::absolute(dir / ".").lexically_normal();
  return whole.parent_path().filename().string();
}

// Of all recordings seen by choose_recording(): their places, by their content, and their files of truth.
std::map<std::string, RecordingPlace> known_places;
std::set<std::filesystem::path> known_hidden;

ParameterSpec hold_out_parameter(double most) {
  return count_parameter("hold_out", "1", 0, 0, most,
                         "of those keep each N-th from the method, the first included; 0: none");
}

std::vector<ParameterSpec> recording_parameters(const Recording& recording) {
  const auto cameras = static_cast<double>(recording.rig.cameras.size());
  return {count_parameter("frame", "1", 0, 0, static_cast<double>(recording.images.size() - 1),
                          "number of the frame, from 0"),
          count_parameter("every", "1", 1, 1, std::max(1.0, cameras),
                          "take each N-th camera, in the order of names, the first included"),
          hold_out_parameter(std::max(2.0, cameras)),
          count_parameter("scale", "1", 1, 1, 16,
                          "make the images smaller N times, each pixel the mean of N x N")};
}

}  // namespace

SceneChoice choose_recording(const std::string& given) {
  const std::string named = given.substr(kDatasetPrefix.size());
  const std::size_t equals = named.find('=');
  const bool has_label = equals != std::string::npos && may_stand_in_names(named.substr(0, equals));
  const std::filesystem::path dir = has_label ? named.substr(equals + 1) : named;
  const std::string label = has_label ? named.substr(0, equals) : label_of(dir);
  if (dir.empty() || !may_stand_in_names(label))
    throw usage_error(
        "scene '{}': the folder's name '{}' is not allowed in a case name (plain ASCII without "
        "blanks, quotes and any of / \\ : * ? [ ] = , $); give a label, dataset:LABEL=DIR",
        one_line(given), one_line(label));
  return choose_recording(given, label, dir, {});
}

SceneChoice choose_recording(const std::string& given, const std::string& label,
                             const std::filesystem::path& dir, const DeclaredTruth& declared) {
  const Recording recording = read_recording(dir, KnownCameras::optional);
  const RecordingTruth truth = find_recording_truth(recording, declared);
  if (!recording.has_cameras() && truth_text(truth) != "none")
    throw usage_error(
        "scene '{}': its truth cannot be used, since nothing says where the "
        "cameras of these images stood",
        one_line(given));
  check_truth_unit(recording, truth);
  check_true_points(recording, truth);
  DatasetContents contents = inspect_recording(recording);
  add_truth_contents(recording, declared, contents);
  SceneChoice choice{std::string(kDatasetPrefix) + label, nullptr, {}, given};
  choice.options = {{"dataset.layout", std::string(to_string(recording.layout))},
                    {"dataset.truth", truth_text(truth)},
                    {"dataset.sha256", dataset_sha256(contents)}};
  choice.recording = {recording_parameters(recording), recording.rig, recording.has_cameras(),
                      truth.has_surface()};
  RecordingPlace place{std::filesystem::absolute(dir), declared, hidden_files(recording, declared),
                       pose_files_in(dir)};
  place.poses.insert(place.poses.end(), recording.camera_files.begin(), recording.camera_files.end());
  for (const std::filesystem::path& path : place.hidden) {
    std::error_code unknown;
    known_hidden.insert(path);
    known_hidden.insert(std::filesystem::weakly_canonical(path, unknown));  // the target of a link
  }
  known_places[dataset_sha256(contents)] = std::move(place);
  return choice;
}

const std::set<std::filesystem::path>& hidden_of_recordings() { return known_hidden; }

bool looks_at_recording(const Case& planned) { return planned.scene.starts_with(kDatasetPrefix); }

const RecordingPlace& recording_place(const Case& planned) {
  const ParameterValue* const sha256 = find_option(planned, "dataset.sha256");
  const auto found = sha256 == nullptr ? known_places.end() : known_places.find(to_string(*sha256));
  if (found == known_places.end()) throw input_error("scene '{}': its folder is unknown", planned.scene);
  return found->second;
}

std::size_t recording_number(const Case& planned, const char* name, std::size_t missing) {
  const ParameterValue* const value = find_option(planned, fmt::format("{}.{}", kDatasetOwner, name));
  const auto* const number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? missing : static_cast<std::size_t>(*number);
}

std::size_t recording_frame(const Case& planned) { return recording_number(planned, "frame", 0); }

int recording_scale(const Case& planned) { return static_cast<int>(recording_number(planned, "scale", 1)); }

void keep_views_of(const Case& planned, Recording& recording) {
  keep_views(recording, recording_number(planned, "every", 1), recording_number(planned, "hold_out", 0));
}

const std::vector<ParameterSpec>& rendered_view_parameters() {
  static const std::vector<ParameterSpec> specs = {hold_out_parameter(1000)};
  return specs;
}

bool holds_views_out(const Case& planned) { return recording_number(planned, "hold_out", 0) > 0; }

ChosenViews views_of(const Case& planned, const Rig& rig) {
  const std::size_t every = recording_number(planned, "every", 1);
  const std::vector<std::size_t> all = kept_views(rig, every, 0);
  ChosenViews views{kept_views(rig, every, recording_number(planned, "hold_out", 0)), {}};
  std::ranges::set_difference(all, views.kept, std::back_inserter(views.held_out));
  return views;
}

std::vector<std::filesystem::path> held_out_files(const Case& planned) {
  if (!looks_at_recording(planned) || recording_number(planned, "hold_out", 0) == 0) return {};
  const RecordingPlace& place = recording_place(planned);
  const Recording whole = read_recording(place.dir, KnownCameras::optional);
  Recording kept = whole;
  keep_views_of(planned, kept);
  std::set<std::filesystem::path> given;
  for (const auto* const frames : {&kept.images, &kept.masks})
    for (const auto& files : *frames) given.insert(files.begin(), files.end());
  std::vector<std::filesystem::path> hidden = place.poses;
  for (const auto* const frames : {&whole.images, &whole.masks})
    for (const auto& files : *frames)
      std::ranges::copy_if(files, std::back_inserter(hidden), [&](const std::filesystem::path& file) {
        return !file.empty() && !given.contains(file);
      });
  return hidden;
}

void require_own_label(const std::vector<SceneChoice>& scenes) {
  const SceneChoice& last = scenes.back();
  const auto same = std::ranges::find(scenes, last.name, &SceneChoice::name);
  if (&*same != &last)
    throw usage_error("scenes '{}' and '{}' would both be called {}; give one a label, dataset:LABEL=DIR",
                      one_line(same->given), one_line(last.given), last.name);
}

}  // namespace aqbench
