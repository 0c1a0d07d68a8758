#pragma once
// Names of cases as text: "undulating/roma_like/seed=43/batch=8".

#include <string>
#include <string_view>

namespace aqbench {

// Returns the seed in a name; "" if there is none.
std::string seed_in_name(std::string_view case_name);

// Returns "x/y/batch=8" for "x/y/seed=43/batch=8"; a name without a seed is unchanged.
std::string name_without_seed(std::string_view case_name);

// Returns the name with another seed; a name without a seed is unchanged.
std::string name_with_seed(std::string_view case_name, std::string_view seed);

// Returns "scene/seed=1" for "scene/METHOD/seed=1"; a name of fewer than three parts is unchanged.
std::string name_without_method(std::string_view case_name);

// Returns whether the steps of `given` are among those of the name, in order, as tables show them:
// "step/sparse/window=5" names "step/sparse/rig=arc6/seed=42/sparse.window=5".
bool names_case(std::string_view given, std::string_view name);

// Returns whether a pattern with wildcards matches the whole name, or another one names it.
bool means_case(std::string_view pattern, std::string_view name);

// The axis of a case whose method finds its camera poses itself, and its value: "poses=own".
inline constexpr const char* kPosesAxis = "poses";
inline constexpr const char* kOwnPoses = "own";

// Returns whether a name has the step "poses=own". Such a case is never ranked beside one with given poses.
bool has_own_poses(std::string_view case_name);

}  // namespace aqbench
