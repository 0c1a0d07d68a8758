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

// Returns the one of these cases that is meant: its whole name, the short name that tables show, or steps
// that are those of one name alone. Throws Error(usage) for none, with near names, and for several, with two.
const std::string& case_meant(const std::vector<std::string>& names, const std::string& given);

// Returns a name for the file of each case, without an ending: "step__plane_sweep.fast__seed=42". They differ
// from each other also where upper and lower case do not count, and begin with a letter or a digit.
std::map<std::string, std::string> readable_file_names(const std::vector<std::string>& names);

}  // namespace aqbench
