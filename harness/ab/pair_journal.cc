#include "harness/ab/pair_journal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/records/sealed_line.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxPairJournalBytes = std::uintmax_t{1} << 30;

PairJournalHeader read_pair_header(const JsonPlace& place) {
  place.allow_only({"aqbench_pairs", "arguments", "started_utc", "program_a", "program_b", "cases", "plans",
                    "environment", "plan", "sha256"});
  PairJournalHeader header;
  for (const JsonPlace& argument : place.at("arguments").elements())
    header.arguments.push_back(argument.text());
  header.started_utc = place.at("started_utc").text();
  header.program_a = place.at("program_a").text();
  header.program_b = place.at("program_b").text();
  for (const JsonPlace& one : place.at("cases").elements())
    header.cases.push_back({one.at("name").text(), one.at("tau").number_or_null()});
  for (const JsonPlace& sha256 : place.at("plans").elements()) header.plans.push_back(sha256.text());
  place.at("environment").members();
  place.at("plan").members();
  header.environment = place.at("environment").value();
  header.plan = place.at("plan").value();
  return header;
}

// Another version need not be sealed as this one is.
void check_pair_version(std::string_view line, const std::string& source) {
  const Json json = parse_strict_json(line, source, kMessageJson);
  const std::int64_t version = JsonPlace(json, source).at("aqbench_pairs").integer();
  if (version != kPairJournalVersion)
    throw Error(ErrorKind::not_comparable,
                fmt::format("{}: version {}, this program reads {}", source, version, kPairJournalVersion));
}

void read_pair_line(const JsonPlace& place, const std::string& source, PairJournalContents& contents) {
  if (place.at("prev").text() != contents.last_line_sha256)
    throw_damaged(source, "its hash of the previous line does not match");
  if (const auto resumed = place.find("resumed_utc")) {
    contents.resumed_utc.push_back(resumed->text());
    return;
  }
  place.allow_only({"prev", "units", "outputs", "sha256"});
  // The caller checks the case indices against the cases.
  for (const JsonPlace& unit : place.at("units").elements())
    contents.samples.units.push_back(ab_unit_from_json(unit.value(), kMaxAbUnits, source));
  for (const JsonPlace& output : place.at("outputs").elements())
    contents.samples.outputs.push_back(ab_output_from_json(output.value(), kMaxAbUnits, source));
}

}  // namespace

PairJournalContents read_pair_journal(const std::filesystem::path& bundle) {
  const std::filesystem::path file = bundle / kPairJournalFile;
  const std::string text = read_text_file(file, kMaxPairJournalBytes, ZeroBytes::one_at_end);
  PairJournalContents contents;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;
    const std::string source = fmt::format("{} line {}", file.string(), ++number);
    const std::string_view line = std::string_view(text).substr(start, end - start);
    if (number == 1) check_pair_version(line, source);
    const Json json = open_sealed_line(line, source);
    const JsonPlace place(json, source);
    if (number == 1)
      contents.header = read_pair_header(place);
    else
      read_pair_line(place, source, contents);
    contents.last_line_sha256 = sha256_hex(line);
    start = end + 1;
    contents.good_bytes = start;
  }
  if (number == 0) throw Error(ErrorKind::input, fmt::format("{}: is empty", file.string()));
  return contents;
}

PairJournal::PairJournal(std::filesystem::path file, std::uint64_t size_bytes, std::string last_line_sha256)
    : file_(std::move(file)),
      size_bytes_(size_bytes),
      last_line_sha256_(std::move(last_line_sha256)),
      descriptor_(open_locked(file_)) {}

PairJournal::PairJournal(PairJournal&& other) noexcept
    : file_(std::move(other.file_)),
      size_bytes_(other.size_bytes_),
      last_line_sha256_(std::move(other.last_line_sha256_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

PairJournal::~PairJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PairJournal PairJournal::create(const std::filesystem::path& bundle, const PairJournalHeader& header) {
  Json cases = Json::array();
  for (const AbCase& one : header.cases) cases.push_back(to_json(one));
  const std::string line = seal_line({{"aqbench_pairs", kPairJournalVersion},
                                      {"arguments", header.arguments},
                                      {"started_utc", header.started_utc},
                                      {"program_a", header.program_a},
                                      {"program_b", header.program_b},
                                      {"cases", cases},
                                      {"plans", header.plans},
                                      {"environment", *header.environment},
                                      {"plan", *header.plan}});
  write_file(bundle / kPairJournalFile, line + "\n");
  return {bundle / kPairJournalFile, line.size() + 1, sha256_hex(line)};
}

PairJournal PairJournal::resume(const std::filesystem::path& bundle, PairJournalContents& contents) {
  regular_file_size(bundle / kPairJournalFile);  // says so when there is none
  PairJournal journal(bundle / kPairJournalFile, 0, {});
  contents = read_pair_journal(bundle);
  journal.size_bytes_ = contents.good_bytes;
  journal.last_line_sha256_ = contents.last_line_sha256;
  return journal;
}

void PairJournal::note_resumed(const std::string& utc) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)) != 0) throw_file_error(file_, errno);
  append_line({{"resumed_utc", utc}});
}

void PairJournal::append(std::span<const AbUnit> units, std::span<const AbOutput> outputs) {
  Json unit_list = Json::array(), output_list = Json::array();
  for (const AbUnit& unit : units) unit_list.push_back(to_json(unit));
  for (const AbOutput& output : outputs) output_list.push_back(to_json(output));
  append_line({{"units", unit_list}, {"outputs", output_list}});
}

void PairJournal::append_line(Json object) {
  Json chained = {{"prev", last_line_sha256_}};
  chained.update(object);
  const std::string line = seal_line(chained);
  if (const int error = write_all(descriptor_, line + "\n"); error != 0) {
    // Removes the part of the line that was written; if that fails too, readers cut it off.
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, static_cast<off_t>(size_bytes_));
    throw_file_error(file_, error);
  }
  size_bytes_ += line.size() + 1;
  last_line_sha256_ = sha256_hex(line);
}

}  // namespace aqbench
