#include "harness/checking/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/checking/environment_check.h"
#include "harness/checking/source_check.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/roofline.h"
#include "harness/measuring/timing.h"
#include "harness/planning/case_method.h"
#include "harness/planning/plan.h"
#include "harness/planning/scene_choice.h"
#include "harness/planning/select.h"
#include "harness/records/json_parts.h"
#include "harness/records/profile_details.h"
#include "harness/records/record_check.h"
#include "harness/running/merge_blocks.h"
#include "harness/running/method_run.h"
#include "harness/running/run_case.h"
#include "harness/running/run_workload.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

// Returns the cases whose profiles the run tells; empty for a sweep, whatever files its cases have.
std::set<std::string> profiled_cases(const RunInfo& run) {
  std::set<std::string> names;
  const auto profiles = run.effective->find("profile");
  if (profiles == run.effective->end() || !profiles->is_array()) return names;
  for (const Json& profile : *profiles)
    if (profile.is_object() && profile.contains("case") && profile.at("case").is_string())
      names.insert(profile.at("case").get<std::string>());
  return names;
}

// Returns why a planned case is skipped wherever it runs, or on machines without a GPU; nullopt: it is not.
std::optional<std::string> skip_reason_of(Case planned) {
  if (planned.workload.empty()) return method_skip_reason(planned, method_of(planned));
  const auto on_device = workload_skip_reason(planned);
  if (on_device || planned.device != "cuda") return on_device;
  planned.device = "cpu";
  return workload_skip_reason(planned);
}

class PlanChecker {
 public:
  PlanChecker(const Results& results, const JournalContents& journal)
      : results_(results), journal_(journal), profiled_(profiled_cases(results.run)) {}

  PlanCheck run() {
    try {
      read_cases();
    } catch (const Error& error) {
      report("its plan cannot be read: {}", error.what());
      return std::move(check_);
    }
    for (const Record& record : results_.records) {
      const auto planned = cases_.find(record.case_name);
      if (planned == cases_.end()) continue;  // the journal does not have it, either
      check_record(record, planned->second);
      check_sources(record, planned->second);
      check_timing(record, planned->second);
      for (const std::string& problem :
           record_problems(record, is_profile(record) ? RecordKind::profile : RecordKind::sweep))
        report_case(record, problem);
    }
    check_profiles();
    check_blocks();
    check_environment();
    plan_again();
    return std::move(check_);
  }

 private:
  // Reads the planned cases from the journal.
  void read_cases() {
    const std::string source = "cases";
    split_json(bytes_of_text(journal_.header.cases_text), "", source,
               [&](std::string_view, std::string_view text) {
                 Case planned = case_from_json(parse_strict_json(text, source, kMessageJson), source);
                 std::string name = planned.name;
                 cases_.emplace(std::move(name), std::move(planned));
               });
  }

  template <class... Values>
  void report(fmt::format_string<Values...> form, Values&&... values) {
    check_.problems.push_back(fmt::format(form, std::forward<Values>(values)...));
  }
  void report_case(const Record& record, const std::string& what) {
    report("case {}: {}", printable(record.case_name), what);
  }

  void check_record(const Record& record, const Case& planned) {
    const Json now = to_json(record), expected = to_json(planned_record(planned));
    for (const char* const key : {"scene", "method", "preset", "workload", "simulated", "axes", "options"})
      if (now.at(key) != expected.at(key)) report_case(record, fmt::format("{} is not as planned", key));
    bool same_faults = record.injected.size() == planned.faults.size();
    for (std::size_t i = 0; same_faults && i < planned.faults.size(); ++i)
      same_faults = record.injected[i].stage == planned.faults[i].stage &&
                    record.injected[i].effect == planned.faults[i].effect;
    if (!same_faults) report_case(record, "injected is not as planned");
    if (record.status != Status::skipped) return;
    try {
      if (skip_reason_of(planned) != record.reason)
        report_case(record, "is skipped, and nothing in the plan is a reason for it");
    } catch (const Error& error) {  // the plan names what this program does not know
      check_.other_version = error.what();
    }
  }

  bool is_profile(const Record& record) const { return profiled_.contains(record.case_name); }

  // A profile is of one command and has no suite. It tells every case that ended well, and no other.
  void check_profiles() {
    const Json& effective = *results_.run.effective;
    std::set<std::string> ended_well;
    for (const Record& record : results_.records)
      if (record.status == Status::ok) ended_well.insert(record.case_name);
    const auto told = effective.find("profile");
    if (told != effective.end() &&
        (!told->is_array() || told->size() != profiled_.size() || profiled_ != ended_well))
      report("run.effective.profile is not of the cases that ended well");
    if (told != effective.end() && (!journal_.header.suite.empty() || !results_.run.suite.empty()))
      report("run.effective.profile: a suite is no profile");
    for (const Record& record : results_.records) check_profile(record);
  }

  // Nothing but what a profile holds: a record with scores is none, whatever the run says.
  void check_profile(const Record& record) {
    std::set<std::string> expected;
    if (is_profile(record))
      for (const char* const file : {kProfileDetailsFile, kProfileTraceFile, kProfileStacksFile})
        expected.insert(profile_file(record.case_name, file));
    for (const CaseFile& file : record.files.value_or(std::vector<CaseFile>{}))
      if (is_profile(record) ? !expected.contains(file.path) : is_file_of_profile(file.path))
        report_case(record, fmt::format("files: '{}' is {} a profile", printable(file.path),
                                        is_profile(record) ? "not of" : "of"));
    if (!is_profile(record)) return;
    for (const auto& [name, metric] : record.metrics)
      if (name != kOverheadMetric && name != kUnattributedMetric)
        report_case(record, fmt::format("metrics: {}, which no profile has", printable(name)));
  }

  void check_sources(const Record& record, const Case& planned) {
    if (results_.schema_version < 2) return;
    const SourceProblems found = source_problems(record, planned, is_profile(record));
    for (const std::string& problem : found.always) report_case(record, problem);
    for (const std::string& problem : found.of_this_version)
      if (is_of_this_program(journal_.header))
        report_case(record, problem);
      else
        check_.other_version = fmt::format("case {}: {}", printable(record.case_name), problem);
  }

  void check_timing(const Record& record, const Case& planned) {
    const Timing& timing = record.timing;
    const TimingPlan& plan = planned.timing;
    if (is_profile(record) || record.status != Status::ok) return;
    if (!plan.times_warm()) {
      if (!timing.warm_ms.empty()) report_case(record, "timing.warm_ms: no warm runs were planned");
      return;
    }
    const auto processes = static_cast<std::size_t>(plan.blocks);
    if (timing.more_cold_ms.size() + 1 != processes)
      report_case(record, fmt::format("timing: of {} processes, {} were planned",
                                      timing.more_cold_ms.size() + 1, processes));
    if (timing.warm_ms.size() > processes * static_cast<std::size_t>(plan.max_repetitions))
      report_case(record, "timing.warm_ms: more than were planned");
    // Of several processes each may have stopped for a reason of its own.
    if (processes == 1 && timing.stopped == "repetitions" &&
        timing.warm_ms.size() < processes * static_cast<std::size_t>(plan.repetitions))
      report_case(record, "timing.warm_ms: fewer than were planned");
    if (timing.blocks.empty() || timing.cpu_ms.empty())
      report_case(record, "timing.details: are missing beside warm runs");
    Timing again = timing;
    judge_timing(plan, again);
    const auto typical = typical_ms(again);
    if (typical) fill_roofline_share(*typical, again.figures);
    if (timing_json(again, record.case_name) != timing_json(timing, record.case_name))
      report_case(record, "timing.details: do not follow from the samples");
  }

  // Reports what only this very build can know for sure. It is asked last: it hashes the program.
  void report_of_this_program(const std::vector<std::string>& problems) {
    if (problems.empty() || !is_of_this_program(journal_.header)) return;
    check_.problems.insert(check_.problems.end(), problems.begin(), problems.end());
  }

  void check_environment() {
    if (!results_.environment->is_object()) return;
    std::set<std::string> devices;
    for (const auto& [name, planned] : cases_) devices.insert(planned.device);
    report_of_this_program(build_problems(*results_.environment, devices));
    report_of_this_program(key_problems(*results_.environment));
    report_of_this_program(
        machine_problems(results_, journal_.header.request, !journal_.resumptions.empty(), cases_));
    if (journal_.header.program_commit ==
        build_info().commit)  // spares the integrals of other builds' bundles
      report_of_this_program(density_problems(results_, cases_));
  }

  void check_blocks() {
    std::map<std::string, std::vector<Record>> blocks;
    for (const Record& block : journal_.blocks) blocks[block.case_name].push_back(block);
    for (const auto& [name, records] : blocks) {
      const auto planned = cases_.find(name);
      if (planned == cases_.end() || planned->second.timing.blocks <= 1)
        report("case {}: no blocks were planned", printable(name));
      else if (records.size() > static_cast<std::size_t>(planned->second.timing.blocks))
        report("case {}: more blocks than were planned", printable(name));
    }
    if (journal_.header.schema_version < 2) return;
    for (const CaseEnd& end : case_ends(journal_)) {
      const auto planned = cases_.find(end.case_name);
      if (planned == cases_.end() || planned->second.timing.blocks <= 1) continue;
      const auto found = blocks.find(end.case_name);
      if (found == blocks.end())
        report("case {}: its blocks are not in the journal", printable(end.case_name));
      else if (sha256_hex(record_text(merged_record(planned->second, found->second))) != end.record_sha256)
        report("case {}: is not what its blocks give", printable(end.case_name));
    }
  }

  // Plans what was asked for once more. How many threads a case runs with may depend on the machine.
  void plan_again() {
    const JournalHeader& header = journal_.header;
    PlanRequest request = header.request;
    std::set<int> threads;
    std::string file;  // a scene that lies in one
    for (const auto& [name, planned] : cases_) {
      threads.insert(planned.threads);
      if (planned.scene.starts_with(kMeshPrefix) || planned.scene.starts_with(kDatasetPrefix))
        file = planned.scene;
    }
    if (!request.threads && threads.size() == 1) request.threads = *threads.begin();
    cases_.clear();  // so that there are not the cases of two plans at a time
    std::optional<SweepPlan> plan;
    std::string why;
    try {
      plan = plan_sweep(request);
    } catch (const Error& error) {
      why = error.what();
      // Mesh or recording lie on another machine.
      if (!file.empty() && error.kind() != ErrorKind::usage) return note_not_planned(file, "is not here");
    }
    if (plan && plan->sha256 == header.plan_sha256 && plan->all_shards_sha256 == header.all_shards_sha256 &&
        plan->suite == header.suite) {
      plan->request = header.request;
      return check_effective(*plan);
    }
    read_cases();
    if (plan && !file.empty() && other_files(*plan)) return note_not_planned(file, "is another one here");
    if (why.empty()) why = difference_of(*plan);
    if (is_of_this_program(journal_.header))
      report("its plan is not what was asked for: {}", why);
    else
      check_.other_version = "this program plans other cases for the same request: " + why;
  }

  // Says what was not checked: "mesh FILE.ply is not here".
  void note_not_planned(const std::string& scene, const char* why) {
    const std::size_t colon = scene.find(':');
    check_.not_planned_again =
        fmt::format("not planned again: {} {} {}", scene.starts_with(kMeshPrefix) ? "mesh" : "recording",
                    scene.substr(colon + 1), why);
  }

  // Returns whether a mesh or recording that lies here is not the one that the cases ran on.
  bool other_files(const SweepPlan& plan) const {
    for (const Case& planned : plan.cases) {
      const auto found = cases_.find(planned.name);
      if (found == cases_.end()) continue;
      for (const auto& [name, value] : planned.options) {
        if (name != "mesh.sha256" && name != "dataset.sha256") continue;
        const auto then =
            std::ranges::find(found->second.options, name, [](const auto& o) { return o.first; });
        if (then != found->second.options.end() && then->second != value) return true;
      }
    }
    return false;
  }

  std::string difference_of(const SweepPlan& plan) const {
    if (plan.suite != journal_.header.suite) return fmt::format("suite '{}'", plan.suite);
    for (const Case& planned : plan.cases) {
      const auto found = cases_.find(planned.name);
      if (found == cases_.end()) return fmt::format("case {} is missing", printable(planned.name));
      if (to_json(found->second) != to_json(planned))
        return fmt::format("case {} has other options", printable(planned.name));
    }
    if (plan.cases.size() != cases_.size()) return "it has more cases";
    return "it is another part of a sweep";
  }

  // Another build may have more metrics or fewer. Those that both have are defined in the same words.
  bool may_define(const std::string& key, const Json& told, const Json& known) const {
    if (key != "definitions" || is_of_this_program(journal_.header) || !told.is_object()) return false;
    for (const auto& [name, definition] : told.items())
      if (known.contains(name) && known.at(name) != definition) return false;
    return true;
  }

  // The memory limit may depend on the machine; a merged run lists the cases of one shard.
  void check_effective(const SweepPlan& plan) {
    const Json& effective = *results_.run.effective;
    const Json expected = effective_json(plan);
    const bool merged = effective.contains("merged_from");
    const Json dtype = results_.environment->value("dtype", Json());
    if (dtype.is_string() && dtype != plan.dtype && is_of_this_program(journal_.header))
      report("environment.dtype is {}, the cases' {}", dtype.dump(), plan.dtype);
    for (const auto& [key, value] : expected.items()) {
      if (key == "memory_limit_bytes" && !plan.request.memory_limit_bytes) continue;
      if (merged && (value.is_array() || value.is_object())) continue;
      if (!effective.contains(key) ||
          !(effective.at(key) == value || may_define(key, effective.at(key), value)))
        report("run.effective.{} is not as planned", key);
    }
    for (const auto& [key, value] : effective.items())
      if (!expected.contains(key) && key != "merged_from" && key != "profile")
        report("run.effective.{} was not planned", printable(key));
  }

  const Results& results_;
  const JournalContents& journal_;
  std::set<std::string> profiled_;  // names of cases
  std::map<std::string, Case> cases_;
  PlanCheck check_;
};

}  // namespace

PlanCheck check_plan(const Results& results, const JournalContents& journal) {
  return PlanChecker(results, journal).run();
}

}  // namespace aqbench
