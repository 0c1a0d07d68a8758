#include "harness/ab/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/json_members.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxOutcomes = 100;

// Checks what a file may ask its reader to compute.
void check_limits(const AbSettings& settings, const JsonPlace& place) {
  check(settings.policy);
  if (settings.policy.resolution_draws > kMaxResolutionDraws)
    place.at("resolution_draws").fail("is above {}", kMaxResolutionDraws);
  if (settings.policy.bootstrap_draws > kMaxBootstrapDraws)
    place.at("bootstrap_draws").fail("is above {}", kMaxBootstrapDraws);
  if (settings.outcomes.size() > kMaxOutcomes) place.at("outcomes").fail("more than {}", kMaxOutcomes);
}

void check_limits(const AbRunInfo& run, const JsonPlace& place) {
  if (run.pairs_per_look > max_pairs_per_look(1))
    place.at("pairs_per_look").fail("is above {}", max_pairs_per_look(1));
  if (run.validation && run.validation->comparisons > kMaxComparisons)
    place.at("validation").at("comparisons").fail("must be at most {}", kMaxComparisons);
}

// The hash of what was run for a side: "PROGRAM", or "FILE:PROGRAM" where the user named a file.
std::string subject_of(const AbSideInfo& side) {
  return side.file_sha256.empty() ? side.program_sha256 : side.file_sha256 + ":" + side.program_sha256;
}

// Returns what of "comparison" is known before the first pair.
Json planned_part(Json comparison) {
  comparison.erase("notes");
  comparison["run"].erase("resumed");
  return comparison;
}

}  // namespace

std::string AbValidation::name_of(std::size_t i) const {
  return is_delayed(i) ? fmt::format("{} {} {}", case_name, delay, i - comparisons + 1)
                       : fmt::format("{} A/A {}", case_name, i + 1);
}

JournalHeader journal_header_of(const AbDocument& document, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& plans) {
  JournalHeader header;
  header.started_utc = utc_now();
  header.program_sha256 = program_sha256();
  header.program_commit = build_info().commit;
  header.sides = ComparedSides{
      arguments, {subject_of(document.a), subject_of(document.b)}, JsonOf<AbDocument>::write(document)};
  header.environment = document.environment;
  header.cases_text = compact_json(JsonOf<std::vector<AbCase>>::write(document.samples.cases, 0, {}));
  header.plan_sha256 = sha256_hex(header.cases_text);
  header.all_shards_sha256 = sha256_hex(fmt::format("{}", fmt::join(plans, "\n")));
  return header;
}

void take_plan(const JournalHeader& header, AbDocument& document) {
  const Json comparison = header.sides ? *header.sides->comparison : Json();
  const JsonPlace place(comparison, fmt::format("{}: comparison", kJournalFile));
  const auto run = from_json<AbRunInfo>(place.at("run"));
  check_limits(run, place.at("run"));
  document.run.pairs_per_look = run.pairs_per_look;
  document.run.warm_runs = run.warm_runs;
  document.settings = from_json<AbSettings>(place.at("settings"));
  check_limits(document.settings, place.at("settings"));
}

std::vector<AbCase> cases_of(const JournalHeader& header) {
  const Json cases = parse_strict_json(header.cases_text, kJournalFile, kMessageJson);
  return from_json<std::vector<AbCase>>(JsonPlace(cases, kJournalFile));
}

bool is_a_a(const AbDocument& document) {
  return !document.a.program_sha256.empty() && document.a.program_sha256 == document.b.program_sha256 &&
         document.a.file_sha256 == document.b.file_sha256 && document.a.variant == document.b.variant &&
         document.a.injected == document.b.injected;
}

Results results_of(AbDocument document, const JournalHeader& header) {
  Results results;
  results.run.id = header.run_id;
  results.run.started_utc = header.started_utc;
  results.run.finished_utc = document.run.finished_utc;
  results.run.complete = document.run.complete;
  results.run.planned_cases = document.samples.cases.size();
  results.run.plan_sha256 = header.plan_sha256;
  results.run.requested = Json{{"arguments", header.sides.value().arguments}};
  results.environment = document.environment;
  results.comparison = JsonOf<AbDocument>::write(document);
  results.records = std::move(document.samples.units);
  return results;
}

AbDocument document_of(Results&& results) {
  const std::string source = "results.json: comparison";
  const JsonPlace place(*results.comparison, source);
  auto document = from_json<AbDocument>(place);
  check_limits(document.run, place.at("run"));
  check_limits(document.settings, place.at("settings"));
  document.run.id = results.run.id;
  document.run.started_utc = results.run.started_utc;
  document.run.finished_utc = results.run.finished_utc;
  document.run.complete = results.run.complete;
  document.environment = results.environment;
  // The protocol of units that were run can be checked; samples from a file have none.
  if ((document.run.pairs_per_look == 0) != !document.run.samples_file.empty())
    place.at("run").at("pairs_per_look").fail("must be above 0, and 0 with samples_file");
  add_units(std::move(results.records), document.samples);
  check_pairs(document.samples);
  return document;
}

std::string comparison_problem(const AbDocument& document, const Json& comparison,
                               const JournalHeader& header, std::size_t resumptions) {
  if (!header.sides || planned_part(*header.sides->comparison) != planned_part(comparison))
    return fmt::format("comparison is not what {} begins with", kJournalFile);
  if (static_cast<std::size_t>(document.run.resumed) != resumptions)
    return fmt::format("run.resumed is {}, but {} has {}", document.run.resumed, kJournalFile,
                       counted(resumptions, "resumption"));
  if (document.run.pairs_per_look == 0) return {};  // --samples
  const AbProtocol protocol = follow_ab(document.samples, document.settings, document.run.pairs_per_look);
  if (!protocol.problem.empty()) return protocol.problem;
  if (protocol.finished == document.run.complete) return {};
  return document.run.complete ? "pairs are missing at the end, though run.complete is true"
                               : "run.complete is false, though nothing is missing";
}

std::string settings_line(const AbSettings& settings) {
  const PairedPolicy& policy = settings.policy;
  const std::string of_times =
      settings.wall_time ? fmt::format("tau {:.4g} %, delta {:.4g} %, ", 100 * policy.tau, 100 * policy.delta)
                         : "";
  return of_times +
         fmt::format("alpha {:.4g}, {} planned look{}{}{}", policy.alpha, policy.looks,
                     policy.looks == 1 ? "" : "s",
                     settings.confirm ? ", flags confirmed with fresh pairs" : ", flags not confirmed",
                     settings.separately ? ", every case judged alone" : "") +
         (settings.outputs_may_differ ? ", outputs may differ" : "");
}

}  // namespace aqbench
