#pragma once
// Groups of records that differ in their seed alone: their names for people, and statistics over them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/program_report.h"
#include "harness/records/results.h"

namespace aqbench {

// The records of one scene and method, or of one workload, that differ in their seed alone.
struct CaseGroup {
  std::string scene, method;  // the method with its preset; for a workload its name
  std::string axes;           // what else stands in the case names, without the seed: "batch=8"
  std::vector<const Record*> records;
};

// Groups the records, in the order of the first case of each group by name, numbers in names by their values:
// width=480 before width=1200. The groups point into `results`.
std::vector<CaseGroup> group_cases(const Results& results);

// Splits "rig=arc6/width=480" into "rig=arc6" and "width=480". A step without "=" belongs to the one before.
std::vector<std::string> axis_steps(const std::string& axes);

// Takes the axes that all groups have (simulated methods without axes aside) out of every group and returns
// them: "rig=arc6 width=480 seed=42", with the seed if the records have only one. Empty if nothing is common.
// The axes that are left in a group are joined by blanks.
std::string take_common_axes(std::vector<CaseGroup>& groups);

// Returns within what a record is ranked: its scene, apart where its method finds its poses itself.
std::string ranking_of(const Record& record);

// Returns scene, method or workload, and the axes that are left: "undulating/roma_like clahe=on".
std::string group_label(const CaseGroup& group);

// Short names of cases.
struct CaseLabels {
  std::string common;  // the axes of all cases, which no label repeats
  // Case name -> group_label(), with the seed if the group has several.
  std::map<std::string, std::string> of;
};
// Labels the cases of the groups.
CaseLabels label_cases(std::vector<CaseGroup> groups);

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

// Returns a line for each reason why headline metrics of a record are undefined:
// "accuracy_mean_mm, bias_mean_mm: the cloud is empty".
std::vector<std::string> undefined_lines(const Record& record);

// Returns a number with three significant digits: "0.793", "12.4", "1500".
std::string table_number(double value);

// Returns table_number() of the value; "n/a" where there is none.
std::string table_number_or_na(const std::optional<double>& value);

// Returns table_number() of the bytes in MiB; "n/a" where they are unknown.
std::string table_mib_or_na(const std::optional<std::uint64_t>& bytes);

// The text beside such a table.
inline constexpr const char* kProgramRowsNote =
    "What each program and all that it started used in the cold run; memory is the peak of all together.";

// Returns the titles of the columns, with units, without that of the case.
const std::vector<std::string>& program_titles();

// Returns the cells below these titles; "n/a" where the system reports nothing.
std::vector<std::string> program_cells(const ProgramUse& use);

}  // namespace aqbench
