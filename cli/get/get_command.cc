#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/get/public_sets.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parameters.h"
#include "core/table.h"
#include "core/text.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

struct GetRequest {
  std::string name;  // empty: list the sets
  std::optional<fs::path> registry;
  int stall_s = 30;
  bool remove = false, json = false;
};

CommandLine<GetRequest> get_command_line() {
  return {
      "aqbench get [NAME] [OPTION]...",
      "Fetches a public set of images or scans into the cache and checks it: an interrupted download is\n"
      "continued, and bytes that are not those of the registry are removed. Without NAME: the sets, with\n"
      "their licences, sizes, layouts and truths. Needs the program curl.\n"
      "The folder is sets/ in that of `aqbench cache`. Beyond $AQBENCH_CACHE_LIMIT the least recently\n"
      "used sets are removed first; a set that is larger is refused.",
      {{"registry", "FILE", "a registry of your own, in the form of cli/get/public_sets.json",
        into<&GetRequest::registry>},
       {"stall", "S", "begin again where a server sends less than 1 kB/s for so long",
        [](GetRequest& r, const FlagValue& v) { r.stall_s = static_cast<int>(v.at_least<std::int64_t>(1)); },
        usually("30")},
       {"remove", nullptr, "remove the set from the cache", into<&GetRequest::remove>},
       {"json", nullptr, "print JSON", into<&GetRequest::json>}},
      {{{.name = "NAME", .optional = true}, into<&GetRequest::name>}}};
}

std::string size_text(const PublicSet& set) {
  std::uintmax_t bytes = 0;
  for (const PublicFile& file : set.files) {
    if (!file.bytes) return "not known";
    bytes += *file.bytes;
  }
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Json set_json(const PublicSet& set, const fs::path& folder) {
  const auto text = [](const std::optional<std::string>& value) { return value ? Json(*value) : Json(); };
  Json files = Json::array();
  for (const PublicFile& file : set.files)
    files.push_back({{"name", file.name},
                     {"address", text(file.address)},
                     {"size", file.bytes ? Json(*file.bytes) : Json()},
                     {"sha256", text(file.sha256)},
                     {"md5", text(file.md5)},
                     {"here", fs::exists(folder / file.name)}});
  return {{"name", set.name},          {"title", set.title},
          {"page", set.page},          {"licence", text(set.licence)},
          {"layout", set.layout},      {"truth", text(set.truth)},
          {"folder", folder.string()}, {"files", std::move(files)}};
}

void list_sets(const std::vector<PublicSet>& sets, const fs::path& place, bool json) {
  if (json) {
    Json list = Json::array();
    for (const PublicSet& set : sets) list.push_back(set_json(set, place / set.name));
    return print_json(list.dump(2) + "\n");
  }
  Table table;
  table.columns = {
      {"set", Align::left, true}, {"size", Align::right}, {"hash"}, {"licence"}, {"layout"}, {"here"}};
  for (const PublicSet& set : sets) {
    const auto here = std::ranges::count_if(
        set.files, [&](const PublicFile& file) { return fs::exists(place / set.name / file.name); });
    table.rows.push_back({{set.name},
                          {size_text(set)},
                          {std::ranges::all_of(set.files, &PublicFile::has_hash) ? "registered" : "none"},
                          {set.licence.value_or("see its page")},
                          {set.layout},
                          {fmt::format("{} of {}", here, counted(set.files.size(), "file"))}});
  }
  fmt::print("{}\n", render_table(table, wants_colours(STDOUT_FILENO)));
  for (const PublicSet& set : sets) fmt::print("{}: {}\n  {}\n", set.name, set.title, set.page);
}

// Removes the least recently used of the other sets until `wanted_bytes` more fit below the limit. Returns
// the bytes of those that stay.
std::uintmax_t make_room(const std::string& name, std::uintmax_t wanted_bytes, std::uintmax_t limit) {
  const std::vector<FetchedSet> sets = fetched_sets();
  std::uintmax_t bytes = total_bytes(sets);
  for (const FetchedSet& set : sets) {
    if (bytes + wanted_bytes <= limit) break;
    if (set.folder.filename() == name) continue;
    const auto lock = FileLock::attempt(set.folder.string() + ".lock", LockMode::exclusive);
    if (!lock) continue;  // being fetched
    fmt::print(stderr, "{}: removed from the cache, which has a limit of {:.1f} MB\n",
               printable(set.folder.filename().string()), static_cast<double>(limit) / 1e6);
    fs::remove_all(set.folder);
    bytes -= set.bytes;
  }
  return bytes;
}

void fetch_set(const PublicSet& set, const fs::path& place, const GetRequest& request) {
  const std::uintmax_t limit = cache_options_from_environment().limit_bytes;
  const fs::path folder = place / set.name;
  fs::create_directories(folder);
  const FileLock lock = FileLock::wait(folder.string() + ".lock", LockMode::exclusive);
  fs::last_write_time(folder, fs::file_time_type::clock::now());
  Json files = Json::array();
  for (const PublicFile& file : set.files) {
    const fs::path target = folder / file.name;
    const std::uintmax_t wanted = fs::exists(target) ? 0 : file.bytes.value_or(0);
    const std::uintmax_t taken = make_room(set.name, wanted, limit);
    if (taken + wanted > limit || (wanted == 0 && !fs::exists(target) && taken >= limit))
      throw usage_error(
          "{}: {} more bytes do not fit into the cache; set AQBENCH_CACHE_LIMIT above {} "
          "bytes",
          file.name, wanted, taken + wanted);
    if (!file.has_hash())
      fmt::print(stderr, "{}: no hash is registered, so its bytes cannot be checked\n", file.name);
    const std::string sha256 = download(file, target, {limit - std::min(limit, taken), request.stall_s});
    if (!request.json)
      fmt::print("{}: {} bytes, SHA-256 {} ({})\n", printable(target.string()), fs::file_size(target), sha256,
                 file.sha256 ? "as registered"
                 : file.md5  ? "the MD5 is as registered"
                             : "not checked: no hash is registered; keep this one to compare with");
    files.push_back({{"file", target.string()}, {"sha256", sha256}, {"checked", file.has_hash()}});
  }
  if (request.json) return print_json(files.dump(2) + "\n");
  fmt::print("licence: {}\nlayout:  {} (docs/layouts.md)\ntruth:   {}\n",
             set.licence.value_or("see " + set.page), set.layout, set.truth.value_or("none"));
}

}  // namespace

ExitCode get_command(const Arguments& arguments) {
  const auto request = parse(get_command_line(), arguments);
  const std::vector<PublicSet> sets =
      request.registry ? parse_public_sets(read_file(*request.registry), request.registry->string())
                       : parse_public_sets(public_sets_text(), "public_sets.json");
  const fs::path place = sets_folder();
  if (request.name.empty()) {
    if (request.remove) throw usage_error("--remove: needs NAME");
    list_sets(sets, place, request.json);
    return ExitCode::pass;
  }
  const PublicSet& set = find_named("public set", request.name, sets);
  if (request.remove) {
    const std::uintmax_t before = total_bytes(fetched_sets());
    fs::remove_all(place / set.name);
    fmt::print("{}: removed {} bytes\n", set.name, before - total_bytes(fetched_sets()));
    return ExitCode::pass;
  }
  fetch_set(set, place, request);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
