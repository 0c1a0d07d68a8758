#pragma once
// What somebody declares to be true of a recording: the text of truth/truth.json, or the member "truth" of a
// dataset in their project file.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace aqbench {

// How a surface is scored where the defaults, which fit a tank of half a metre, do not. Each part may be
// missing.
struct SurfaceScoring {
  std::optional<double> max_distance_m;
  std::optional<bool> leave_out_beyond_border;
  std::vector<double> tolerances_m;  // of precision, completeness and F-score; empty: the default
  std::optional<double> outlier_m, spacing_m, tile_m;
  std::vector<std::string> crops;  // boxes and ranges as add_crop() reads them, in the surface's unit
};

// A true surface in files or depth maps. Names may hold {frame}, the number of the frame in six digits.
struct SurfaceEntry {
  std::vector<std::string> files;  // a mesh or a scan, or several scans of one surface
  bool from_depths = false;        // no files: the recording's true depth maps are its scans
  std::string unit;                // m, cm, mm or um; empty where the entry does not say
  SurfaceScoring scoring = {};
};

// What is declared; each part may be missing.
struct TruthEntry {
  std::optional<SurfaceEntry> surface;
  std::string board_file;    // of a ChArUco board; empty: none
  std::string control_file;  // of control points; empty: none
};

// A declaration outside of the recording's own folder, and where its files lie.
struct DeclaredTruth {
  JsonBox entry;               // as truth_entry_at() reads it; an empty object: nothing is declared
  std::filesystem::path base;  // names are relative to it
  std::string source;          // stands before errors
};

// Reads an entry. Throws Error(input) naming the place for unknown keys and wrong values.
TruthEntry truth_entry_at(const JsonPlace& place);

// The names of units that a truth may have.
inline constexpr const char* kTruthUnits[] = {"m", "cm", "mm", "um"};

// Returns how many metres one unit is; nullopt for a name that is none of kTruthUnits.
std::optional<double> metres_per_unit(std::string_view unit);

}  // namespace aqbench
