#pragma once
// statement.json: what the run found, over which files, as an in-toto statement
// (https://in-toto.io/Statement/v1) with a test-result predicate, for tools that collect attestations; and
// inventory.txt, the files for people.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

inline constexpr const char* kStatementName = "statement.json";
inline constexpr const char* kInventoryName = "inventory.txt";
inline constexpr const char* kTestResultPredicate = "https://in-toto.io/attestation/test-result/v0.1";

// Subjects are `files` in their order. passedTests, warnedTests and failedTests are the cases: ok; skipped or
// new against the baseline; failed, crashed, timed out, or worse than the baseline. The result is FAILED if a
// test failed, WARNED if one is warned or the run is incomplete, else PASSED.
std::string statement_text(const BundleContent& content, const std::vector<HashLine>& files);

struct InventoryItem {
  std::string path;
  std::uintmax_t bytes = 0;
};

// A line for each file: size, path, what it is; then the sums.
std::string inventory_text(const std::vector<InventoryItem>& items);

}  // namespace aqbench
