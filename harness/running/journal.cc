#include "harness/running/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/measuring/build_info.h"
#include "harness/records/sealed_line.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxJournalBytes = std::uintmax_t{1} << 32;

Json header_json(const JournalHeader& header) {
  Json json = {{"journal", "aqbench"},
               {"schema_version", header.schema_version},
               {"run",
                {{"id", header.run_id},
                 {"suite", header.suite.empty() ? Json(nullptr) : Json(header.suite)},
                 {"started_utc", header.started_utc}}},
               {"program",
                {{"sha256", header.program_sha256},
                 {"commit", header.program_commit.empty() ? Json(nullptr) : Json(header.program_commit)}}},
               {"requested", requested_json(header.request)},
               {"plan_sha256", header.plan_sha256},
               {"all_shards_sha256", header.all_shards_sha256}};
  if (header.schema_version > 1) json["environment"] = *header.environment;
  json["cases"] = parse_strict_json(header.cases_text, "cases", kMessageJson);
  return json;
}

// Calls `read` and reports its errors as damage: a line with a good hash that cannot be read was not written
// by this program. Another schema version is no damage.
template <class Read>
auto read_or_damaged(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::verification || error.kind() == ErrorKind::not_comparable) throw;
    const std::string_view what = error.what();
    const std::string_view prefix = place;
    throw_damaged(place,
                  what.starts_with(prefix) ? what.substr(std::min(what.size(), prefix.size() + 2)) : what);
  }
}

std::vector<std::string> names_of_cases(const JsonPlace& cases) {
  std::vector<std::string> names;
  for (const JsonPlace& planned : cases.elements()) names.push_back(planned.at("case").text());
  return names;
}

JournalHeader read_header(const Json& json, const std::string& place) {
  const JsonPlace root(json, place);
  if (root.at("journal").text() != "aqbench") throw_damaged(place, "is not the head of an aqbench journal");
  const std::int64_t version = root.at("schema_version").integer();
  if (version < kOldestJournalSchemaVersion || version > kJournalSchemaVersion)
    throw Error(ErrorKind::not_comparable,
                fmt::format("{}: schema_version {}, this program reads {} to {}", place, version,
                            kOldestJournalSchemaVersion, kJournalSchemaVersion));
  JournalHeader header;
  header.schema_version = static_cast<int>(version);
  if (version > 1) header.environment = root.at("environment").value();
  const JsonPlace run = root.at("run");
  header.run_id = run.at("id").text();
  header.suite = run.at("suite").text_or_null();
  header.started_utc = run.at("started_utc").text();
  header.program_sha256 = root.at("program").at("sha256").text();
  header.program_commit = root.at("program").at("commit").text_or_null();
  header.request = request_from_json(root.at("requested").value(), place + ": requested");
  header.plan_sha256 = root.at("plan_sha256").text();
  header.all_shards_sha256 = root.at("all_shards_sha256").text();
  header.cases_text = root.at("cases").value().dump();
  header.case_names = names_of_cases(root.at("cases"));
  if (sha256_hex(header.cases_text) != header.plan_sha256)
    throw_damaged(place, "plan_sha256 is not the hash of the cases");
  return header;
}

void read_log_mark(const JsonPlace& root, JournalContents& contents) {
  if (contents.header.schema_version < 2) return;
  const JsonPlace log = root.at("log");
  log.allow_only({"bytes", "sha256"});
  contents.log_marks.push_back({log.at("bytes").count(), log.at("sha256").text()});
}

// Adds what the line holds; `line_number` counts the header as 1.
void read_line(std::string_view line, std::size_t line_number, const std::string& file,
               JournalContents& contents, std::set<std::string>& unfinished) {
  const std::string place = fmt::format("{} line {}", file, line_number);
  const Json json = open_sealed_line(line, place);
  const bool is_block = json.contains("block"), is_record = json.contains("record");
  const char* const what = is_block ? "block" : is_record ? "record" : "resumed";
  std::optional<Record> record;
  read_or_damaged(place, [&] {
    const JsonPlace root(json, place);
    if (contents.header.schema_version < 2)
      root.allow_only({"prev", "record", "sha256"});
    else if (is_block || is_record)
      root.allow_only({"prev", what, "log", "sha256"});
    else
      root.allow_only({"prev", "resumed", "sha256"});
    if (root.at("prev").text() != contents.last_line_sha256)
      throw_damaged(place, "does not carry the hash of the line before");
    const JsonPlace held = root.at(what);
    if (!is_block && !is_record) {
      contents.resumptions.push_back({held.at("utc").text(), held.at("environment").value()});
      return;
    }
    record = record_from_json(held.value(), fmt::format("{}: {}", place, what));
    read_log_mark(root, contents);
  });
  if (!record) return;
  if (is_block ? !unfinished.contains(record->case_name) : unfinished.erase(record->case_name) == 0)
    throw_damaged(place, fmt::format("'{}' was not planned or stands twice", record->case_name));
  (is_block ? contents.blocks : contents.records).push_back(std::move(*record));
}

// Returns what a file holds from a place on, after it is on disk: a mark must not outlive what it marks.
// Nothing where there is no file or it is shorter.
std::string synced_tail(const std::filesystem::path& file, std::uint64_t from) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  std::string tail;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = ::pread(descriptor, buffer, sizeof buffer, static_cast<off_t>(from + tail.size()))) > 0)
    tail.append(buffer, static_cast<std::size_t>(got));
  const int error = got < 0 || ::fdatasync(descriptor) != 0 ? errno : 0;
  ::close(descriptor);
  if (error != 0) throw_file_error(file, error);
  return tail;
}

}  // namespace

JournalContents read_journal(const std::filesystem::path& bundle, TornTail torn_tail) {
  const std::filesystem::path path = bundle / kJournalFile;
  std::string text;
  try {
    text = read_text_file(path, kMaxJournalBytes, ZeroBytes::one_at_end);
  } catch (const Error& error) {
    if (error.problem().find("zero byte") == std::string::npos) throw;
    throw_damaged(path.string(), error.problem());
  }
  return parse_journal(text, path.string(), torn_tail);
}

JournalContents parse_journal(std::string_view bytes, const std::string& file, TornTail torn_tail) {
  JournalContents contents;
  std::set<std::string> unfinished;
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < bytes.size();) {
    ++line_number;
    const std::size_t end = bytes.find('\n', start);
    if (end == std::string_view::npos) {
      if (torn_tail == TornTail::refuse || line_number == 1)
        throw_damaged(fmt::format("{} line {}", file, line_number), "is cut off");
      contents.torn_tail = true;
      break;
    }
    const std::string_view line = bytes.substr(start, end - start);
    if (line_number == 1) {
      const std::string place = file + " line 1";
      const Json json = open_sealed_line(line, place);
      contents.header = read_or_damaged(place, [&] { return read_header(json, place); });
      unfinished = {contents.header.case_names.begin(), contents.header.case_names.end()};
    } else {
      read_line(line, line_number, file, contents, unfinished);
    }
    contents.last_line_sha256 = sha256_hex(line);
    start = end + 1;
    contents.good_bytes = start;
  }
  if (line_number == 0) throw_damaged(file, "is empty");
  return contents;
}

Journal::Journal(std::filesystem::path bundle, JournalContents contents)
    : bundle_(std::move(bundle)),
      header_(std::move(contents.header)),
      records_(std::move(contents.records)),
      blocks_(std::move(contents.blocks)),
      log_bytes_(contents.log_marks.empty() ? 0 : contents.log_marks.back().bytes),
      size_bytes_(contents.good_bytes),
      last_line_sha256_(std::move(contents.last_line_sha256)) {}

Journal::Journal(Journal&& other) noexcept
    : bundle_(std::move(other.bundle_)),
      header_(std::move(other.header_)),
      records_(std::move(other.records_)),
      blocks_(std::move(other.blocks_)),
      log_bytes_(other.log_bytes_),
      size_bytes_(other.size_bytes_),
      last_line_sha256_(std::move(other.last_line_sha256_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Journal Journal::create(const std::filesystem::path& bundle, const SweepPlan& plan, const std::string& run_id,
                        const std::string& started_utc, const JsonBox& environment) {
  JournalHeader header;
  header.run_id = run_id;
  header.suite = plan.suite;
  header.started_utc = started_utc;
  header.program_sha256 = program_sha256();
  header.program_commit = build_info().commit;
  header.request = plan.request;
  header.environment = environment;
  header.plan_sha256 = plan.sha256;
  header.all_shards_sha256 = plan.all_shards_sha256;
  header.cases_text = cases_json(plan.cases).dump();
  return create_with(bundle, std::move(header));
}

Journal Journal::create(const std::filesystem::path& bundle, JournalHeader header) {
  if (sha256_hex(header.cases_text) != header.plan_sha256)
    throw_damaged((bundle / kJournalFile).string(), "plan_sha256 is not the hash of the cases");
  return create_with(bundle, std::move(header));
}

Journal Journal::create_with(const std::filesystem::path& bundle, JournalHeader header) {
  const std::filesystem::path file = bundle / kJournalFile;
  if (std::filesystem::exists(file))
    throw Error(ErrorKind::io, fmt::format("{}: there is one already", file.string()));
  const Json cases = parse_strict_json(header.cases_text, "cases", kMessageJson);
  header.case_names = names_of_cases(JsonPlace(cases, "cases"));
  std::ranges::sort(header.case_names);
  JournalContents contents;
  contents.header = std::move(header);
  const std::string line = seal_line(header_json(contents.header));
  contents.last_line_sha256 = sha256_hex(line);
  contents.good_bytes = line.size() + 1;
  write_file(file, line + '\n');
  Journal journal(bundle, std::move(contents));
  journal.descriptor_ = open_locked(file);
  return journal;
}

Journal Journal::resume(const std::filesystem::path& bundle, const SweepPlan& plan,
                        const JournalResumption& now) {
  const std::filesystem::path file = bundle / kJournalFile;
  read_file(file);  // says so when there is none
  const int descriptor = open_locked(file);
  Journal locked(bundle, {});
  locked.descriptor_ = descriptor;  // owned from here on; only a locked journal is read
  JournalContents contents = read_journal(bundle, TornTail::accept);
  if (contents.header.plan_sha256 != plan.sha256)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} cases were planned, not the {} of this command (or options, --threads or "
                            "the machine's cores differ); start a new sweep",
                            file.string(), contents.header.case_names.size(), plan.cases.size()));
  if (contents.header.program_sha256 != program_sha256())
    throw Error(
        ErrorKind::input,
        fmt::format("{}: another build of aqbench began this sweep (commit {}); start a new one",
                    file.string(),
                    contents.header.program_commit.empty() ? "unknown" : contents.header.program_commit));
  if (contents.torn_tail &&
      (::ftruncate(descriptor, static_cast<off_t>(contents.good_bytes)) != 0 || ::fsync(descriptor) != 0))
    throw_file_error(file, errno);
  remove_write_leftovers(bundle);
  Journal journal(bundle, std::move(contents));
  journal.descriptor_ = std::exchange(locked.descriptor_, -1);
  if (journal.header_.schema_version > 1 && !now.utc.empty())
    journal.append_line({{"resumed", {{"utc", now.utc}, {"environment", *now.environment}}}});
  return journal;
}

// Returns "log" of the next line.
Json Journal::mark_log() {
  const std::string added = synced_tail(bundle_ / kLogFile, log_bytes_);
  return {{"bytes", log_bytes_ + added.size()}, {"sha256", sha256_hex(added)}};
}

void Journal::append(const Record& record) {
  append_line({{"record", to_json(record)}});
  records_.push_back(record);
}

void Journal::append_block(const Record& block) {
  append_line({{"block", to_json(block)}});
  blocks_.push_back(block);
}

void Journal::append_line(Json object) {
  Json line_json = {{"prev", last_line_sha256_}};
  line_json.update(object);
  if (header_.schema_version > 1 && !object.contains("resumed")) line_json["log"] = mark_log();
  const std::string line = seal_line(line_json);
  int error = write_all(descriptor_, line + '\n');
  if (error == 0 && ::fsync(descriptor_) != 0) error = errno;
  if (error != 0) {
    // The part of the line that was written is cut off. If even that fails, it is a torn tail, which resume()
    // cuts off.
    if (::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)) == 0) ::fsync(descriptor_);
    throw_file_error(bundle_ / kJournalFile, error);
  }
  size_bytes_ += line.size() + 1;
  last_line_sha256_ = sha256_hex(line);
  if (line_json.contains("log")) log_bytes_ = line_json["log"]["bytes"].get<std::uint64_t>();
}

void Journal::release_in_child() const { ::close(descriptor_); }

bool Journal::has(std::string_view case_name) const {
  return std::ranges::find(records_, case_name, &Record::case_name) != records_.end();
}

}  // namespace aqbench
