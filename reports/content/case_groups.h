#pragma once
// Groups of records that differ in their seed alone: statistics over them and their names for people; short
// names of cases, made from the names alone, and the names of their files.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// What tells a case apart for people.
struct CaseName {
  std::string scene, method;  // the method with its preset; for a workload its name
  std::string axes;           // what else stands in case names: "width=480 seed=43"

  // Return method and axes, "roma_like clahe=on", and the scene before them: "undulating/roma_like clahe=on".
  std::string label() const;
  std::string whole() const;
};

// The records of one scene and method, or of one workload, that differ in their seed alone; `axes` without
// it.
struct CaseGroup : CaseName {
  std::vector<const Record*> records = {};
};

// Groups the records, in the order of the first case of each group by name, numbers in names by their values:
// width=480 before width=1200. The groups point into `results`.
std::vector<CaseGroup> group_cases(const Results& results);

// Returns the groups of methods alone, without workloads.
std::vector<CaseGroup> method_groups(const Results& results);

// Returns "seed=43"; "" for a record without a seed.
std::string seed_axis(const Record& record);

// Takes the axes that all groups have (simulated methods without axes aside) out of every group and returns
// them: "rig=arc6 width=480 seed=42", with the seed if the records have only one. Empty if nothing is common.
// The axes that are left in a group are joined by blanks.
std::string take_common_axes(std::vector<CaseGroup>& groups);

// Returns the value of a metric; nullopt where it is undefined, or not there.
std::optional<double> value_of(const MetricSet& metrics, std::string_view name);

// Mean and spread of a value over the records of a group.
struct Spread {
  double mean = 0;
  std::optional<double> standard_deviation;  // of the sample (n - 1); nullopt for one value
};

// Return the spread over the records that are ok. nullopt if there is none, or if one of them leaves the
// value undefined: a mean over the others would hide that.
std::optional<Spread> metric_spread(const CaseGroup& group, const std::string& metric);
std::optional<Spread> time_spread(const CaseGroup& group);  // of typical_ms()

// Returns how many records of the group are ok.
std::size_t ok_count(const CaseGroup& group);

// Returns a number with three significant digits: "0.793", "12.4", "1500".
std::string table_number(double value);

// Returns table_number() of the value; "n/a" where there is none.
std::string table_number_or_na(const std::optional<double>& value);

// Returns table_number() of the bytes in MiB; "n/a" where they are unknown.
std::string table_mib_or_na(const std::optional<std::uint64_t>& bytes);

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
