#pragma once
// Short names of cases, made from the names alone, and the names of their files.

#include <map>
#include <string>
#include <vector>

namespace aqbench {

// The names of cases without what all of them share.
struct ShortNames {
  std::string common;                     // the axes that no name repeats: "rig=arc6 seed=42"; "" for none
  std::map<std::string, std::string> of;  // case name -> its short name
};

// Takes the axes that all names have out of each: "step/sparse/rig=arc6/seed=1" becomes "step/sparse/seed=1"
// beside "step/sparse/rig=arc6/seed=2". Scene and method, or the workload, stay. A name without any axis but
// a seed, as simulated methods have, does not keep the other axes in the rest.
ShortNames shorten_names(const std::vector<std::string>& names);

// Returns a name for the file of each case, without an ending: "step__plane_sweep.fast__seed=42". They differ
// from each other also where upper and lower case do not count, and begin with a letter or a digit.
std::map<std::string, std::string> readable_file_names(const std::vector<std::string>& names);

}  // namespace aqbench
