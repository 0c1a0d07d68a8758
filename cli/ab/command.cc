#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/ab/first_pairs.h"
#include "cli/ab/options.h"
#include "cli/ab/quick.h"
#include "cli/ab/sides.h"
#include "cli/bundle_run.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/processes/stop_signals.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/deciding_time.h"
#include "harness/ab/decision.h"
#include "harness/ab/report.h"
#include "harness/ab/run.h"
#include "harness/ab/samples.h"
#include "harness/ab/unit.h"
#include "harness/records/results.h"
#include "harness/running/progress.h"
#include "harness/running/sweep.h"
#include "reports/content/bundle_content.h"
#include "reports/content/commands.h"
#include "reports/html/report.h"
#include "reports/text/ab_summary.h"

namespace aqbench::cli {
namespace {

// Also writes what --html, --junit and --github ask for; the bundle, where there is one, may hold tiles.
void print_verdict(const AbRequest& request, const AbDocument& document, const AbReport& report,
                   BundleRun* run) {
  if (request.html)
    write_file(*request.html,
               ab_page(document, report, read_ab_tiles(run ? run->bundle() : "", document.samples)));
  if (request.json) print_json(ab_text(document, report));
  const std::string table = request.json ? "" : render_ab_table(document, report, screen_of(STDOUT_FILENO));
  const bool exports = request.exports.junit || request.exports.github;
  Results results;
  if (exports)
    results = results_of(document, run ? run->journal().header() : journal_header_of(document, {}, {}));
  show_and_export(table, with_sides_named(document, report).verdicts, results, request.exports,
                  request.json ? stderr : stdout);
}

ExitCode verdict_code(const AbRequest& request, const AbReport& report) {
  const ExitCode code = report.exit_code();
  const bool allowed = request.allow_inconclusive && !report.has_trade();
  return code == ExitCode::inconclusive && allowed ? ExitCode::pass : code;
}

// A kill between the tiles and the line that names them leaves tiles of a unit that is run again.
void drop_unnamed_tiles(const std::filesystem::path& bundle, const std::vector<Record>& records) {
  std::set<std::filesystem::path> named;
  for (const Record& record : records)
    for (const CaseFile& file : record.files) named.insert(bundle / file.path);
  std::error_code none;  // no folder: nothing to remove
  for (const auto& file : std::filesystem::directory_iterator(bundle / kTilesFolder, none))
    if (!named.contains(file.path())) std::filesystem::remove(file.path());
}

// Makes the bundle of a comparison, or opens that of request.resume, and fills in what the journal knows:
// run.id, .started_utc, .resumed and the units measured before. `plans` are AbSides::plans.
BundleRun open_ab_bundle(const AbRequest& request, const Arguments& arguments,
                         const std::vector<std::string>& plans, AbDocument& document) {
  BundleRun run({"ab", arguments, request.out, request.resume, commands_of(request),
                 !request.judges_recorded(), !request.no_report},
                journal_header_of(document, arguments, plans));
  document.run.id = run.journal().header().run_id;
  document.run.started_utc = run.journal().header().started_utc;
  document.run.resumed = static_cast<int>(run.journal().resumptions());
  if (!request.resume) return run;
  std::vector<Record> earlier = run.journal().records();
  drop_unnamed_tiles(run.bundle(), earlier);
  add_units(std::move(earlier), document.samples);
  return run;
}

void keep_pair(Journal& journal, const std::vector<CaseResult>& pair) {
  std::vector<Record> records;
  for (const CaseResult& unit : pair) {
    write_artefacts(journal.bundle(), unit);  // before the line that names them
    records.push_back(unit.record);
  }
  journal.append_units(records);
}

// Appends units that were measured elsewhere.
void keep_units(Journal& journal, std::span<const Record> units) {
  constexpr std::size_t kUnitsOfLine = 100;
  for (; !units.empty(); units = units.subspan(std::min(kUnitsOfLine, units.size())))
    journal.append_units(units.first(std::min(kUnitsOfLine, units.size())));
}

// Prints the verdict on a comparison and leaves it in its bundle, where it has one.
ExitCode conclude(const AbRequest& request, AbDocument document, BundleRun* run) {
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report, run);
  const ExitCode code = document.run.complete ? verdict_code(request, report)
                                              : combine(ExitCode::interrupted, report.exit_code());
  if (!run) return code;
  return run->finish(results_of(std::move(document), run->journal().header()), code,
                     request.json ? stderr : stdout);
}

// Judges what was measured before.
ExitCode judge_samples(const AbRequest& request, const Arguments& arguments) {
  AbDocument document = recorded_document(request);
  document.run.started_utc = document.run.finished_utc = utc_now();
  if (!request.given.contains("out")) return conclude(request, std::move(document), nullptr);
  BundleRun run = open_ab_bundle(request, arguments, {}, document);
  run.guarded([&] { keep_units(run.journal(), document.samples.units); });
  return conclude(request, std::move(document), &run);
}

// ---- Running ----

// Cases with one thread alone can be decided by CPU time; what a resumed comparison chose stays.
void choose_time_of_cases(const AbRequest& request, AbDocument& document) {
  if (request.resume && request.decide_by == DecideBy::automatic) {
    const JournalHeader header = ab_header(*request.resume);
    const std::vector<AbCase> begun = cases_of(header);
    for (std::size_t i = 0; i < std::min(begun.size(), document.samples.cases.size()); ++i)
      document.samples.cases[i].decided_by = begun[i].decided_by;
    take_plan(header, document);
    return;
  }
  if (!document.settings.wall_time || document.run.warm_runs == 0) return;
  if (request.validates() && request.decide_by == DecideBy::automatic) return;  // it is of wall time
  const int threads = request.plan.threads.value_or(available_processors());
  const bool several = threads != 1 && request.decide_by == DecideBy::automatic;
  choose_deciding_time(
      request.decide_by, load_of_this_machine(),
      [&](const AbCase&) { return several ? fmt::format("uses {} threads", threads) : std::string(); },
      document, "those of methods and workloads are not counted");
}

ExitCode measure_sides(const AbRequest& request, const Arguments& arguments) {
  const auto start = SteadyClock::now();
  AbDocument document;
  document.settings = request.settings;
  document.samples.order_seed = request.policy.order_seed;
  const StopSignals signals;
  const bool commands = request.commands.given();
  const bool quick_cases = !commands && request.commands.rules.quick;
  Settling settle;
  AbSides sides = commands ? plan_command_sides(request, arguments, signals.descriptor(), document, settle)
                  : request.validates() ? plan_validation(request, signals.descriptor(), document)
                  : quick_cases ? plan_quick_sides(request, arguments, signals.descriptor(), document, settle)
                                : plan_ab_sides(request, signals.descriptor(), document);
  if (!commands) choose_time_of_cases(request, document);
  if (!commands && !quick_cases) {
    plan_pairs_per_look(request,
                        (document.settings.separately ? 1 : document.samples.cases.size()) *
                            judged_outcomes(document.settings),
                        document);
    if (!request.validates() && !request.resume) estimate_by_first_pairs(sides.runner, document);
  }
  document.environment = ab_environment(request);
  if (request.validation) apply_validation(*request.validation, request.plan, document);

  BundleRun run = open_ab_bundle(request, arguments, sides.plans, document);
  if (sides.limits) sides.limits->hidden = run.bundle();
  run.guarded([&] {
    SweepDisplay display(SweepDisplay::options_for_stderr());
    const auto show = [&](const AbProgress& progress) {
      display.show(progress.elapsed_s, [&](int columns) { return ab_progress_text(progress, columns); });
    };
    QuickClock clock(start, document.samples.cases.size());
    const AbUnitRunner runner = document.run.is_quick() ? clock.limited(sides.runner) : sides.runner;
    const bool all = run_ab(document.samples, document.settings, document.run.pairs_per_look, runner, show,
                            [&](const auto& pair) {
                              keep_pair(run.journal(), pair);
                              clock.end_pair();
                            });
    document.run.complete = all || clock.ended();
  });
  document.run.finished_utc = utc_now();
  if (request.commands.rules.quick) note_quick(settle, document);
  document.environment = run.environment();
  return conclude(request, std::move(document), &run);
}

// Returns what was asked for when the bundle was begun; what only concerns its end may be given anew.
AbRequest resumed_request(const AbRequest& now) {
  const std::filesystem::path bundle = *now.resume;
  require_plain_files(bundle);
  const Arguments arguments = ab_header(bundle).sides->arguments;
  std::optional<AbRequest> request;
  try {
    request = parse(ab_command_line(), arguments);
  } catch (const HelpWanted&) {  // measures nothing either
  }
  if (!request || request->resume || request->judges_recorded())
    throw input_error("--resume {}: its arguments measure nothing", bundle.string());
  complete_ab_request(*request);
  // The bundle says which programs are started: none is before its user is known, or has seen it and agreed.
  require_trust(bundle, kJournalFile, commands_of(*request), now.trust);
  fmt::print(stderr, "aqbench: going on with: aqbench ab {}\n", printable(shell_join(arguments)));
  request->resume = bundle;
  request->json = request->json || now.json;
  request->no_report = request->no_report || now.no_report;
  request->html = now.html;  // a bundle does not say which of its user's files is written
  request->allow_inconclusive = request->allow_inconclusive || now.allow_inconclusive;
  return *request;
}

}  // namespace

ExitCode ab_command(const Arguments& arguments) {
  auto given = parse(ab_command_line(), arguments);
  if (!given.resume) complete_ab_request(given);
  const AbRequest request = given.resume ? resumed_request(given) : given;
  if (request.judges_recorded()) return judge_samples(request, arguments);
  try {
    return measure_sides(request, arguments);
  } catch (const QuickEnd& end) {
    if (request.json)
      print_json(Json{{"verdict", "INCONCLUSIVE"}, {"statement", end.statement}}.dump(2) + "\n");
    else
      fmt::print("INCONCLUSIVE: {}\n", printable(end.statement));
    return request.allow_inconclusive ? ExitCode::pass : ExitCode::inconclusive;
  }
}

}  // namespace aqbench::cli
