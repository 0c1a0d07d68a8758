#include "harness/running/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/plan.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/case_result.h"
#include "harness/records/json_parts.h"
#include "scenes/dataset/own_rig.h"

namespace aqbench {
namespace {

class PlanChecker {
 public:
  PlanChecker(const Results& results, const JournalContents& journal)
      : results_(results), journal_(journal) {}

  PlanCheck run() {
    try {
      read_cases();
    } catch (const Error& error) {
      report("its plan cannot be read: {}", error.what());
      return std::move(check_);
    }
    for (const Record& record : results_.records)
      if (const auto planned = cases_.find(record.case_name); planned != cases_.end())
        check_record(record, planned->second);
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
    const Record expected = planned_record(planned);
    const auto compare = [&](const char* key, auto member) {
      if (record.*member != expected.*member) report_case(record, fmt::format("{} is not as planned", key));
    };
    compare("scene", &Record::scene);
    compare("method", &Record::method);
    compare("preset", &Record::preset);
    compare("workload", &Record::workload);
    compare("simulated", &Record::simulated);
    compare("axes", &Record::axes);
    compare("options", &Record::options);
    compare("defaults", &Record::defaults);
    const auto is_same = [](const auto& injected, const Fault& fault) {
      return injected.stage == fault.stage && injected.effect == fault.effect;
    };
    if (!std::ranges::equal(record.injected, planned.faults, is_same))
      report_case(record, "injected is not as planned");
  }

  // Plans what was asked for once more. How many threads a case runs with may depend on the machine.
  void plan_again() {
    const JournalHeader& header = journal_.header;
    PlanRequest request = header.request;
    std::set<int> threads;
    std::string file;  // a scene or rig that lies in one
    for (const auto& [name, planned] : cases_) {
      threads.insert(planned.threads);
      if (planned.scene.starts_with(kMeshPrefix) || looks_at_recording(planned)) file = planned.scene;
      if (planned.images && is_rig_file(planned.images->rig)) file = "rig:" + planned.images->rig;
      if (find_value(planned.options, "covariance.sha256") != nullptr)
        file = "covariance:" + to_string(*find_value(planned.options, "perturb.covariance"));
    }
    if (!request.threads && threads.size() == 1) request.threads = *threads.begin();
    cases_.clear();  // two plans at a time would take twice the memory
    std::optional<SweepPlan> plan;
    std::string why;
    try {
      plan = plan_sweep(request);
    } catch (const Error& error) {
      why = error.what();
      // Mesh, recording or rig lie on another machine.
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
      check_.other_version = why;
  }

  // Describes what was not checked: "mesh FILE.ply is not here".
  void note_not_planned(const std::string& scene, const char* why) {
    const std::size_t colon = scene.find(':');
    check_.not_planned_again =
        fmt::format("not planned again: {} {} {}",
                    scene.starts_with(kDatasetPrefix) ? "recording" : scene.substr(0, colon),
                    scene.substr(colon + 1), why);
  }

  // Returns whether a mesh, recording or rig that lies here is not the one that the cases ran on.
  bool other_files(const SweepPlan& plan) const {
    for (const Case& planned : plan.cases) {
      const auto found = cases_.find(planned.name);
      if (found == cases_.end()) continue;
      for (const auto& [name, value] : planned.options) {
        if (name != "mesh.sha256" && name != "dataset.sha256" && name != "rig.sha256" &&
            name != "covariance.sha256")
          continue;
        const ParameterValue* const then = find_value(found->second.options, name);
        if (then != nullptr && *then != value) return true;
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

  // The memory limit may depend on the machine, and definitions on the build; runs that older versions merged
  // list the cases of one shard.
  void check_effective(const SweepPlan& plan) {
    const Json& effective = *results_.run.effective;
    const Json expected = effective_json(plan);
    const bool merged = effective.contains("merged_from");
    for (const auto& [key, value] : expected.items()) {
      if (key == "memory_limit_bytes" && !plan.request.memory_limit_bytes) continue;
      if (merged && (value.is_array() || value.is_object())) continue;
      if (effective.contains(key) && effective.at(key) == value) continue;
      if (key != "definitions" || is_of_this_program(journal_.header))
        report("run.effective.{} is not as planned", key);
    }
    for (const auto& [key, value] : effective.items())
      if (!expected.contains(key) && key != "merged_from" && key != "profile")
        report("run.effective.{} was not planned", printable(key));
  }

  const Results& results_;
  const JournalContents& journal_;
  std::map<std::string, Case> cases_;
  PlanCheck check_;
};

}  // namespace

bool is_of_this_program(const JournalHeader& header) {
  return header.program_commit == build_info().commit &&  // spares the hash of the program where it differs
         header.program_sha256 == program_sha256();
}

PlanCheck check_plan(const Results& results, const JournalContents& journal) {
  return PlanChecker(results, journal).run();
}

}  // namespace aqbench
