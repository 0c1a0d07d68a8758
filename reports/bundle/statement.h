#pragma once
// statement.json: what the run found, over which files, as an in-toto statement
// (https://in-toto.io/Statement/v1) with a test-result predicate, for tools that collect attestations. And
// inventory.txt: the files, for people.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// The names of the files in a bundle, and the type of the predicate.
inline constexpr const char* kStatementName = "statement.json";
inline constexpr const char* kInventoryName = "inventory.txt";
inline constexpr const char* kTestResultPredicate = "https://in-toto.io/attestation/test-result/v0.1";

// Returns statement.json. Its subjects are `files` in their order. The cases are its tests: passedTests are
// ok; warnedTests were skipped or are new against the baseline; failedTests failed, crashed, timed out or are
// worse than the baseline. The result is FAILED if a test failed, WARNED if a test is warned or the run is
// incomplete, else PASSED.
std::string statement_text(const BundleContent& content, const std::vector<HashLine>& files);

// A file and its size.
struct InventoryItem {
  std::string path;
  std::uintmax_t bytes = 0;
};

// Returns inventory.txt: a line for each file with its size, its path and what it is, then the sums.
std::string inventory_text(const std::vector<InventoryItem>& items);

}  // namespace aqbench
