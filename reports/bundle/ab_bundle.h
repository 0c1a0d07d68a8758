#pragma once
// A comparison on disk: ab.json, with pairs.jsonl, summary.md, env.json, commands.txt and sha256.txt.

#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/ab/document.h"
#include "reports/bundle/signature.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns the files that such a bundle must have, sha256.txt included.
const std::vector<std::string>& required_ab_files();

// Returns whether a folder with these files holds a comparison: ab.json and no results.json.
bool is_comparison(const std::vector<std::string>& files);

// The texts of one such bundle.
struct AbBundleText {
  std::string main_text, summary;
  JsonBox environment;
  bool complete = true;  // false: the run can be continued
};

// Writes the files, then sha256.txt over every file in the folder and with a key signature.json. commands.txt
// and, where units were run, pairs.jsonl must be there. Throws as finalise_bundle().
void finalise_ab_bundle(const std::filesystem::path& bundle, const AbBundleText& text,
                        const SigningKey* key = nullptr);

// What verifying the files of one such bundle found.
struct AbVerification {
  std::vector<Finding> findings;
  std::optional<Finding> other_version;  // what only another version of aqbench can read
  std::size_t units = 0;
  bool complete = false;
};
// Computes ab.json, summary.md and env.json again from the raw samples, follows the measuring loop on them,
// and compares the samples with pairs.jsonl and files of tiles with their hashes. Names what differs.
AbVerification verify_ab_files(const std::filesystem::path& bundle, const std::vector<std::string>& files);

}  // namespace aqbench
