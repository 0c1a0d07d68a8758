#pragma once
// What lies in a bundle, and sha256.txt, the list of its hashes. For bundle.cc and verify.cc.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

inline constexpr const char* kHashListName = "sha256.txt";

// What is wrong with a bundle.
struct Finding {
  std::string file;  // relative to the bundle
  std::string what;
};

// Relative paths of the regular files, sorted bytewise, and what cannot be evidence: links, special files,
// empty folders, names that `sha256sum -c` or another system might read differently.
struct BundleListing {
  std::vector<std::string> files;
  std::vector<Finding> problems;
};
BundleListing list_bundle_files(const std::filesystem::path& bundle);

// Relative, of plain characters [A-Za-z0-9._=,:+@%-], without "." and ".." steps.
bool is_bundle_path(std::string_view path);

struct HashLine {
  std::string sha256;
  std::string path;
};

// "HEX  PATH" lines as given, then "# sha256 of the lines above: HEX".
std::string hash_list_text(const std::vector<HashLine>& lines);

struct HashList {
  std::vector<HashLine> lines;        // those that could be read
  std::vector<std::string> problems;  // empty: the text is exactly hash_list_text(lines), sorted by path
};
HashList parse_hash_list(std::string_view text);

}  // namespace aqbench
