// The commands collect and merge: the bundle of results that exist already.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/sweep/sweep_run.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/planning/plan.h"
#include "harness/project/project.h"
#include "harness/records/results.h"
#include "harness/sharing/finished_cases.h"
#include "harness/sharing/shared_sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/bundle_content.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

struct CollectRequest {
  fs::path plan;
  std::vector<fs::path> dirs;  // or the bundles of shards
  SweepRequest sweep;
};

const Flag<CollectRequest> kPlaceOfProject = {
    "project", "FILE", "the project file, where it is not where the plan was made",
    [](CollectRequest& r, const FlagValue& v) { r.sweep.plan.project_file = v.text; }};

CommandLine<CollectRequest> collect_command_line() {
  CommandLine<CollectRequest> line{
      "aqbench collect PLAN DIR... --out BUNDLE [OPTION]...",
      "Makes a bundle of the results that aqbench run-case wrote into these folders: the one that aqbench\n"
      "sweep would have made in one process. Checks that each belongs to the plan and to one build of\n"
      "aqbench, that a method was one program throughout, and that times are of machines that are alike.\n"
      "Names the cases without a whole result, and writes nothing then: run them, and collect again.\n\n"
      "  aqbench collect plan.json results --out bundle --baseline baselines/mine.json --gate\n\n"
      "Exit 0 pass, 1 the gate failed, 2 usage or input, 3 a case failed or has no result, 4 not\n"
      "comparable, 6 disk full or unreadable.",
      {{"out", "BUNDLE", "the bundle's folder, new or empty",
        into<&CollectRequest::sweep, &SweepRequest::bundle>},
       kPlaceOfProject},
      {{{.name = "PLAN"}, into<&CollectRequest::plan>},
       {{.name = "DIR", .repeatable = true}, into<&CollectRequest::dirs>}}};
  append_flags<CollectRequest, SweepRequest>(line.flags, conclusion_flags(), &CollectRequest::sweep);
  return line;
}

CommandLine<CollectRequest> merge_command_line() {
  CommandLine<CollectRequest> line{
      "aqbench merge BUNDLE... [--out DIR] [OPTION]...",
      "Makes the bundle of a whole sweep from those of its shards (aqbench sweep --shard i/n), as aqbench\n"
      "collect does from the results of single cases. Every shard is verified first. Without --baseline it\n"
      "takes the one that all shards have.\n\n"
      "  aqbench merge shards/* --out out\n\n"
      "Exit 0 pass, 1 a shard does not verify or the gate failed, 2 a shard is there twice, missing or was\n"
      "interrupted, 3 a case failed, 4 suites, options, plans, builds or machines of times differ, 6 disk\n"
      "full or unreadable.",
      {{"out", "DIR", "parent folder of the bundle", into<&CollectRequest::sweep, &SweepRequest::out>,
        usually("out")},
       kPlaceOfProject},
      {{{.name = "BUNDLE", .repeatable = true}, into<&CollectRequest::dirs>}}};
  append_flags<CollectRequest, SweepRequest>(line.flags, conclusion_flags(), &CollectRequest::sweep);
  return line;
}

// Says which cases have no result.
void print_missing(const SweepPlan& plan, const std::vector<std::size_t>& missing) {
  constexpr std::size_t kShown = 5;
  fmt::print(stderr, "aqbench: error: {} of {} without a result:\n", missing.size(),
             counted(plan.cases.size(), "case"));
  for (std::size_t i = 0; i < std::min(kShown, missing.size()); ++i)
    fmt::print(stderr, "  {} {}\n", missing[i], printable(plan.cases[missing[i] - 1].name));
  if (missing.size() > kShown) fmt::print(stderr, "  and {} more\n", missing.size() - kShown);
  fmt::print(stderr, "run them with aqbench run-case, and collect again; nothing was written\n");
}

// Makes the bundle of what the sources have.
ExitCode join(SweepRequest& sweep, SweepPlan plan, const std::vector<FinishedSource>& sources,
              const Arguments& arguments) {
  const FoundCases found = find_finished(plan, sources);
  if (!found.missing.empty()) {
    print_missing(plan, found.missing);
    return ExitCode::case_failed;
  }
  sweep.collected = &found;
  return run_planned(sweep, std::move(plan), arguments);
}

// ---- Shards ----

JournalHeader header_of_shard(const fs::path& shard) {
  require_bundle_folder(shard);
  require_plain_files(shard);
  if (!read_gate_input(shard).results.run.complete)
    throw input_error("{}: was interrupted; finish it: aqbench sweep --resume {}", shard.string(),
                      shard.string());
  return read_journal(shard, TornTail::refuse, KeptRecords::ends).header;
}

std::string request_without_shard(PlanRequest request) {
  request.shard = {};
  if (!request.project.dir.empty()) request.project.dir = ".";  // shards may have run on several machines
  return requested_json(request).dump();
}

// Throws unless both are parts of one sweep, and different ones.
void require_parts_of_one(const std::pair<fs::path, JournalHeader>& first,
                          const std::pair<fs::path, JournalHeader>& other) {
  const auto& [path, one] = first;
  const auto refuse = [&](const std::string& what) {
    throw not_comparable_error("{} and {}: {}", first.first.string(), other.first.string(), what);
  };
  const Shard &part = one.request.shard, &other_part = other.second.request.shard;
  if (one.suite != other.second.suite)
    refuse(fmt::format("are of suites '{}' and '{}'", one.suite, other.second.suite));
  if (request_without_shard(one.request) != request_without_shard(other.second.request))
    refuse("were asked for with different options");
  if (one.all_shards_sha256 != other.second.all_shards_sha256)
    refuse("are parts of different plans (do threads differ? give --threads to each shard)");
  if (part.count != other_part.count)
    refuse(fmt::format("are shards {} and {}", to_string(part), to_string(other_part)));
}

// Shards by their numbers, from 1.
using Shards = std::map<std::size_t, std::pair<fs::path, JournalHeader>>;

Shards read_shards(const std::vector<fs::path>& bundles) {
  if (bundles.size() < 2) throw usage_error("give at least two bundles to merge");
  Shards shards;
  for (const fs::path& bundle : bundles) {
    std::pair<fs::path, JournalHeader> shard{bundle, header_of_shard(bundle)};
    if (!shards.empty()) require_parts_of_one(shards.begin()->second, shard);
    const Shard part = shard.second.request.shard;
    const auto [twin, is_new] = shards.emplace(part.index, std::move(shard));
    if (!is_new)
      throw input_error("{} and {}: are both shard {}", twin->second.first.string(), bundle.string(),
                        to_string(part));
  }
  std::string missing;
  const std::size_t count = shards.begin()->second.second.request.shard.count;
  for (std::size_t i = 1; i <= count; ++i)
    if (!shards.contains(i)) missing += fmt::format("{}{}/{}", missing.empty() ? "" : ", ", i, count);
  if (!missing.empty()) throw input_error("the shards are not the whole sweep: missing {}", missing);
  return shards;
}

// Plans the whole sweep. Without --threads the cases have those of the machine that ran the shard.
SweepPlan plan_of_shards(const Shards& shards, const std::optional<fs::path>& project_file) {
  const auto& [bundle, header] = shards.begin()->second;
  JournalHeader whole = header;
  whole.request.shard = {};
  whole.plan_sha256 = whole.all_shards_sha256;
  place_datasets(whole.request, project_file);
  if (!whole.request.threads && plan_sweep(whole.request).sha256 != whole.plan_sha256)
    whole.request.threads = header.environment->at("threads").get<int>();
  SweepPlan plan = plan_again(whole, bundle / kJournalFile);
  plan.request.threads = header.request.threads;
  return plan;
}

// Takes over notes and, unless another one is named, the baseline that all shards have.
void take_from_shards(const Shards& shards, SweepRequest& sweep) {
  std::map<std::string, fs::path> baselines;  // by content
  for (const auto& [number, shard] : shards) {
    const fs::path copy = shard.first / kBaselineCopyName;
    baselines.emplace(path_exists(copy) ? read_file(copy) : "", copy);
    for (const std::string& note : read_bundle_content(shard.first, {}).notes)
      sweep.notes.push_back(fmt::format("{}: {}", shard.second.run_id, note));
  }
  if (!sweep.baseline && !sweep.gate && baselines.size() == 1 && !baselines.begin()->first.empty())
    sweep.baseline = baselines.begin()->second;
}

}  // namespace

ExitCode collect_command(const Arguments& arguments) {
  auto request = parse(collect_command_line(), arguments);
  SweepRequest& sweep = request.sweep;
  if (!sweep.bundle) throw usage_error("--out BUNDLE is missing");
  SweepPlan plan = read_plan(request.plan, sweep.plan.project_file);
  sweep.command = "collect";
  complete_gate(sweep, plan.suite);
  std::vector<FinishedSource> sources;
  for (const fs::path& dir : request.dirs) {
    if (!folder_exists(dir)) throw input_error("{}: not a folder", dir.string());
    sources.push_back(finished_in_folder(dir));
  }
  return join(sweep, std::move(plan), sources, arguments);
}

ExitCode merge_command(const Arguments& arguments) {
  auto request = parse(merge_command_line(), arguments);
  SweepRequest& sweep = request.sweep;
  sweep.command = "merge";
  const Shards shards = read_shards(request.dirs);
  SweepPlan plan = plan_of_shards(shards, sweep.plan.project_file);
  take_from_shards(shards, sweep);
  complete_gate(sweep, plan.suite);
  std::vector<FinishedSource> sources;
  for (const auto& [number, shard] : shards) sources.push_back(finished_in_shard(shard.first));
  return join(sweep, std::move(plan), sources, arguments);
}

}  // namespace aqbench::cli
