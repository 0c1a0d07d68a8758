#pragma once
// The registry of public sets: where their files are, and what is known of them.

#include <cstdint>
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

  template <class Row>
  static void members(const Row& row) {
    row("name", &PublicFile::name);
    row("address", &PublicFile::address);
    row("size", &PublicFile::bytes);
    row("sha256", &PublicFile::sha256, kSha256);
  }

  // Checks name and address.
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

// Finds a set by name. Throws Error(usage) with similar names for an unknown one.
const PublicSet& find_public_set(const std::vector<PublicSet>& sets, const std::string& name);

}  // namespace aqbench::cli
