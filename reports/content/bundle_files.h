#pragma once
// The files in a bundle, and sha256.txt, the list of their hashes.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The name of the list in a bundle.
inline constexpr const char* kHashListName = "sha256.txt";

// The largest sha256.txt that is read, in bytes.
inline constexpr std::uintmax_t kMaxHashListBytes = std::uintmax_t{64} << 20;

// What is wrong with one file of a bundle.
struct Finding {
  std::string file;  // relative to the bundle
  std::string what;
};

// What lies in a bundle's folder.
struct BundleListing {
  std::vector<std::string> files;  // relative paths of the regular files, sorted by bytes
  // What cannot be evidence: links, special files, empty folders, and names that `sha256sum -c` or another
  // system might read differently.
  std::vector<Finding> problems;
};
// Lists all that lies in a bundle's folder and below it.
BundleListing list_bundle_files(const std::filesystem::path& bundle);

// Throws Error(input) naming the first thing in a bundle, or below it, that is neither folder nor plain file:
// a link leads writing to another place, and a FIFO lets reading wait for ever. Call it before a bundle that
// another user may have made is read to be written to. A bundle that is not there holds nothing.
void require_plain_files(const std::filesystem::path& bundle);

// Returns whether a path is relative, made of the characters [A-Za-z0-9._=,:+@%-] and "/", and without the
// steps "." and "..".
bool is_bundle_path(std::string_view path);

// A file and its hash.
struct HashLine {
  std::string sha256;
  std::string path;
};

// Returns the lines "HEX  PATH" in the order given, then "# sha256 of the lines above: HEX".
std::string hash_list_text(const std::vector<HashLine>& lines);

// A list of hashes that was read.
struct HashList {
  std::vector<HashLine> lines;        // those that could be read
  std::vector<std::string> problems;  // empty if the text is exactly hash_list_text(lines), sorted by path
};
// Reads sha256.txt; what is wrong with it stands in the problems.
HashList parse_hash_list(std::string_view text);

}  // namespace aqbench
