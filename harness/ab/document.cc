#include "harness/ab/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

AbSideInfo read_ab_side(const JsonPlace& place) {
  place.allow_only({"label", "variant", "injected", "program_sha256", "file_sha256", "version", "commit",
                    "dirty", "compiler", "flags", "build_type", "sanitizers", "command"});
  AbSideInfo side;
  if (const auto command = place.find("command")) side.command = ab_command_from_json(*command);
  side.label = place.at("label").text();
  side.variant = place.at("variant").text();
  for (const JsonPlace& fault : place.at("injected").elements()) side.injected.push_back(fault.text());
  side.program_sha256 = place.at("program_sha256").text();
  side.file_sha256 = place.at("file_sha256").text();
  side.build = build_from_json(place);
  return side;
}

constexpr std::size_t kMaxOutcomes = 100;

int read_small_int(const JsonPlace& place) {
  const std::int64_t value = place.integer();
  if (value < 0 || value > 1000000) place.fail(fmt::format("is {}", value));
  return static_cast<int>(value);
}

Better read_direction(const JsonPlace& place) {
  if (const auto better = better_from_string(place.text())) return *better;
  place.fail("expected lower, higher or equal");
}

std::vector<AbOutcome> read_outcomes(const JsonPlace& place) {
  std::vector<AbOutcome> outcomes;
  for (const JsonPlace& element : place.elements()) {
    element.allow_only({"name", "kind", "unit", "better", "margin", "margin_absolute"});
    AbOutcome outcome;
    outcome.name = element.at("name").text();
    const std::string kind = element.at("kind").text();
    if (kind != "cost" && kind != "metric") element.at("kind").fail("expected cost or metric");
    outcome.kind = kind == "cost" ? AbOutcome::Kind::cost : AbOutcome::Kind::metric;
    outcome.unit = element.at("unit").text();
    outcome.better = read_direction(element.at("better"));
    outcome.margin = element.at("margin").number();
    outcome.margin_absolute = element.at("margin_absolute").boolean();
    outcomes.push_back(std::move(outcome));
  }
  if (outcomes.size() > kMaxOutcomes) place.fail(fmt::format("more than {}", kMaxOutcomes));
  return outcomes;
}

Json outcomes_json(const std::vector<AbOutcome>& outcomes) {
  Json list = Json::array();
  for (const AbOutcome& outcome : outcomes)
    list.push_back({{"name", outcome.name},
                    {"kind", outcome.kind == AbOutcome::Kind::cost ? "cost" : "metric"},
                    {"unit", outcome.unit},
                    {"better", to_string(outcome.better)},
                    {"margin", outcome.margin},
                    {"margin_absolute", outcome.margin_absolute}});
  return list;
}

AbSettings read_ab_settings(const JsonPlace& place) {
  place.allow_only({"alpha", "tau", "delta", "looks", "power", "bootstrap_draws", "resolution_draws", "seed",
                    "confirm", "separately", "outcomes", "wall_time", "outputs_may_differ"});
  AbSettings settings;
  if (const auto outcomes = place.find("outcomes")) settings.outcomes = read_outcomes(*outcomes);
  if (const auto wall_time = place.find("wall_time")) settings.wall_time = wall_time->boolean();
  if (const auto differ = place.find("outputs_may_differ")) settings.outputs_may_differ = differ->boolean();
  settings.policy.alpha = place.at("alpha").number();
  settings.policy.tau = place.at("tau").number();
  settings.policy.delta = place.at("delta").number();
  settings.policy.looks = read_small_int(place.at("looks"));
  settings.policy.power = place.at("power").number();
  settings.policy.bootstrap_draws = read_small_int(place.at("bootstrap_draws"));
  settings.policy.resolution_draws = read_small_int(place.at("resolution_draws"));
  settings.policy.seed = place.at("seed").count();
  settings.confirm = place.at("confirm").boolean();
  settings.separately = place.at("separately").boolean();
  check(settings.policy);
  // Limited because the cost of verifying grows with them.
  if (settings.policy.resolution_draws > kMaxResolutionDraws)
    place.at("resolution_draws").fail(fmt::format("is above {}", kMaxResolutionDraws));
  if (settings.policy.bootstrap_draws > kMaxBootstrapDraws)
    place.at("bootstrap_draws").fail(fmt::format("is above {}", kMaxBootstrapDraws));
  return settings;
}

AbValidation read_validation(const JsonPlace& place) {
  place.allow_only({"case", "comparisons", "delay", "case_settings"});
  AbValidation validation;
  validation.case_name = place.at("case").text();
  validation.comparisons = place.at("comparisons").count();
  if (validation.comparisons > kMaxComparisons)
    place.at("comparisons").fail(fmt::format("must be at most {}", kMaxComparisons));
  validation.delay = place.at("delay").text();
  for (const auto& [name, value] : place.at("case_settings").members())
    validation.case_settings.emplace_back(name, value.text());
  return validation;
}

Json to_json(const AbValidation& validation) {
  Json settings = Json::object();
  for (const auto& [name, value] : validation.case_settings) settings[name] = value;
  return {{"case", validation.case_name},
          {"comparisons", validation.comparisons},
          {"delay", validation.delay},
          {"case_settings", std::move(settings)}};
}

AbRunInfo read_ab_run(const JsonPlace& place) {
  place.allow_only({"samples_file", "exec", "warm_runs", "pairs_per_look", "resumed", "commands",
                    "paired_over", "quick", "validation", "unpaired"});
  AbRunInfo run;
  if (const auto commands = place.find("commands")) run.commands = ab_command_rules_from_json(*commands);
  if (const auto paired_over = place.find("paired_over")) run.paired_over = paired_over->text();
  if (const auto validation = place.find("validation")) run.validation = read_validation(*validation);
  if (const auto unpaired = place.find("unpaired")) run.unpaired = unpaired->boolean();
  if (const auto quick = place.find("quick")) run.quick = quick->boolean();
  run.samples_file = place.at("samples_file").text();
  run.exec = place.at("exec").boolean();
  run.warm_runs = read_small_int(place.at("warm_runs"));
  run.pairs_per_look = static_cast<std::size_t>(read_small_int(place.at("pairs_per_look")));
  // Limited because the cost of verifying grows with it; `aqbench ab` takes no more.
  if (run.pairs_per_look > max_pairs_per_look(1))
    place.at("pairs_per_look").fail(fmt::format("is above {}", max_pairs_per_look(1)));
  run.resumed = read_small_int(place.at("resumed"));
  return run;
}

Json run_json(const AbRunInfo& run) {
  Json json = {{"samples_file", run.samples_file},
               {"exec", run.exec},
               {"warm_runs", run.warm_runs},
               {"pairs_per_look", run.pairs_per_look},
               {"resumed", run.resumed}};
  if (run.commands) json["commands"] = to_json(*run.commands);
  if (!run.paired_over.empty()) json["paired_over"] = run.paired_over;
  if (run.unpaired) json["unpaired"] = true;
  if (run.quick) json["quick"] = true;
  if (run.validation) json["validation"] = to_json(*run.validation);
  return json;
}

Json cases_json(const AbSamples& samples) {
  Json cases = Json::array();
  for (const AbCase& one : samples.cases) cases.push_back(to_json(one));
  return cases;
}

std::vector<AbCase> read_planned_cases(const JsonPlace& place) {
  std::vector<AbCase> cases;
  for (const JsonPlace& one : place.elements()) cases.push_back(ab_case_from_json(one));
  return cases;
}

Json comparison_json(const AbDocument& document) {
  return {{"run", run_json(document.run)},
          {"settings", to_json(document.settings)},
          {"a", to_json(document.a)},
          {"b", to_json(document.b)},
          {"notes", document.notes},
          {"order_seed", document.samples.order_seed},
          {"cases", cases_json(document.samples)}};
}

// Returns what of "comparison" is known before the first pair.
Json planned_part(Json comparison) {
  comparison.erase("notes");
  comparison["run"].erase("resumed");
  return comparison;
}

}  // namespace

AbRunOptions run_options_of(const AbDocument& document) {
  AbRunOptions options;
  options.settings = document.settings;
  options.pairs_per_look = document.run.pairs_per_look;
  return options;
}

JournalHeader journal_header_of(const AbDocument& document, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& plans) {
  JournalHeader header;
  header.started_utc = utc_now();
  header.program_sha256 = program_sha256();
  header.program_commit = build_info().commit;
  header.sides =
      ComparedSides{arguments, {subject_of(document.a), subject_of(document.b)}, comparison_json(document)};
  header.environment = document.environment;
  header.cases_text = cases_json(document.samples).dump(-1, ' ', false, Json::error_handler_t::replace);
  header.plan_sha256 = sha256_hex(header.cases_text);
  header.all_shards_sha256 = sha256_hex(fmt::format("{}", fmt::join(plans, "\n")));
  return header;
}

void take_plan(const JournalHeader& header, AbDocument& document) {
  const Json comparison = header.sides ? *header.sides->comparison : Json();
  const JsonPlace place(comparison, fmt::format("{}: comparison", kJournalFile));
  document.run.pairs_per_look =
      static_cast<std::size_t>(read_small_int(place.at("run").at("pairs_per_look")));
  document.run.warm_runs = read_small_int(place.at("run").at("warm_runs"));
  document.settings = read_ab_settings(place.at("settings"));
}

std::vector<AbCase> cases_of(const JournalHeader& header) {
  const Json cases = parse_strict_json(header.cases_text, kJournalFile, kMessageJson);
  return read_planned_cases(JsonPlace(cases, kJournalFile));
}

std::string subject_of(const AbSideInfo& side) {
  return side.file_sha256.empty() ? side.program_sha256 : side.file_sha256 + ":" + side.program_sha256;
}

bool is_a_a(const AbDocument& document) {
  return !document.a.program_sha256.empty() && document.a.program_sha256 == document.b.program_sha256 &&
         document.a.file_sha256 == document.b.file_sha256 && document.a.variant == document.b.variant &&
         document.a.injected == document.b.injected;
}

Json to_json(const AbRunInfo& run) {
  Json json = {{"id", run.id},
               {"started_utc", run.started_utc},
               {"finished_utc", run.finished_utc},
               {"complete", run.complete}};
  json.update(run_json(run));
  return json;
}

Json to_json(const AbSettings& settings) {
  const PairedPolicy& policy = settings.policy;
  Json json = {{"alpha", policy.alpha},
               {"tau", policy.tau},
               {"delta", policy.delta},
               {"looks", policy.looks},
               {"power", policy.power},
               {"bootstrap_draws", policy.bootstrap_draws},
               {"resolution_draws", policy.resolution_draws},
               {"seed", policy.seed},
               {"confirm", settings.confirm},
               {"separately", settings.separately}};
  // Only where they are not the usual ones, so that comparisons of time alone stay as they were.
  if (!settings.outcomes.empty()) json["outcomes"] = outcomes_json(settings.outcomes);
  if (!settings.wall_time) json["wall_time"] = false;
  if (settings.outputs_may_differ) json["outputs_may_differ"] = true;
  return json;
}

Json to_json(const AbSideInfo& side) {
  Json json = {{"label", side.label},
               {"variant", side.variant},
               {"injected", side.injected},
               {"program_sha256", side.program_sha256},
               {"file_sha256", side.file_sha256}};
  add_build(json, side.build);
  if (side.command) json["command"] = to_json(*side.command);
  return json;
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
  results.comparison = comparison_json(document);
  results.records = std::move(document.samples.units);
  return results;
}

AbDocument document_of(Results&& results) {
  const std::string source = "results.json: comparison";
  const JsonPlace place(*results.comparison, source);
  place.allow_only({"run", "settings", "a", "b", "notes", "order_seed", "cases"});
  AbDocument document;
  document.run = read_ab_run(place.at("run"));
  document.run.id = results.run.id;
  document.run.started_utc = results.run.started_utc;
  document.run.finished_utc = results.run.finished_utc;
  document.run.complete = results.run.complete;
  document.settings = read_ab_settings(place.at("settings"));
  document.a = read_ab_side(place.at("a"));
  document.b = read_ab_side(place.at("b"));
  for (const JsonPlace& note : place.at("notes").elements()) document.notes.push_back(note.text());
  document.environment = results.environment;
  document.samples.order_seed = place.at("order_seed").count();
  document.samples.cases = read_planned_cases(place.at("cases"));
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
  const AbProtocol protocol = follow_ab(document.samples, run_options_of(document));
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
