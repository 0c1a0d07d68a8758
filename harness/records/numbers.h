#pragma once
// Numbers that another harness computed, as records: `aqbench import`.

#include <string>
#include <string_view>
#include <vector>

#include "harness/records/numbers_request.h"
#include "harness/records/record.h"

namespace aqbench {

// The isolation of imported records, and whether a record is one.
inline constexpr const char* kNothingRan = "none: imported numbers, nothing ran";
inline bool is_imported(const Record& record) { return record.isolation == kNothingRan; }

// The method of lines that name none.
inline constexpr const char* kMethodOfNumbers = "imported";

// What a table holds.
struct ImportedNumbers {
  std::vector<Record> records;  // sorted by case
  std::vector<std::string> notes;
};

// Reads a table (harness/records/number_table.h). Its columns are scene and method, or `case`, which is
// SCENE/METHOD or a scene; seed; and either a column for each metric, or `value` with `metric`, `unit` and
// `better` where lines have several. An empty cell is an undefined value. A first line that names the
// columns, or has words where numbers are due, is a header. Throws Error(input) "FILE:7: psnr: ..." for a
// cell that is no finite number, a missing or unusable name, and a key that stands there twice; Error(usage)
// for columns that are not there, unknown units and a missing direction.
ImportedNumbers read_numbers(std::string_view text, const NumbersRequest& request);

// Returns "run.effective" of an import: scenes, methods, seeds, and what each metric is.
Json effective_json(const ImportedNumbers& numbers, const NumbersRequest& request);

// Returns "run.requested" of an import, and reads it back.
Json requested_json(const NumbersRequest& request);
NumbersRequest numbers_request(const Json& requested, const std::string& source);

// The member of "run.requested" with the arguments of `aqbench eval`, in a bundle of its scores.
inline constexpr const char* kEvalRequest = "eval";

// Returns the command line of such a bundle.
std::vector<std::string> eval_words(const Json& requested);

// Returns "numbers of scores.csv, sha256 0123456789ab" of an import, by its "run.requested"; the command line
// of a bundle of `eval`; "" of a run.
std::string numbers_source(const Json& requested);

}  // namespace aqbench
