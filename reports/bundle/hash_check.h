#pragma once
// Compares the files of a bundle with their hashes in sha256.txt.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/content/bundle_files.h"

namespace aqbench {

// What a list of hashes says of a bundle's files.
struct HashCheck {
  std::vector<Finding> findings;
  std::vector<HashLine> lines;  // empty where sha256.txt does not hold together
  std::size_t files = 0;        // compared with their hashes
};

// Compares files of a bundle, sorted by their paths, with sha256.txt, if that is among them. It does not name
// missing files that are `required`.
HashCheck check_hashes(const std::filesystem::path& bundle, const std::vector<std::string>& files,
                       const std::vector<std::string>& required);

// Returns a message without the path of its file, which a finding names already.
std::string without_path(std::string_view message, const std::filesystem::path& path);

}  // namespace aqbench
