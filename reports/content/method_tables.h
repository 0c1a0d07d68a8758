#pragma once
// Imported numbers as papers show them: for each metric a table with a row for each method and a column for
// each scene. Terminal, summary.md and report.html take them from here.

#include <string>
#include <vector>

#include "reports/content/case_columns.h"

namespace aqbench {

// The mean over the seeds.
struct MethodCell {
  std::string text;   // "31.2 ± 0.14", "n/a"
  bool best = false;  // of its scene, where methods differ
};

struct MethodTable {
  std::string title;  // "psnr [dB], more is better"
  std::vector<std::string> scenes, methods;
  std::vector<std::vector<MethodCell>> cells;  // Indexed by [method][scene].
};

// Returns a table for each column of imported results; none of others.
std::vector<MethodTable> method_tables(const Results& results);

// What the cells are.
inline constexpr const char* kMethodTablesNote =
    "Mean over the seeds ± standard deviation; the best of each scene is marked, whether or not the "
    "difference "
    "is more than noise: aqbench ab decides that.";

}  // namespace aqbench
