#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/get/public_sets.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench::cli {
namespace {

std::string megabytes_text(std::uintmax_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / 1e6);
}

std::string utc_text(std::filesystem::file_time_type time) {
  const auto seconds =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

Json cache_json(const CacheOptions& options, const std::vector<CacheEntry>& entries) {
  Json list = Json::array();
  for (const CacheEntry& entry : entries)
    list.push_back({{"key", entry.key},
                    {"dir", entry.dir.string()},
                    {"scene", entry.scene},
                    {"rig", entry.rig},
                    {"imaging", entry.imaging},
                    {"width", entry.width_px},
                    {"height", entry.height_px},
                    {"seed", entry.seed},
                    {"bytes", entry.bytes},
                    {"last_used_utc", utc_text(entry.last_used)},
                    {"in_use", entry.in_use}});
  Json sets = Json::array();
  for (const FetchedSet& set : fetched_sets())
    sets.push_back({{"name", set.folder.filename().string()},
                    {"dir", set.folder.string()},
                    {"bytes", set.bytes},
                    {"last_used_utc", utc_text(set.last_used)}});
  return {{"path", options.dir.string()},
          {"limit_bytes", options.limit_bytes},
          {"bytes", total_bytes(entries)},
          {"entries", std::move(list)},
          {"sets", std::move(sets)}};
}

void list_entries(const CacheOptions& options, bool json) {
  const std::vector<CacheEntry> entries = list_cache(options);
  if (json) {
    fmt::print("{}\n", cache_json(options, entries).dump(2));
    return;
  }
  if (!entries.empty()) {
    Table table;
    table.columns = {
        {"scene", Align::left, true}, {"rig"},       {"imaging"}, {"size"}, {"seed", Align::right},
        {"MB", Align::right},         {"last used"}, {"key"}};
    for (const CacheEntry& entry : entries)
      table.rows.push_back({{entry.scene},
                            {entry.rig},
                            {entry.imaging},
                            {fmt::format("{}x{}", entry.width_px, entry.height_px)},
                            {std::to_string(entry.seed)},
                            {megabytes_text(entry.bytes)},
                            {entry.in_use ? "now" : utc_text(entry.last_used)},
                            {entry.key.substr(0, 8)}});
    fmt::print("{}\n", render_table(table, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
  }
  fmt::print("{}: {}, {} of {} MB\n", printable(options.dir.string()), counted(entries.size(), "dataset"),
             megabytes_text(total_bytes(entries)), megabytes_text(options.limit_bytes));
  const std::vector<FetchedSet> sets = fetched_sets();
  if (sets.empty()) return;
  fmt::print("{}: {} of `aqbench get`, {} of {} MB\n", printable(sets_folder().string()),
             counted(sets.size(), "set"), megabytes_text(total_bytes(sets)),
             megabytes_text(options.limit_bytes));
  for (const FetchedSet& set : sets)
    fmt::print("  {}: {} MB, last used {}\n", printable(set.folder.filename().string()),
               megabytes_text(set.bytes), utc_text(set.last_used));
}

void clear_entries(const CacheOptions& options, bool json) {
  const CacheClearing done = clear_cache(options);
  if (json) {
    fmt::print("{}\n", Json{{"path", options.dir.string()},
                            {"removed", done.removed},
                            {"removed_bytes", done.removed_bytes},
                            {"in_use", done.in_use}}
                           .dump(2));
    return;
  }
  fmt::print("{}: removed {}, {} MB", printable(options.dir.string()), counted(done.removed, "dataset"),
             megabytes_text(done.removed_bytes));
  fmt::print("{}\n", done.in_use > 0 ? fmt::format("; {} in use stay", done.in_use) : "");
}

struct CacheRequest {
  std::string what = "list";
  bool json = false;
};

CommandLine<CacheRequest> cache_command_line() {
  return {
      "aqbench cache [list|clear|path] [--json]",
      "Rendered datasets are cached on disk by the SHA-256 of everything that determines their bytes.\nlist "
      "(default): size and last use of each; clear: remove all unused ones; path: the folder.\n"
      "The sets of `aqbench get` are listed below them; `aqbench get NAME --remove` removes one.\n"
      "The folder is $AQBENCH_CACHE_DIR, else $XDG_CACHE_HOME/aqbench, else ~/.cache/aqbench. Beyond\n"
      "$AQBENCH_CACHE_LIMIT (such as 500M, 20G; default 10G) the least recently used are removed.",
      {{"json", nullptr, "print JSON", into<&CacheRequest::json>}},
      {{{.name = "what", .optional = true}, into<&CacheRequest::what>}}};
}

}  // namespace

ExitCode cache_command(const Arguments& arguments) {
  const auto request = parse(cache_command_line(), arguments);
  const auto& [what, json] = request;
  CacheOptions options = cache_options_from_environment();
  options.dir = std::filesystem::absolute(default_cache_dir());
  if (what == "list")
    list_entries(options, json);
  else if (what == "clear")
    clear_entries(options, json);
  else if (what == "path")
    fmt::print("{}\n", json ? Json{{"path", options.dir.string()}}.dump() : printable(options.dir.string()));
  else
    throw usage_error("{}", unknown_name_message("cache command", what, {"list", "clear", "path"}));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
