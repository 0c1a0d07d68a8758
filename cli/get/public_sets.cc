#include "cli/get/public_sets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/parameters.h"

namespace aqbench::cli {
namespace {

std::optional<std::string> optional_text(const JsonPlace& place) {
  if (place.is_null()) return std::nullopt;
  return place.text();
}

// Names become files of the cache and words of a command line.
std::string plain_name(const JsonPlace& place) {
  const std::string name = place.text();
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.empty() || name.front() == '.' || name.front() == '-' ||
      name.find_first_not_of(kLetters) != std::string::npos)
    place.fail("must consist of letters, digits, '.', '_' and '-'");
  return name;
}

PublicFile public_file(const JsonPlace& place) {
  place.allow_only({"name", "address", "size", "sha256"});
  PublicFile file;
  file.name = plain_name(place.at("name"));
  file.address = optional_text(place.at("address"));
  if (file.address && !file.address->starts_with("https://") && !file.address->starts_with("http://"))
    place.at("address").fail("must begin with https:// or http://");
  if (const JsonPlace size = place.at("size"); !size.is_null()) file.bytes = size.count();
  file.sha256 = optional_text(place.at("sha256"));
  if (file.sha256 &&
      (file.sha256->size() != 64 || file.sha256->find_first_not_of("0123456789abcdef") != std::string::npos))
    place.at("sha256").fail("must be 64 hexadecimal digits in lower case");
  return file;
}

PublicSet public_set(const JsonPlace& place) {
  place.allow_only({"name", "title", "page", "licence", "layout", "truth", "files"});
  PublicSet set;
  set.name = plain_name(place.at("name"));
  set.title = place.at("title").text();
  set.page = place.at("page").text();
  set.licence = optional_text(place.at("licence"));
  set.truth = optional_text(place.at("truth"));
  set.layout = place.at("layout").text();
  for (const JsonPlace& file : place.at("files").elements()) set.files.push_back(public_file(file));
  return set;
}

}  // namespace

std::vector<PublicSet> parse_public_sets(std::string_view text, const std::string& where) {
  const Json json = parse_strict_json(text, where, kSmallFileJson);
  const JsonPlace root(json, where);
  root.allow_only({"version", "sets"});
  if (root.at("version").count() != 1) root.at("version").fail("must be 1");
  std::vector<PublicSet> sets;
  for (const JsonPlace& set : root.at("sets").elements()) sets.push_back(public_set(set));
  return sets;
}

const PublicSet& find_public_set(const std::vector<PublicSet>& sets, const std::string& name) {
  const auto found = std::ranges::find(sets, name, &PublicSet::name);
  if (found != sets.end()) return *found;
  std::vector<std::string> names;
  for (const PublicSet& set : sets) names.push_back(set.name);
  throw Error(ErrorKind::usage, unknown_name_message("public set", name, names));
}

}  // namespace aqbench::cli
