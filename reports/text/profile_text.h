#pragma once
// A profile for people: table of stages, bottlenecks, warnings.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/measuring/hotspots.h"
#include "harness/measuring/samplers.h"
#include "harness/records/profile_details.h"
#include "harness/records/record.h"
#include "reports/document/document.h"

namespace aqbench {

// One case of a profile as it lies in a bundle.
struct ProfiledCase {
  Record record;  // with status ok
  ProfileDetails details;
  FoldedStacks stacks;  // may be empty
  HotspotReport hotspots;
};

// Reads what run_profile() left in a bundle for a record with status ok. Throws Error(input) naming the file.
ProfiledCase read_profiled_case(const std::filesystem::path& bundle, const Record& record);

// A stage that takes much time.
struct Bottleneck {
  std::string stage, parent;
  double self_ms = 0;
  double share = 0;  // of the time of the whole run. Range: [0, 1].
};
// Returns the stages of the main thread with the largest self times, at most `count`.
std::vector<Bottleneck> bottlenecks(const ProfiledCase& profile, std::size_t count = 3);

// Returns the time of the run that is in no stage.
double unattributed_ms(const ProfiledCase& profile);

// Returns the table of stages, bottlenecks, hot functions and warnings.
Section profile_section(const ProfiledCase& profile);

// Returns what profile_section() shows, for programs: "effective.profile" of results.json.
Json to_json(const ProfiledCase& profile);

}  // namespace aqbench
