#pragma once
// Compares what a file of a case gives with the metrics of its record.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/record.h"
#include "reports/content/bundle_files.h"
#include "reports/tables/view_errors.h"

namespace aqbench {

// A record and one of its files; collects the findings about the file.
class RecordValues {
 public:
  RecordValues(const Record& record, std::string file, std::vector<Finding>& findings)
      : record_(record), file_(std::move(file)), findings_(findings) {}

  const Record& record() const { return record_; }
  void report(std::string what) { findings_.push_back({file_, std::move(what)}); }

  std::optional<double> value(std::string_view metric) const;
  // Returns how many points the record scores; nullopt where it does not say.
  std::optional<double> scored_points() const;
  // Returns whether a part of the truth alone is scored, as that of some recordings.
  bool is_partial() const;
  // Returns whether the record is of a scene that aqbench scores by its defaults: no recording, and no
  // lengths of its own.
  bool is_of_default_scoring() const;

  // Compare a computed value with a metric of the record, if the record has it, and report a difference.
  void compare(const std::string& metric, double computed);
  void compare(const std::string& metric, const ErrorRange& computed, double slack);

 private:
  const Record& record_;
  std::string file_;
  std::vector<Finding>& findings_;
};

}  // namespace aqbench
