#pragma once
// Declared truth of a recording: the content of truth/truth.json, or the member "truth" of a dataset in a
// project file.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace aqbench {

// Scoring options of a surface, where the defaults, made for a tank of half a metre, do not fit. Each is
// optional.
struct SurfaceScoring {
  std::optional<double> max_distance_m;
  std::optional<bool> leave_out_beyond_border;
  std::vector<double> tolerances_m;  // of precision, completeness and F-score; empty: the default
  std::optional<double> outlier_m, spacing_m, tile_m;
  std::vector<std::string> crops;  // boxes and ranges as add_crop() reads them, in the surface's unit
};

// A true surface in files or depth maps. Names may contain {frame}, the frame number in six digits.
struct SurfaceTruth {
  std::vector<std::string> files;  // a mesh or a scan, or several scans of one surface
  std::string unit;                // m, cm, mm or um; empty if unknown
  SurfaceScoring scoring = {};
  bool from_depths = false;  // no files: the recording's true depth maps are its scans
};

// A declaration; each part is optional.
struct TruthEntry {
  std::optional<SurfaceTruth> surface;
  std::string board_file;    // of a ChArUco board; empty: none
  std::string control_file;  // of control points; empty: none
};

// A declaration outside the recording's folder, and the folder of its files.
struct DeclaredTruth {
  JsonBox entry;               // as read by truth_entry_at(); an empty object: nothing is declared
  std::filesystem::path base;  // names are relative to it
  std::string source;          // prefix of errors
};

// Reads an entry. Throws Error(input) naming the place for unknown keys and wrong values.
TruthEntry truth_entry_at(const JsonPlace& place);

// The units of a truth.
inline constexpr const char* kTruthUnits[] = {"m", "cm", "mm", "um"};

// Returns the length of a unit in metres; nullopt for a name not in kTruthUnits.
std::optional<double> metres_per_unit(std::string_view unit);

}  // namespace aqbench
