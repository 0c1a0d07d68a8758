#pragma once
// The registry of public sets - where their files are, and what is known of them -, their download, and the
// sets on the disk.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/members.h"

namespace aqbench::cli {

// One file of a set. What is not known is absent: then it cannot be checked, or must be fetched by hand.
struct PublicFile {
  std::string name;                    // in the cache
  std::optional<std::string> address;  // http or https
  std::optional<std::uintmax_t> bytes;
  std::optional<std::string> sha256;
  std::optional<std::string> md5;  // where the publisher gives no better hash

  bool has_hash() const { return sha256 || md5; }

  template <class Row>
  static void members(const Row& row) {
    row("name", &PublicFile::name);
    row("address", &PublicFile::address);
    row("size", &PublicFile::bytes);
    row("sha256", &PublicFile::sha256, kSha256);
    row("md5", &PublicFile::md5, kLeftOut);
  }

  // Checks name, address and MD5.
  void after_reading(const JsonPlace& place) const;
};

// One set of images or scans that others publish.
struct PublicSet {
  std::string name, title, page;
  std::optional<std::string> licence, truth;
  std::string layout;  // docs/layouts.md
  std::vector<PublicFile> files;

  template <class Row>
  static void members(const Row& row) {
    row("name", &PublicSet::name);
    row("title", &PublicSet::title);
    row("page", &PublicSet::page);
    row("licence", &PublicSet::licence);
    row("layout", &PublicSet::layout);
    row("truth", &PublicSet::truth);
    row("files", &PublicSet::files);
  }

  // Checks the name.
  void after_reading(const JsonPlace& place) const;
};

// Returns the registry that the program brings: cli/get/public_sets.json.
std::string_view public_sets_text();

// Reads a registry; `where` stands before each message. Throws Error(input) naming the place.
std::vector<PublicSet> parse_public_sets(std::string_view text, const std::string& where);

// Limits of a download.
struct DownloadLimits {
  std::uintmax_t max_bytes = 0;  // of the file, where its size is not known
  int stall_s = 30;              // without 1 kB/s for so long an attempt ends
};

// Puts a file of the registry at `target`, fetching what is missing; what has come of it waits beside as
// `target`.part for the next call; a kill of this process ends curl, too. Returns its SHA-256. A file that is
// there is checked alone. Prints progress on stderr. Throws Error(io), one line with the file's name, for a
// server that does not give it, and bytes that are not those of the registry, which are removed; Error(usage)
// where curl is missing.
std::string download(const PublicFile& file, const std::filesystem::path& target,
                     const DownloadLimits& limits);

// A set in the cache: its folder, named as the set.
struct FetchedSet {
  std::filesystem::path folder;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type last_used;
};

// Returns the folder of all sets, below that of the rendered datasets. Throws as default_cache_dir().
std::filesystem::path sets_folder();

// Lists the sets in that folder, the least recently used first. A missing folder is empty.
std::vector<FetchedSet> fetched_sets();

// Returns the bytes of all entries of a cache together.
template <class Entries>
std::uintmax_t total_bytes(const Entries& entries) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.bytes;
  return bytes;
}

}  // namespace aqbench::cli
