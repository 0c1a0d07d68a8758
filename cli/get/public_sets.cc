#include "cli/get/public_sets.h"

#include <algorithm>

#include "core/error.h"
#include "core/json_members.h"
#include "core/parameters.h"

namespace aqbench::cli {
namespace {

// Names become files of the cache and words of a command line.
void require_plain(const std::string& name, const JsonPlace& place) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.empty() || name.front() == '.' || name.front() == '-' ||
      name.find_first_not_of(kLetters) != std::string::npos)
    place.fail("must consist of letters, digits, '.', '_' and '-'");
}

}  // namespace

void PublicFile::after_reading(const JsonPlace& place) const {
  require_plain(name, place.at("name"));
  if (address && !address->starts_with("https://") && !address->starts_with("http://"))
    place.at("address").fail("must begin with https:// or http://");
}

void PublicSet::after_reading(const JsonPlace& place) const { require_plain(name, place.at("name")); }

std::vector<PublicSet> parse_public_sets(std::string_view text, const std::string& where) {
  const Json json = parse_strict_json(text, where, kSmallFileJson);
  const JsonPlace root(json, where);
  root.allow_only({"version", "sets"});
  if (root.at("version").count() != 1) root.at("version").fail("must be 1");
  return from_json<std::vector<PublicSet>>(root.at("sets"));
}

const PublicSet& find_public_set(const std::vector<PublicSet>& sets, const std::string& name) {
  const auto found = std::ranges::find(sets, name, &PublicSet::name);
  if (found != sets.end()) return *found;
  std::vector<std::string> names;
  for (const PublicSet& set : sets) names.push_back(set.name);
  throw Error(ErrorKind::usage, unknown_name_message("public set", name, names));
}

}  // namespace aqbench::cli
