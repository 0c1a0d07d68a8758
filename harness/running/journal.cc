#include "harness/running/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parameters.h"
#include "core/sha256.h"
#include "harness/measuring/build_info.h"
#include "harness/records/json_parts.h"
#include "harness/records/results.h"

namespace aqbench {
namespace {

// Without the cases, its largest part.
Json header_json(const JournalHeader& header) {
  Json json = {{"journal", "aqbench"}, {"schema_version", kJournalSchemaVersion}};
  if (header.sides) {
    json["comparison"] = *header.sides->comparison;
    json["programs"] = header.sides->programs;
  }
  json.update(
      Json{{"run",
            {{"id", header.run_id}, {"suite", text_json(header.suite)}, {"started_utc", header.started_utc}}},
           {"program", {{"sha256", header.program_sha256}, {"commit", text_json(header.program_commit)}}},
           {"requested", requested_of(header)},
           {"plan_sha256", header.plan_sha256},
           {"all_shards_sha256", header.all_shards_sha256},
           {"environment", *header.environment}});
  return json;
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
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() < 0) return {};
  std::string tail;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = ::pread(opened.get(), buffer, sizeof buffer, static_cast<off_t>(from + tail.size()))) > 0)
    tail.append(buffer, static_cast<std::size_t>(got));
  if (got < 0 || ::fdatasync(opened.get()) != 0) throw_file_error(file, errno);
  return tail;
}

[[noreturn]] void refuse_resume(const std::filesystem::path& bundle, const std::string& why) {
  throw input_error("--resume {}: {}", bundle.string(), why);
}

// A run that is complete and sealed has nothing to go on with. One that was complete when writing its files
// failed has: they are written anew.
void require_unfinished(const std::filesystem::path& bundle, const JournalContents& contents) {
  if (!contents.header.sides && contents.ends.size() < contents.header.case_names.size()) return;
  for (const char* const file : {"sha256.txt", "results.json"})
    if (!path_exists(bundle / file)) return;
  if (read_any_results(bundle / "results.json").run.complete) refuse_resume(bundle, "is complete");
}

// Returns where two values first differ, "options.dataset.sha256 was "a" and is "b" now"; "" nowhere.
std::string first_other_value(const Json& was, const Json& is, const std::string& place) {
  if (was == is) return {};
  if (!was.is_object() || !is.is_object())
    return fmt::format("{} was {} and is {} now", place, was.is_null() ? "absent" : was.dump(),
                       is.is_null() ? "absent" : is.dump());
  for (const Json* const side : {&was, &is})
    for (const auto& [key, value] : side->items())
      if (const std::string other = first_other_value(was.value(key, Json()), is.value(key, Json()),
                                                      place.empty() ? key : place + "." + key);
          !other.empty())
        return other;
  return {};
}

// Returns what differs first between the cases of two sweeps; "" if all are the same.
std::string first_other_plan(const JournalHeader& then, const JournalHeader& now) {
  const auto cases_of = [](const JournalHeader& header) {
    std::map<std::string, Json> cases;
    for (const Json& planned : parse_strict_json(header.cases_text, "cases", kMessageJson))
      cases.emplace(planned.at("case").get<std::string>(), planned);
    return cases;
  };
  const auto was = cases_of(then), is = cases_of(now);
  for (const auto& [name, planned] : was) {
    const auto found = is.find(name);
    if (found == is.end()) return fmt::format("case {} is not planned now", name);
    if (const std::string other = first_other_value(planned, found->second, ""); !other.empty())
      return fmt::format("case {}: {}", name, other);
  }
  for (const auto& [name, planned] : is)
    if (!was.contains(name)) return fmt::format("case {} was not planned then", name);
  return {};
}

// Returns "case 2 was 'x' and is 'y' now", or "" where all are the same.
std::string first_other_case(const JournalHeader& then, const JournalHeader& now) {
  const auto texts_of = [](const JournalHeader& header) {
    std::vector<std::string> texts;
    for (const Json& planned : parse_strict_json(header.cases_text, "cases", kMessageJson)) {
      const Json tau = planned.value("tau", Json());
      texts.push_back(fmt::format("'{}'", planned.at("case").get<std::string>()) +
                      (tau.is_null() ? "" : " with tau " + tau.dump()));
    }
    return texts;
  };
  auto was = texts_of(then), is = texts_of(now);
  was.resize(std::max(was.size(), is.size()), "none");
  is.resize(was.size(), "none");
  const auto [other, other_now] = std::ranges::mismatch(was, is);
  return other == was.end()
             ? ""
             : fmt::format("case {} was {} and is {} now", other - was.begin() + 1, *other, *other_now);
}

// Returns where the first hash that differs begins. The texts are "FILE:PROGRAM", two hashes, or one hash
// alone.
std::size_t first_changed_hash(const std::string& was, const std::string& is) {
  const std::size_t file_end = was.find(':');
  const bool same_file = file_end != std::string::npos && is.starts_with(was.substr(0, file_end + 1));
  return same_file ? file_end + 1 : 0;
}

// Pairs of other programs, cases or machines must not be mixed with those in the journal.
void require_same_comparison(const std::filesystem::path& bundle, const JournalHeader& then,
                             const JournalHeader& now) {
  if (!then.sides) refuse_resume(bundle, "is a sweep; continue it with: aqbench sweep --resume");
  for (const std::size_t side : {0, 1}) {
    const std::string &was = then.sides->programs.at(side), &is = now.sides->programs.at(side);
    const std::size_t start = first_changed_hash(was, is);
    if (was != is)
      refuse_resume(bundle, fmt::format("{} is another program now: sha256 {}, was {}", "AB"[side],
                                        is.substr(start, 16), was.substr(start, 16)));
  }
  const auto machine_of = [](const JournalHeader& header) {
    const Json comparability = comparability_of(*header.environment);
    return comparability.is_object() ? comparability : Json::object();
  };
  const Json was = machine_of(then), is = machine_of(now);
  for (const auto& [name, value] : is.items())
    if (was.value(name, Json()) != value)
      throw not_comparable_error("--resume {}: {} was {} and is {} now", bundle.string(), name,
                                 was.value(name, Json()).dump(), value.dump());
  if (const std::string other = first_other_case(then, now); !other.empty()) refuse_resume(bundle, other);
  if (then.all_shards_sha256 != now.all_shards_sha256)
    refuse_resume(bundle, "the cases have other options now than when they were first measured");
}

void require_same_sweep(const std::filesystem::path& bundle, const JournalHeader& then,
                        const JournalHeader& now) {
  if (then.sides) refuse_resume(bundle, "is a comparison; continue it with: aqbench ab --resume");
  const std::string file = (bundle / kJournalFile).string();
  if (then.plan_sha256 != now.plan_sha256)
    throw input_error("{}: {}; start a new sweep", file, first_other_plan(then, now));
  if (then.program_sha256 != now.program_sha256)
    throw input_error("{}: started by another build of aqbench (commit {}); start a new sweep", file,
                      then.program_commit.empty() ? "unknown" : then.program_commit);
}

}  // namespace

Json requested_of(const JournalHeader& header) {
  if (header.sides) return {{"arguments", header.sides->arguments}};
  return header.numbers->empty() ? requested_json(header.request) : *header.numbers;
}

std::string header_line(const JournalHeader& header) {
  std::string text = compact_json(header_json(header));
  text.pop_back();
  text += ",\"cases\":";
  text += header.cases_text;
  text += '}';
  return seal_text(std::move(text));
}

JournalHeader journal_header_of(const SweepPlan& plan, const JsonBox& environment) {
  JournalHeader header;
  header.suite = plan.suite;
  header.program_sha256 = program_sha256();
  header.program_commit = build_info().commit;
  header.request = plan.request;
  header.environment = environment;
  header.plan_sha256 = plan.sha256;
  header.all_shards_sha256 = plan.all_shards_sha256;
  header.cases_text = cases_text(plan.cases);
  header.case_names = names_of(plan.cases);
  return header;
}

Journal::Journal(std::filesystem::path bundle, JournalContents contents)
    : bundle_(std::move(bundle)),
      header_(std::move(contents.header)),
      environment_(contents.resumptions.empty() ? header_.environment
                                                : contents.resumptions.back().environment),
      resumptions_(contents.resumptions.size()),
      log_bytes_(contents.log_marks.empty() ? 0 : contents.log_marks.back().bytes),
      size_bytes_(contents.good_bytes),
      last_line_sha256_(std::move(contents.last_line_sha256)) {
  header_.cases_text = {};
  for (CaseEnd& end : contents.ends) remember(std::move(end));
}

bool is_being_written(const std::filesystem::path& bundle) {
  const std::filesystem::path file = bundle / kJournalFile;
  const Descriptor held(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (held.get() < 0) throw_file_error(file, errno);
  return ::flock(held.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Journal Journal::create(const std::filesystem::path& bundle, const SweepPlan& plan, const std::string& run_id,
                        const std::string& started_utc, const JsonBox& environment) {
  JournalHeader header = journal_header_of(plan, environment);
  header.run_id = run_id;
  header.started_utc = started_utc;
  return create(bundle, std::move(header));
}

Journal Journal::create(const std::filesystem::path& bundle, JournalHeader header) {
  if (sha256_hex(header.cases_text) != header.plan_sha256)
    throw_damaged((bundle / kJournalFile).string(), "plan_sha256 does not match the cases");
  const std::filesystem::path file = bundle / kJournalFile;
  if (std::filesystem::exists(file)) throw io_error("{}: exists already", file.string());
  header.case_names = names_of_cases(header.cases_text);
  std::ranges::sort(header.case_names);
  JournalContents contents;
  contents.header = std::move(header);
  const std::string line = header_line(contents.header);
  contents.last_line_sha256 = sha256_hex(line);
  contents.good_bytes = line.size() + 1;
  write_file(file, line + '\n');
  Journal journal(bundle, std::move(contents));
  journal.locked_.reset(open_locked(file));
  return journal;
}

Journal Journal::resume(const std::filesystem::path& bundle, const JournalHeader& planned,
                        const JournalResumption& now) {
  const std::filesystem::path file = bundle / kJournalFile;
  regular_file_size(file);               // throws if it is missing
  Descriptor locked(open_locked(file));  // only a locked journal is read
  JournalContents contents = read_journal(bundle, TornTail::accept, KeptRecords::ends);
  require_unfinished(bundle, contents);
  (planned.sides ? require_same_comparison : require_same_sweep)(bundle, contents.header, planned);
  if (contents.torn_tail &&
      (::ftruncate(locked.get(), static_cast<off_t>(contents.good_bytes)) != 0 || ::fsync(locked.get()) != 0))
    throw_file_error(file, errno);
  remove_write_leftovers(bundle);
  Journal journal(bundle, std::move(contents));
  journal.locked_ = std::move(locked);
  if (!now.utc.empty()) journal.append(now);
  return journal;
}

// Returns "log" of the next line.
Json Journal::mark_log() {
  const std::string added = synced_tail(bundle_ / kLogFile, log_bytes_);
  return {{"bytes", log_bytes_ + added.size()}, {"sha256", sha256_hex(added)}};
}

void Journal::append(const Record& record) {
  if (record.guest) guests_.require_same(record.case_name, record.method, *record.guest);
  append_line({{"record", to_json(record)}});
  remember(case_end(record));
}

void Journal::append(const JournalResumption& elsewhere) {
  append_line({{"resumed", {{"utc", elsewhere.utc}, {"environment", *elsewhere.environment}}}});
  environment_ = elsewhere.environment;
  ++resumptions_;
}

void Journal::append_units(std::span<const Record> units) {
  Json list = Json::array();
  for (const Record& unit : units) list.push_back(to_json(unit));
  append_line({{"units", std::move(list)}});
}

void Journal::append_line(Json object) {
  Json line_json = {{"prev", last_line_sha256_}};
  line_json.update(object);
  if (object.contains("record")) line_json["log"] = mark_log();
  const std::string line = seal_line(line_json);
  int error = write_all(locked_.get(), line + '\n');
  if (error == 0 && !object.contains("units") && ::fsync(locked_.get()) != 0) error = errno;
  if (error != 0) {
    // Removes the written part of the line. If even that fails, it is a torn tail, which resume() removes.
    if (::ftruncate(locked_.get(), static_cast<off_t>(size_bytes_)) == 0) ::fsync(locked_.get());
    throw_file_error(bundle_ / kJournalFile, error);
  }
  size_bytes_ += line.size() + 1;
  last_line_sha256_ = sha256_hex(line);
  if (line_json.contains("log")) log_bytes_ = line_json["log"]["bytes"].get<std::uint64_t>();
}

void Journal::release_in_child() const { ::close(locked_.get()); }

void Journal::remember(CaseEnd end) {
  end.record_sha256 = {};
  if (end.guest) guests_.add(end.case_name, end.method, *end.guest);
  end.guest = std::nullopt;
  finished_.insert(end.case_name);
  ends_.push_back(std::move(end));
}

bool Journal::has(std::string_view case_name) const { return finished_.contains(std::string(case_name)); }

std::vector<Record> Journal::records() const { return read_journal(bundle_, TornTail::refuse).records; }

}  // namespace aqbench
