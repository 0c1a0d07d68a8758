#include "cli/ab/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/ab/sides.h"
#include "cli/bundle_report.h"
#include "core/error.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/content/bundle_files.h"
#include "reports/content/commands.h"
#include "reports/text/summary.h"

namespace aqbench::cli {
namespace {

void begin_ab_command(const std::filesystem::path& bundle, const Arguments& arguments) {
  Arguments command{"aqbench", "ab"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  begin_command(bundle, utc_now(), read_git_state("."), command);
}

std::optional<SigningKey> key_of(const AbRequest& request) {
  if (!request.sign) return std::nullopt;
  return read_signing_key(*request.sign);
}

// A bundle that is sealed and complete has nothing to go on with. One that was complete when writing its
// files failed has: they are written anew.
void require_unfinished(const std::filesystem::path& bundle) {
  std::error_code error;
  for (const char* const file : {kHashListName, "results.json"})
    if (!std::filesystem::exists(bundle / file, error)) return;
  if (read_any_results(bundle / "results.json").run.complete)
    throw Error(ErrorKind::input, fmt::format("--resume {}: is complete", bundle.string()));
}

}  // namespace

JournalHeader ab_header(const std::filesystem::path& bundle) {
  JournalHeader header = read_journal(bundle, TornTail::accept, KeptRecords::ends).header;
  if (!header.sides)
    throw Error(ErrorKind::input,
                fmt::format("--resume {}: is a sweep; continue it with: aqbench sweep --resume {}",
                            bundle.string(), bundle.string()));
  return header;
}

AbRecording::AbRecording(const AbRequest& request, const Arguments& arguments, JournalHeader header)
    : key_(key_of(request)) {
  if (!request.resume) {
    const std::filesystem::path bundle = create_bundle_dir(request.out, std::chrono::system_clock::now());
    begin_ab_command(bundle, arguments);
    header.run_id = bundle_name(bundle);
    journal_.emplace(Journal::create(bundle, std::move(header)));
    remember_commands(bundle, kJournalFile, commands_of(request));
    return;
  }
  require_unfinished(*request.resume);
  journal_.emplace(Journal::resume(*request.resume, header, {utc_now(), header.environment}));
  earlier_ = journal_->records();
  drop_unnamed_tiles(earlier_);
  begin_ab_command(bundle(), arguments);
}

void AbRecording::describe(AbDocument& document) {
  document.run.id = journal_->header().run_id;
  document.run.started_utc = journal_->header().started_utc;
  document.run.resumed = static_cast<int>(journal_->resumptions());
  add_units(std::exchange(earlier_, {}), document.samples);
}

Json AbRecording::environment() const {
  return environment_of_run(read_journal(bundle(), TornTail::accept, KeptRecords::ends));
}

void AbRecording::keep(const std::vector<CaseResult>& pair) {
  std::vector<Record> records;
  for (const CaseResult& unit : pair) {
    write_artefacts(bundle(), unit);  // before the line that names them
    records.push_back(unit.record);
  }
  journal_->append_units(records);
}

void AbRecording::keep_all(std::span<const Record> units) {
  constexpr std::size_t kUnitsOfLine = 100;
  for (; !units.empty(); units = units.subspan(std::min(kUnitsOfLine, units.size())))
    journal_->append_units(units.first(std::min(kUnitsOfLine, units.size())));
}

// A kill between the tiles and the line that names them leaves tiles of a unit that is run again.
void AbRecording::drop_unnamed_tiles(const std::vector<Record>& records) const {
  std::set<std::filesystem::path> named;
  for (const Record& record : records)
    for (const CaseFile& file : *record.files) named.insert(bundle() / file.path);
  std::error_code none;  // no folder: nothing to remove
  for (const auto& file : std::filesystem::directory_iterator(bundle() / kTilesFolder, none))
    if (!named.contains(file.path())) std::filesystem::remove(file.path());
}

ExitCode AbRecording::finish(AbDocument document, const AbRequest& request, ExitCode code) {
  return guarded([&] {
    const bool complete = document.run.complete;
    end_command(bundle(), utc_now(), read_git_state("."), static_cast<int>(code), clock_.elapsed());
    Results results = results_of(std::move(document), journal_->header());
    results.run.text_version = kSummaryVersion;
    finalise_bundle(bundle(), std::move(results), key_ ? &*key_ : nullptr);
    const ExitCode ended = report_bundle(bundle(), request.json ? stderr : stdout, code);
    if (!complete)
      fmt::print(stderr, "aqbench: interrupted; go on with: aqbench ab --resume {}\n", bundle().string());
    return ended;
  });
}

}  // namespace aqbench::cli
