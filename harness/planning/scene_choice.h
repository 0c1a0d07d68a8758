#pragma once
// Chosen scenes, and recordings among them: "dataset:DIR".

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "harness/records/case.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"
#include "scenes/registry.h"

namespace aqbench {

// A recording chosen as a scene.
struct RecordingChoice {
  std::vector<ParameterSpec> parameters;  // of owner kDatasetOwner: frame, every, hold_out, scale
  Rig rig;
  bool has_cameras = true;  // else a method must find their poses and intrinsics
  bool has_surface = true;  // a true one
};

// A chosen scene.
struct SceneChoice {
  std::string name;                 // registry name, "mesh:FILE.ply" or "dataset:LABEL"
  const SceneSpec* spec = nullptr;  // nullptr for a mesh or recording
  // Of a mesh: the hash of its file. Of a recording: dataset.layout, dataset.truth, dataset.sha256.
  NamedValues options;
  std::string given = {};  // as requested: "dataset:DIR"
  std::optional<RecordingChoice> recording = {};
};

// Returns whether clouds can be scored against the scene.
inline bool has_true_surface(const SceneChoice& scene) {
  return !scene.recording || scene.recording->has_surface;
}

// Owner of the parameters of all recordings: "dataset.frame".
inline constexpr const char* kDatasetOwner = "dataset";

// Returns the recording in the folder named by `given`, "dataset:DIR" or "dataset:LABEL=DIR", as the scene
// "dataset:LABEL"; the default LABEL is the folder's name: a case's name does not contain places. Reads and
// hashes all its files. Throws Error(input) like read_recording(), inspect_recording(),
// find_recording_truth(), check_truth_unit() and check_true_points(), Error(usage) for a folder whose name is
// not allowed in a case's name.
SceneChoice choose_recording(const std::string& given);

// Does the same for a recording of a project, which gives its label and truth.
SceneChoice choose_recording(const std::string& given, const std::string& label,
                             const std::filesystem::path& dir, const DeclaredTruth& declared);

// The place and declaration of a recording.
struct RecordingPlace {
  std::filesystem::path dir;
  DeclaredTruth declared;
  std::vector<std::filesystem::path> hidden;  // from methods: its truth, wherever it lies
  std::vector<std::filesystem::path> poses;   // hidden from methods that find them themselves
};

// Returns the files of truth of all recordings seen by choose_recording(), which must be hidden from methods:
// a method could otherwise find the truth of another case in a readable folder.
const std::set<std::filesystem::path>& hidden_of_recordings();

// Returns the parameters of that owner for rendered scenes: hold_out.
const std::vector<ParameterSpec>& rendered_view_parameters();

// The cameras of a rig by their number: those that a case's method gets, and those held out from it.
struct ChosenViews {
  std::vector<std::size_t> kept, held_out;
};
ChosenViews views_of(const Case& planned, const Rig& rig);

// Returns whether views are held out from the method of a case.
bool holds_views_out(const Case& planned);

// Returns the files that a case with dataset.hold_out hides from its method: images and masks of views that
// it does not get, and the recording's own poses. None for any other case.
std::vector<std::filesystem::path> held_out_files(const Case& planned);

// Returns whether the case's scene is a recording.
bool looks_at_recording(const Case& planned);

// Returns the place of a case's recording. A case names it by its content, dataset.sha256; this process and
// its children know those seen by choose_recording(). Throws Error(input) for another one.
const RecordingPlace& recording_place(const Case& planned);

// Returns the frame of a recording's case, its option dataset.frame.
std::size_t recording_frame(const Case& planned);

// Returns how many times smaller the option dataset.scale makes the images of a recording's case.
int recording_scale(const Case& planned);

// Keeps the cameras that the options dataset.every and dataset.hold_out of a recording's case leave.
void keep_views_of(const Case& planned, Recording& recording);

// Throws Error(usage) if the last of the scenes has the name of an earlier one.
void require_own_label(const std::vector<SceneChoice>& scenes);

}  // namespace aqbench
