#pragma once
// Somebody who changes a bundle and then makes every hash right again, with code of its own: what is found
// nevertheless contradicts itself.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "reports/bundle/verify_report.h"

namespace aqbench::forging {

// A bundle of a sweep, open for lies. The first member of `journal` is its header; no line has its seal.
struct ForgedSweep {
  explicit ForgedSweep(const std::filesystem::path& bundle);

  std::filesystem::path folder;
  Json results;
  std::vector<Json> journal;

  Json& header() { return journal.front(); }
  Json& run() { return results.at("run"); }

  // Calls `lie` for the record of the case whose name begins so, in results.json and in the journal.
  void record(const std::string& start, const std::function<void(Json&)>& lie);
  // Calls `lie` for the case's place in the plan.
  void planned(const std::string& start, const std::function<void(Json&)>& lie);
  // Calls `lie` for the environment in results.json and in the journal.
  void environment(const std::function<void(Json&)>& lie);
  // Takes a case out of results and journal, and if asked out of the plan.
  void drop(const std::string& start, bool from_plan);

  // Returns the path of the case's file in a folder of the bundle: "tiles/NAME.csv".
  std::string file_of(const std::string& start, const std::string& folder);
  // Replaces text in a file of the bundle; fails the test if it is not there.
  void edit(const std::string& file, const std::string& from, const std::string& to) const;

  // Makes everything right again that follows: plan hashes, hashes of files in the records, marks of the log,
  // the journal's chain, and all texts as the program renders them.
  void seal();
};

// Returns whether a finding holds the text.
bool has_finding(const VerifyReport& report, std::string_view text);

// Makes statement.json and sha256.txt right again, and inventory.txt if asked for, and nothing else.
void rehash(const std::filesystem::path& bundle, bool inventory = true);

// Writes the lines as a chain, each with its own hash.
void write_chain(const std::filesystem::path& file, const std::vector<Json>& lines);

// Reads the lines of such a file without "prev" and "sha256".
std::vector<Json> read_chain(const std::filesystem::path& file);

}  // namespace aqbench::forging
