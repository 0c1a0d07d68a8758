#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/json.h"
#include "core/scratch_folder.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/records/bundle_path.h"
#include "harness/records/case_result.h"
#include "harness/records/guests.h"
#include "harness/records/json_parts.h"
#include "harness/records/results.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/html/report.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

struct ShardBundle {
  fs::path path;
  Results results;
  JournalHeader header;
};

ShardBundle read_shard(const fs::path& path) {
  require_bundle_folder(path);
  require_plain_files(path);
  ShardBundle shard;
  shard.path = path;
  shard.results = read_gate_input(path).results;
  if (!shard.results.run.complete)
    throw input_error("{}: was interrupted; finish it: aqbench sweep --resume {}", path.string(),
                      path.string());
  JournalContents journal = read_journal(path, TornTail::refuse, KeptRecords::ends);
  shard.header = std::move(journal.header);
  return shard;
}

std::string request_without_shard(PlanRequest request) {
  request.shard = {};
  if (!request.project.dir.empty()) request.project.dir = ".";  // shards may have run on several machines
  return requested_json(request).dump();
}

void check_alike(const ShardBundle& first, const ShardBundle& other) {
  const auto refuse = [&](const std::string& what) {
    throw not_comparable_error("{} and {}: {}", first.path.string(), other.path.string(), what);
  };
  if (first.header.suite != other.header.suite)
    refuse(fmt::format("are of suites '{}' and '{}'", first.header.suite, other.header.suite));
  if (request_without_shard(first.header.request) != request_without_shard(other.header.request))
    refuse("were asked for with different options");
  if (first.header.all_shards_sha256 != other.header.all_shards_sha256)
    refuse("are parts of different plans (do threads differ? give --threads to each shard)");
  if (first.header.program_sha256 != other.header.program_sha256) refuse("were made by different builds");
  if (first.header.request.shard.count != other.header.request.shard.count)
    refuse(fmt::format("are shards {} and {}", to_string(first.header.request.shard),
                       to_string(other.header.request.shard)));
}

void check_disjoint(const std::vector<ShardBundle>& shards) {
  std::map<std::string, const ShardBundle*> owners;
  for (const ShardBundle& shard : shards)
    for (const Record& record : shard.results.records) {
      const auto [owner, fresh] = owners.emplace(record.case_name, &shard);
      if (!fresh)
        throw input_error("case {} is in {} and in {}", record.case_name, owner->second->path.string(),
                          shard.path.string());
    }
}

// The cases of all shards as the plan's text; its hash shows that none is missing.
std::string merged_cases(const std::vector<ShardBundle>& shards) {
  std::map<std::string, std::string> cases;  // the JSON of each
  for (const ShardBundle& shard : shards)
    split_json(bytes_of_text(shard.header.cases_text), "", shard.path.string(),
               [&](std::string_view, std::string_view planned) {
                 const Json json = parse_strict_json(planned, shard.path.string());
                 cases.emplace(json.at("case").get<std::string>(), json.dump());
               });
  std::string text = "[";
  for (const auto& [name, planned] : cases) text += (text.size() > 1 ? "," : "") + planned;
  text += ']';
  if (sha256_hex(text) == shards.front().header.all_shards_sha256) return text;
  std::set<std::size_t> present;
  for (const ShardBundle& shard : shards) present.insert(shard.header.request.shard.index);
  std::string missing;
  const std::size_t count = shards.front().header.request.shard.count;
  for (std::size_t i = 1; i <= count; ++i)
    if (!present.contains(i)) missing += fmt::format("{}{}/{}", missing.empty() ? "" : ", ", i, count);
  throw Error(ErrorKind::input,
              "the shards are not the whole sweep" + (missing.empty() ? "" : ": missing " + missing));
}

Json environments_of(const std::vector<ShardBundle>& shards) {
  Json all = Json::array();
  for (const ShardBundle& shard : shards)
    all.push_back({{"run", shard.results.run.id}, {"environment", *shard.results.environment}});
  return all;
}

// Returns the environment of a run that was merged from shards [{"run": .., "environment": ..}, ..]: that of
// the first, with what mixes where they are not comparable.
Json merged_environment(Json shards) {
  Json merged = shards.at(0).at("environment");
  const Json key = comparability_of(merged);
  const bool same = std::ranges::all_of(
      shards, [&](const Json& shard) { return comparability_of(shard.at("environment")) == key; });
  if (!same) merged["comparability"] = {{"mixed", "shards ran on machines or builds that differ"}};
  merged["shards"] = std::move(shards);
  merged["merged_by"] = program_sha256();  // which may be another build than the shards'
  return merged;
}

// Takes the records out of the shards.
Results merged_results(std::vector<ShardBundle>& shards, const std::string& run_id) {
  Results merged;
  RunInfo& run = merged.run;
  run = shards.front().results.run;
  run.id = run_id;
  PlanRequest request = shards.front().header.request;
  request.shard = {};
  run.requested = requested_json(request);
  run.plan_sha256 = shards.front().header.all_shards_sha256;
  Json from = Json::array();
  std::size_t records = 0;
  for (const ShardBundle& shard : shards) records += shard.results.records.size();
  merged.records.reserve(records);
  for (ShardBundle& shard : shards) {
    run.started_utc = std::min(run.started_utc, shard.results.run.started_utc);
    run.finished_utc = std::max(run.finished_utc, shard.results.run.finished_utc);
    from.push_back({{"run", shard.results.run.id}, {"root_digest", root_digest(shard.results)}});
    std::ranges::move(shard.results.records, std::back_inserter(merged.records));
    shard.results.records = {};
  }
  std::ranges::sort(merged.records, {}, &Record::case_name);
  run.planned_cases = merged.records.size();
  Json effective = *shards.front().results.run.effective;
  effective["shard"] = to_string(Shard{});
  effective["cases"] = merged.records.size();
  effective["plan_sha256"] = run.plan_sha256;
  effective["merged_from"] = std::move(from);
  run.effective = std::move(effective);
  merged.environment = merged_environment(environments_of(shards));
  return merged;
}

void copy_into(const fs::path& from, const fs::path& to) {
  make_folders(to.parent_path());
  write_file(to, read_file(from));
}

// Whether it is not copied at all.
bool is_left_out_by_merge(std::string_view file) {
  return file == "results.json" || file == kJournalFile || file == "summary.md" || file == kReportName;
}

// Copies the files of cases (tiles, clouds, depth, logs) side by side, and the files about a shard into a
// folder of its own.
void copy_files(const std::vector<ShardBundle>& shards, const fs::path& bundle) {
  std::string log;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const ShardBundle& shard = shards[i];
    const std::string folder = fmt::format("shards/{}-{}/", i + 1, shard.results.run.id);
    for (const std::string& file : list_bundle_files(shard.path).files) {
      if (is_case_file(file))
        copy_into(shard.path / file, bundle / file);
      else if (!is_left_out_by_merge(file))
        copy_into(shard.path / file, bundle / (folder + file));
    }
    log += fmt::format("== shard {}\n{}", shard.results.run.id, read_log_file(shard.path / "bench.log"));
  }
  write_file(bundle / "bench.log", log);
}

void copy_baseline(const std::vector<ShardBundle>& shards, const fs::path& bundle) {
  std::set<std::string> texts;
  for (const ShardBundle& shard : shards) {
    const bool gated = path_exists(shard.path / kBaselineCopyName);
    texts.insert(gated ? read_file(shard.path / kBaselineCopyName) : std::string());
  }
  if (texts.size() == 1 && !texts.begin()->empty()) write_file(bundle / kBaselineCopyName, *texts.begin());
}

void add_shard_notes(const std::vector<ShardBundle>& shards, const fs::path& bundle) {
  for (const ShardBundle& shard : shards) {
    std::vector<std::string> notes = read_bundle_content(shard.path, {}).notes;
    for (std::string& note : notes) note = fmt::format("{}: {}", shard.results.run.id, note);
    add_notes(bundle, notes);
  }
}

// What all parts of one merged bundle are written from.
struct MergedRun {
  std::vector<ShardBundle> shards;
  JournalHeader header;
  Results results;
};

// Writes everything into `bundle`, a folder that is not yet where it is going to be.
void write_merged(MergedRun run, const fs::path& bundle, const std::vector<std::string>& command_line,
                  const RunClock& clock) {
  begin_command(bundle, utc_now(), read_git_state("."), command_line);
  copy_files(run.shards, bundle);  // before the journal marks the log
  Journal journal = Journal::create(bundle, run.header);
  for (const Record& record : run.results.records) journal.append(record);
  copy_baseline(run.shards, bundle);
  add_shard_notes(run.shards, bundle);
  end_command(bundle, utc_now(), read_git_state("."), 0, clock.elapsed());
  finalise_bundle(bundle, std::move(run.results));
}

}  // namespace

fs::path merge_bundles(const std::vector<fs::path>& paths, const fs::path& out,
                       const std::vector<std::string>& command_line) {
  const RunClock clock;
  if (paths.size() < 2) throw Error(ErrorKind::usage, "give at least two bundles to merge");
  MergedRun run;
  for (const fs::path& path : paths) {
    run.shards.push_back(read_shard(path));
    check_alike(run.shards.front(), run.shards.back());
  }
  check_disjoint(run.shards);
  GuestsSeen guests;
  for (const ShardBundle& shard : run.shards)
    for (const Record& record : shard.results.records) guests.add(record, shard.path.string());
  std::ranges::sort(run.shards, {},
                    [](const ShardBundle& shard) { return shard.header.request.shard.index; });
  run.header = run.shards.front().header;
  run.header.cases_text = merged_cases(run.shards);

  // An empty folder holds the name until the whole bundle takes its place: a part cannot be resumed.
  const fs::path bundle = create_bundle_dir(out, std::chrono::system_clock::now());
  try {
    run.results = merged_results(run.shards, bundle.filename().string());
    run.header.run_id = run.results.run.id;
    run.header.started_utc = run.results.run.started_utc;
    run.header.request.shard = {};
    run.header.plan_sha256 = run.header.all_shards_sha256;
    run.header.environment = run.results.environment;
    const ScratchFolder partial(make_folder_beside(bundle));
    write_merged(std::move(run), partial.path(), command_line, clock);
    if (::rename(partial.path().c_str(), bundle.c_str()) != 0) throw_file_error(bundle, errno);
  } catch (...) {
    std::error_code ignored;
    fs::remove(bundle, ignored);
    throw;
  }
  return bundle;
}

}  // namespace aqbench
