#pragma once
// The datasets that the project file of a user's repository, aqbench.json, names; it is read further by
// harness/project/project.h.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// Returns whether a label is allowed in a case name: plain ASCII without blanks, quotes and any of / \ : * ?
// [ ] = , $.
bool may_stand_in_names(const std::string& label);

// The name of a project file.
inline constexpr const char* kProjectFileName = "aqbench.json";

// A named recording of a project file, the scene "dataset:NAME".
struct ProjectDataset {
  std::string name;
  std::filesystem::path directory;  // absolute
  // Its declaration (scenes/dataset/recording_truth.h), with files relative to the project; an empty object:
  // none.
  JsonBox truth;
  std::string where = {};  // "FILE:LINE: datasets.NAME", for errors; not in the JSON
};

// A project file, its datasets and rigs.
struct ProjectDatasets {
  std::filesystem::path file, dir;  // absolute; `dir` is the folder of the file
  std::vector<ProjectDataset> datasets;
  std::vector<NamedRig> rigs;
};

// Reads a project file, of which `read_rest` reads the other members. In every object, keys that begin with
// "//" are comments. Throws Error(input) "FILE:LINE: PLACE: what" for an unknown key or a wrong value.
ProjectDatasets read_project_datasets(
    const std::filesystem::path& file,
    const std::function<void(const JsonPlace& root, const ProjectDatasets& project)>& read_rest = {});

// Returns the project file in a folder or the nearest one above it; nullopt if there is none. Throws
// Error(input) for one that belongs to neither this user nor root: such a file must be named explicitly.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder);

// Returns the datasets of the project file found from the working directory, if there is one.
std::optional<ProjectDatasets> current_datasets();

// Gives that project's rigs their names in this process (name_rigs()), unless `rig` is known without.
void use_current_rigs(const std::string& rig);

// A dataset on this machine, and its truth as the project file declares it.
struct PlacedDataset {
  std::filesystem::path directory;
  DeclaredTruth truth = {};
};

// Finds a dataset by its folder, or by its name in the project, with or without "dataset:" before it. Throws
// Error(usage) naming the known datasets where it is neither.
PlacedDataset place_dataset(const std::optional<ProjectDatasets>& project, const std::string& given);

}  // namespace aqbench
