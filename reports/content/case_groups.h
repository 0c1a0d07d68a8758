#pragma once
// Records that differ in their seed alone, and statistics over them. For the summary and the sweep's table.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

struct CaseGroup {
  std::string scene, method;  // method with its preset, or the workload
  std::string axes;           // what else the case names have, without the seed: "batch=8"
  std::vector<const Record*> records;
};

// In order of their first case by name. Refers to `results`.
std::vector<CaseGroup> group_cases(const Results& results);

// "rig=arc6/width=480" -> {"rig=arc6", "width=480"}; a step without "=" belongs to the one before.
std::vector<std::string> axis_steps(const std::string& axes);

// Takes out of every group's axes what all of them have (simulated methods without axes aside), and says it
// once: "rig=arc6 width=480 seed=42" (the seed where the records have one alone). What is left is joined by
// blanks. Empty if nothing is common.
std::string take_common_axes(std::vector<CaseGroup>& groups);

// "undulating/roma_like clahe=on": scene, method or workload, and what axes are left.
std::string group_label(const CaseGroup& group);

// Short names of cases: group_label() and, where a group has several, the seed.
struct CaseLabels {
  std::string common;                     // what all have and no label says, as take_common_axes() gives it
  std::map<std::string, std::string> of;  // case name -> label
};
CaseLabels label_cases(std::vector<CaseGroup> groups);

struct Spread {
  double mean = 0;
  std::optional<double> standard_deviation;  // of the sample (n - 1); nullopt for one value
};

// Over the records that are ok; nullopt if there is none or one of them leaves the value undefined, since a
// mean over those that happen to have one would hide the others.
std::optional<Spread> metric_spread(const CaseGroup& group, const std::string& metric);
std::optional<Spread> time_spread(const CaseGroup& group);  // of time_ms
std::size_t ok_count(const CaseGroup& group);

// Median of the warm runs, else the cold run.
std::optional<double> time_ms(const Timing& timing);

// Headline metrics of one record that are undefined, those of one reason together:
// "accuracy_mean_mm, bias_mean_mm: the cloud is empty".
std::vector<std::string> undefined_lines(const Record& record);

// Four significant digits and at most three decimals: "0.793", "12.35", "1498".
std::string table_number(double value);

// Returns table_number() of the value; "n/a" where there is none.
std::string table_number_or_na(const std::optional<double>& value);

}  // namespace aqbench
