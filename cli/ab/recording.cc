#include "cli/ab/recording.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "harness/records/results.h"
#include "harness/running/sweep.h"
#include "reports/content/bundle_files.h"

namespace aqbench::cli {
namespace {

// A bundle that is sealed and complete has nothing to go on with. One that was complete when writing its
// files failed has: they are written anew.
void require_unfinished(const std::filesystem::path& bundle) {
  std::error_code error;
  for (const char* const file : {kHashListName, "results.json"})
    if (!std::filesystem::exists(bundle / file, error)) return;
  if (read_any_results(bundle / "results.json").run.complete)
    throw input_error("--resume {}: is complete", bundle.string());
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

}  // namespace

JournalHeader ab_header(const std::filesystem::path& bundle) {
  JournalHeader header = read_journal(bundle, TornTail::accept, KeptRecords::ends).header;
  if (!header.sides)
    throw input_error("--resume {}: is a sweep; continue it with: aqbench sweep --resume {}", bundle.string(),
                      bundle.string());
  return header;
}

BundleRun open_ab_bundle(const AbRequest& request, const Arguments& arguments,
                         const std::vector<std::string>& plans, AbDocument& document) {
  if (request.resume) require_unfinished(*request.resume);
  BundleRun run({"ab", arguments, request.out, request.resume, request.sign, commands_of(request),
                 !request.judges_recorded()},
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

void keep_units(Journal& journal, std::span<const Record> units) {
  constexpr std::size_t kUnitsOfLine = 100;
  for (; !units.empty(); units = units.subspan(std::min(kUnitsOfLine, units.size())))
    journal.append_units(units.first(std::min(kUnitsOfLine, units.size())));
}

}  // namespace aqbench::cli
