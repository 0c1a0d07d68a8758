#pragma once
// A profile for people: stage table, bottlenecks, warnings; and two profiles side by side.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/measuring/folded.h"
#include "harness/measuring/hotspots.h"
#include "harness/records/profile_details.h"
#include "harness/records/record.h"

namespace aqbench {

// One case of a profile, as it lies in a bundle.
struct ProfiledCase {
  Record record;  // status ok
  ProfileDetails details;
  FoldedStacks stacks;  // may be empty
  HotspotReport hotspots;
};

// Reads what run_profile() left in a bundle; `record` must be ok. Throws Error(input) naming the file.
ProfiledCase read_profiled_case(const std::filesystem::path& bundle, const Record& record);

struct Bottleneck {
  std::string stage, parent;
  double self_ms = 0;
  double share = 0;  // of the true total, 0 to 1
};
// The stages of the main thread with the largest self times, at most `count`.
std::vector<Bottleneck> bottlenecks(const ProfiledCase& profile, std::size_t count = 3);

// Time of the run that no stage accounts for.
double unattributed_ms(const ProfiledCase& profile);

// Stage table, bottlenecks, hot functions, warnings. At most 100 columns.
std::string render_profile(const ProfiledCase& profile, bool colours = false);

// The stages of two profiles of the same thing side by side. At most 100 columns.
std::string render_profile_diff(const ProfiledCase& before, const ProfiledCase& after, bool colours = false);

// The same as render_profile for programs: for "effective.profile" of results.json.
Json to_json(const ProfiledCase& profile);

}  // namespace aqbench
