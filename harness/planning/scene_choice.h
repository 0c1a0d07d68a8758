#pragma once
// A scene that was chosen, and recordings among them: "dataset:DIR".

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parameters.h"
#include "harness/records/case.h"
#include "scenes/dataset/truth_entry.h"
#include "scenes/optics/camera.h"
#include "scenes/registry.h"

namespace aqbench {

// A recording that was chosen as a scene.
struct RecordingChoice {
  std::vector<ParameterSpec> parameters;  // of owner kDatasetOwner: frame
  Rig rig;
};

// A scene that was chosen.
struct SceneChoice {
  std::string name;                 // registry name, "mesh:FILE.ply" or "dataset:LABEL"
  const SceneSpec* spec = nullptr;  // nullptr for a mesh and a recording
  // Of a mesh: the hash of its file. Of a recording: dataset.layout, dataset.truth, dataset.sha256.
  NamedValues options;
  std::string given = {};  // as it was asked for: "dataset:DIR"
  std::optional<RecordingChoice> recording = {};
};

// Owner of the parameters of all recordings: "dataset.frame".
inline constexpr const char* kDatasetOwner = "dataset";

// Returns the recording in the folder that `given` names, "dataset:DIR" or "dataset:LABEL=DIR", as the scene
// "dataset:LABEL", LABEL being the folder's name where none is given: a case's name says nothing of where
// things lie. Reads and hashes every file of it. Throws Error(input) as read_recording(),
// inspect_recording(), find_recording_truth(), check_truth_unit() and check_true_points() do, Error(usage)
// for a folder whose name cannot stand in a case's name.
SceneChoice choose_recording(const std::string& given);

// Does the same for a recording of a project, which has its label and its truth from there.
SceneChoice choose_recording(const std::string& given, const std::string& label,
                             const std::filesystem::path& dir, const DeclaredTruth& declared);

// Returns whether a label can stand in the name of a case: plain ASCII without blanks, quotes and any of
// / \ : * ? [ ] = , $.
bool may_stand_in_names(const std::string& label);

// Where a recording lies, and what is declared of it.
struct RecordingPlace {
  std::filesystem::path dir;
  DeclaredTruth declared;
  std::vector<std::filesystem::path> hidden;  // from methods: its truth, wherever that lies
};

// Returns the files of truth of all recordings that choose_recording() has seen, which no method may see: a
// method of one case could otherwise find the truth of another in a folder that it may read.
const std::set<std::filesystem::path>& hidden_of_recordings();

// Returns whether the case's scene is a recording.
bool looks_at_recording(const Case& planned);

// Returns where the recording of a case lies. A case names it by its content, dataset.sha256; this process
// knows those that choose_recording() has seen, and so do its children. Throws Error(input) for another one.
const RecordingPlace& recording_place(const Case& planned);

// Returns the frame that a case of a recording looks at, its option dataset.frame.
std::size_t recording_frame(const Case& planned);

// Throws Error(usage) if the last of the scenes has the name of an earlier one.
void require_own_label(const std::vector<SceneChoice>& scenes);

}  // namespace aqbench
