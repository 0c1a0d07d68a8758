#include "harness/running/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/measuring/build_info.h"
#include "harness/records/json_parts.h"
#include "harness/records/sealed_line.h"

namespace aqbench {
namespace {

// Without the cases, its largest part.
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
  return json;
}

std::string header_line(const JournalHeader& header) {
  std::string text = header_json(header).dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  text += ",\"cases\":";
  text += header.cases_text;
  text += '}';
  return seal_text(std::move(text));
}

std::vector<std::string> names_of_cases(std::string_view cases_text) {
  std::vector<std::string> names;
  split_json(bytes_of_text(cases_text), "", "cases", [&](std::string_view, std::string_view planned) {
    const Json parsed = parse_strict_json(planned, "cases", kMessageJson);
    names.push_back(JsonPlace(parsed, "cases").at("case").text());
  });
  return names;
}

// Returns the content of a file from a place on, after flushing it: a mark must not outlive what it marks.
// Empty if the file is missing or shorter.
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

Journal::Journal(std::filesystem::path bundle, JournalContents contents)
    : bundle_(std::move(bundle)),
      header_(std::move(contents.header)),
      environment_(contents.resumptions.empty() ? header_.environment
                                                : contents.resumptions.back().environment),
      blocks_(std::move(contents.blocks)),
      log_bytes_(contents.log_marks.empty() ? 0 : contents.log_marks.back().bytes),
      size_bytes_(contents.good_bytes),
      last_line_sha256_(std::move(contents.last_line_sha256)) {
  header_.cases_text = {};
  for (CaseEnd& end : contents.ends) remember(std::move(end));
}

Journal::Journal(Journal&& other) noexcept
    : bundle_(std::move(other.bundle_)),
      header_(std::move(other.header_)),
      environment_(std::move(other.environment_)),
      ends_(std::move(other.ends_)),
      finished_(std::move(other.finished_)),
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
  header.cases_text = cases_text(plan.cases);
  return create_with(bundle, std::move(header));
}

Journal Journal::create(const std::filesystem::path& bundle, JournalHeader header) {
  if (sha256_hex(header.cases_text) != header.plan_sha256)
    throw_damaged((bundle / kJournalFile).string(), "plan_sha256 does not match the cases");
  return create_with(bundle, std::move(header));
}

Journal Journal::create_with(const std::filesystem::path& bundle, JournalHeader header) {
  const std::filesystem::path file = bundle / kJournalFile;
  if (std::filesystem::exists(file))
    throw Error(ErrorKind::io, fmt::format("{}: exists already", file.string()));
  header.case_names = names_of_cases(header.cases_text);
  std::ranges::sort(header.case_names);
  JournalContents contents;
  contents.header = std::move(header);
  const std::string line = header_line(contents.header);
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
  regular_file_size(file);  // throws if it is missing
  const int descriptor = open_locked(file);
  Journal locked(bundle, {});
  locked.descriptor_ = descriptor;  // owned from here on; only a locked journal is read
  JournalContents contents = read_journal(bundle, TornTail::accept, KeptRecords::ends);
  if (contents.header.plan_sha256 != plan.sha256)
    throw Error(ErrorKind::input,
                fmt::format("{}: plans {} cases, but this command {} (or options, --threads or the machine's "
                            "cores differ); start a new sweep",
                            file.string(), contents.header.case_names.size(), plan.cases.size()));
  if (contents.header.program_sha256 != program_sha256())
    throw Error(
        ErrorKind::input,
        fmt::format("{}: started by another build of aqbench (commit {}); start a new sweep", file.string(),
                    contents.header.program_commit.empty() ? "unknown" : contents.header.program_commit));
  if (contents.torn_tail &&
      (::ftruncate(descriptor, static_cast<off_t>(contents.good_bytes)) != 0 || ::fsync(descriptor) != 0))
    throw_file_error(file, errno);
  remove_write_leftovers(bundle);
  Journal journal(bundle, std::move(contents));
  journal.descriptor_ = std::exchange(locked.descriptor_, -1);
  if (journal.header_.schema_version > 1 && !now.utc.empty()) journal.append(now);
  return journal;
}

// Returns "log" of the next line.
Json Journal::mark_log() {
  const std::string added = synced_tail(bundle_ / kLogFile, log_bytes_);
  return {{"bytes", log_bytes_ + added.size()}, {"sha256", sha256_hex(added)}};
}

void Journal::append(const Record& record) {
  append_line({{"record", to_json(record)}});
  remember(case_end(record));
}

void Journal::append(const JournalResumption& elsewhere) {
  append_line({{"resumed", {{"utc", elsewhere.utc}, {"environment", *elsewhere.environment}}}});
  environment_ = elsewhere.environment;
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
    // Removes the written part of the line. If even that fails, it is a torn tail, which resume() removes.
    if (::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)) == 0) ::fsync(descriptor_);
    throw_file_error(bundle_ / kJournalFile, error);
  }
  size_bytes_ += line.size() + 1;
  last_line_sha256_ = sha256_hex(line);
  if (line_json.contains("log")) log_bytes_ = line_json["log"]["bytes"].get<std::uint64_t>();
}

void Journal::release_in_child() const { ::close(descriptor_); }

void Journal::remember(CaseEnd end) {
  end.record_sha256 = {};
  finished_.insert(end.case_name);
  ends_.push_back(std::move(end));
}

bool Journal::has(std::string_view case_name) const { return finished_.contains(std::string(case_name)); }

std::vector<Record> Journal::records() const { return read_journal(bundle_, TornTail::refuse).records; }

}  // namespace aqbench
