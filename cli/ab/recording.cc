#include "cli/ab/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/ab/document.h"
#include "harness/ab/tiles.h"
#include "harness/records/case_result.h"
#include "reports/bundle/bundle.h"
#include "reports/content/bundle_files.h"
#include "reports/content/commands.h"

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

// Returns where the first hash that differs begins. The texts are "FILE:PROGRAM", two hashes, or one hash
// alone.
std::size_t first_changed_hash(const std::string& was, const std::string& is) {
  const std::size_t file_end = was.find(':');
  const bool same_file = file_end != std::string::npos && is.starts_with(was.substr(0, file_end + 1));
  return same_file ? file_end + 1 : 0;
}

// Pairs of another program or machine must not be mixed with these.
void require_same_subject(const std::filesystem::path& bundle, const PairJournalHeader& then,
                          const PairJournalHeader& now) {
  for (const auto& [side, was, is] :
       {std::tuple("A", then.program_a, now.program_a), std::tuple("B", then.program_b, now.program_b)})
    if (was != is) {
      const std::size_t start = first_changed_hash(was, is);
      throw Error(ErrorKind::input,
                  fmt::format("--resume {}: {} is another program now: sha256 {}, was {}", bundle.string(),
                              side, is.substr(start, 16), was.substr(start, 16)));
    }
  const auto key = [](const Json& environment) { return environment.value("comparability", Json::object()); };
  const Json was = key(*then.environment), is = key(*now.environment);
  for (const auto& [name, value] : is.items())
    if (was.value(name, Json()) != value)
      throw Error(ErrorKind::not_comparable,
                  fmt::format("--resume {}: {} was {} and is {} now", bundle.string(), name,
                              was.value(name, Json()).dump(), value.dump()));
}

// Pairs of other cases must not be mixed either: a recorded unit names its case only by its index.
void require_same_cases(const std::filesystem::path& bundle, const PairJournalHeader& then,
                        const PairJournalHeader& now) {
  const auto text = [](const std::vector<AbCase>& cases, std::size_t i) -> std::string {
    if (i >= cases.size()) return "none";
    const AbCase& one = cases[i];
    return one.tau ? fmt::format("'{}' with tau {}", one.name, *one.tau) : fmt::format("'{}'", one.name);
  };
  for (std::size_t i = 0; i < std::max(then.cases.size(), now.cases.size()); ++i)
    if (const std::string was = text(then.cases, i), is = text(now.cases, i); was != is)
      throw Error(ErrorKind::input,
                  fmt::format("--resume {}: case {} was {} and is {} now", bundle.string(), i + 1, was, is));
  if (then.plans != now.plans)
    throw Error(
        ErrorKind::input,
        fmt::format("--resume {}: the cases have other options now than when they were first measured",
                    bundle.string()));
}

// A bundle that is sealed and complete has nothing to go on with. One that was complete when writing its
// files failed has: they are written anew.
void require_unfinished(const std::filesystem::path& bundle) {
  std::error_code error;
  if (!std::filesystem::exists(bundle / kHashListName, error)) return;
  if (!std::filesystem::exists(bundle / kAbFile, error)) return;
  const Json json = read_strict_json(bundle / kAbFile);
  if (JsonPlace(json, (bundle / kAbFile).string()).at("run").at("complete").boolean())
    throw Error(ErrorKind::input, fmt::format("--resume {}: is complete", bundle.string()));
}

ExitCode seal(const std::filesystem::path& bundle, const AbBundleText& text, const SigningKey* key,
              const AbRequest& request, const RunClock& clock, ExitCode code) {
  end_command(bundle, utc_now(), read_git_state("."), static_cast<int>(code), clock.elapsed());
  finalise_ab_bundle(bundle, text, key);
  return report_ab_bundle(bundle, request.json ? stderr : stdout, code);
}

}  // namespace

AbRecording::AbRecording(const AbRequest& request, const Arguments& arguments, PairJournalHeader header)
    : key_(key_of(request)) {
  header.arguments = arguments;
  if (!request.resume) {
    bundle_ = create_bundle_dir(request.out, std::chrono::system_clock::now());
    begin_ab_command(bundle_, arguments);
    journal_.emplace(PairJournal::create(bundle_, header));
    remember_commands(bundle_, kPairJournalFile, commands_of(request));
    earlier_.header = std::move(header);
    return;
  }
  bundle_ = *request.resume;
  require_unfinished(bundle_);
  journal_.emplace(PairJournal::resume(bundle_, earlier_));
  require_same_subject(bundle_, earlier_.header, header);
  require_same_cases(bundle_, earlier_.header, header);
  drop_unnamed_tiles();
  journal_->note_resumed(utc_now());
  resumed_ = static_cast<int>(earlier_.resumed_utc.size()) + 1;
  begin_ab_command(bundle_, arguments);
}

AbRecall AbRecording::recall() {
  return {&earlier_.samples, [this](std::span<const AbUnit> units, std::span<const AbOutput> outputs) {
            for (const AbUnit& unit : units) keep_tiles(unit);  // before the line that names them
            journal_->append(units, outputs);
          }};
}

void AbRecording::keep_tiles(const AbUnit& unit) const {
  if (unit.tiles_csv.empty()) return;
  std::error_code ignored;  // writing the file says why
  std::filesystem::create_directories(bundle_ / kTilesFolder, ignored);
  write_file(bundle_ / ab_tiles_file(earlier_.header.cases.at(unit.case_index).name, unit.side),
             unit.tiles_csv);
}

// A kill between the tiles and the line that names them leaves tiles of a unit that is run again.
void AbRecording::drop_unnamed_tiles() const {
  std::set<std::filesystem::path> named;
  for (const AbUnit& unit : earlier_.samples.units)
    if (!unit.tiles_sha256.empty())
      named.insert(ab_tiles_file(earlier_.header.cases.at(unit.case_index).name, unit.side));
  std::error_code none;  // no folder: nothing to remove
  for (const auto& file : std::filesystem::directory_iterator(bundle_ / kTilesFolder, none))
    if (!named.contains(std::filesystem::path(kTilesFolder) / file.path().filename()))
      std::filesystem::remove(file.path());
}

ExitCode AbRecording::finish(const AbBundleText& text, const AbRequest& request, ExitCode code) {
  return guarded([&] {
    const ExitCode ended = seal(bundle_, text, key_ ? &*key_ : nullptr, request, clock_, code);
    if (!text.complete)
      fmt::print(stderr, "aqbench: interrupted; go on with: aqbench ab --resume {}\n", bundle_.string());
    return ended;
  });
}

ExitCode leave_samples_bundle(const AbRequest& request, const Arguments& arguments,
                              const std::filesystem::path& bundle, const AbBundleText& text,
                              const RunClock& clock, ExitCode code) {
  const std::optional<SigningKey> key = key_of(request);
  begin_ab_command(bundle, arguments);
  return seal(bundle, text, key ? &*key : nullptr, request, clock, code);
}

}  // namespace aqbench::cli
