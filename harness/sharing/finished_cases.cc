#include "harness/sharing/finished_cases.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDone = "done";
constexpr std::size_t kHashDigits = 64;

fs::path folder_of(const fs::path& dir, std::size_t number) { return dir / std::to_string(number); }

fs::path result_file(const fs::path& folder, const std::string& sha256) {
  return folder / (sha256 + ".result");
}

// Writes the file in place, since object stores and some network file systems cannot rename.
void write_in_place(const fs::path& file, std::string_view bytes) {
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (made.get() < 0) throw_file_error(file, errno);
  if (const int error = write_all(made.get(), bytes); error != 0) throw_file_error(file, error);
  if (::fsync(made.get()) != 0 && errno != EINVAL && errno != ENOSYS) throw_file_error(file, errno);
}

FinishedCase decode(std::string_view bytes, const std::string& source) {
  const std::size_t line_end = std::min(bytes.find('\n'), bytes.size());
  const Json head = parse_strict_json(bytes.substr(0, line_end), source);
  const JsonPlace root(head, source);
  root.allow_only({"plan_sha256", "program_sha256", "host", "environment", "log_bytes"});
  FinishedCase finished{root.at("plan_sha256").text(),
                        root.at("program_sha256").text(),
                        root.at("host").text(),
                        root.at("environment").value(),
                        {},
                        {}};
  bytes.remove_prefix(std::min(line_end + 1, bytes.size()));
  const std::size_t log_bytes = root.at("log_bytes").count();
  if (log_bytes > bytes.size()) root.at("log_bytes").fail("the file is shorter");
  finished.log = bytes.substr(0, log_bytes);
  finished.result = decode_case_result(bytes.substr(log_bytes), source);
  return finished;
}

}  // namespace

void write_plan_file(const fs::path& file, const SweepPlan& plan) {
  JournalHeader header = journal_header_of(plan);
  header.started_utc = utc_now();
  write_file(file, header_line(header) + "\n");
}

JournalHeader read_plan_file(const fs::path& file) {
  JournalHeader header = read_journal_file(file, TornTail::accept, KeptRecords::ends).header;
  if (header.sides || !header.numbers->empty())
    throw input_error("{}: is the journal of a comparison or of imported numbers, not a plan", file.string());
  return header;
}

SweepPlan plan_again(const JournalHeader& header, const fs::path& file) {
  if (header.program_sha256 != program_sha256())
    throw not_comparable_error("{}: written by another build of aqbench (commit {})", file.string(),
                               header.program_commit.empty() ? "unknown" : header.program_commit);
  SweepPlan plan = plan_sweep(header.request);
  if (plan.sha256 != header.plan_sha256)
    throw not_comparable_error(
        "{}: this machine gives another plan; do threads, meshes or recordings differ? (give --threads when "
        "planning)",
        file.string());
  return plan;
}

std::string this_host() {
  std::array<char, 256> host{};
  return ::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown";
}

void write_finished(const fs::path& dir, std::size_t number, const FinishedCase& finished) {
  const Json head = {{"plan_sha256", finished.plan_sha256},
                     {"program_sha256", finished.program_sha256},
                     {"host", finished.host},
                     {"environment", *finished.environment},
                     {"log_bytes", finished.log.size()}};
  const std::string bytes = head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + finished.log +
                            encode_case_result(finished.result);
  const std::string sha256 = sha256_hex(bytes);
  const fs::path folder = folder_of(dir, number);
  if (fs::is_symlink(fs::symlink_status(folder)))  // in a folder that was received
    throw input_error("{}: is a symbolic link, and results are written there", folder.string());
  make_folders(folder);
  write_in_place(result_file(folder, sha256), bytes);
  write_in_place(folder / kDone, sha256 + "\n");
}

bool is_finished(const fs::path& dir, std::size_t number) {
  return path_exists(folder_of(dir, number) / kDone);
}

std::size_t count_finished(const std::vector<fs::path>& dirs, std::size_t cases) {
  std::size_t finished = 0;
  for (std::size_t number = 1; number <= cases; ++number)
    finished += std::ranges::any_of(dirs, [&](const fs::path& dir) { return is_finished(dir, number); });
  return finished;
}

std::optional<FinishedCase> read_finished(const fs::path& dir, std::size_t number, const SweepPlan& plan) {
  const fs::path folder = folder_of(dir, number);
  if (!is_file(folder / kDone)) return std::nullopt;
  const std::string sha256 = read_file(folder / kDone).substr(0, kHashDigits);
  if (sha256.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  const fs::path file = result_file(folder, sha256);
  if (!is_file(file)) return std::nullopt;
  const std::string bytes = read_file(file);
  if (sha256_hex(bytes) != sha256) return std::nullopt;
  FinishedCase finished = decode(bytes, file.string());
  if (finished.plan_sha256 != plan.sha256)
    throw not_comparable_error("{}: belongs to another plan", file.string());
  if (finished.program_sha256 != program_sha256())
    throw not_comparable_error("{}: was made by another build of aqbench", file.string());
  if (finished.result.record.case_name != plan.cases.at(number - 1).name)
    throw input_error("{}: belongs to another case than {}", file.string(), plan.cases[number - 1].name);
  return finished;
}

FinishedSource finished_in_folder(const fs::path& dir) {
  return {dir, [dir](const SweepPlan& plan, std::size_t number) { return read_finished(dir, number, plan); }};
}

FinishedSource finished_in_shard(const fs::path& bundle) {
  struct WholeShard {
    JournalContents journal;
    Json environment;
    std::string log;
    std::map<std::string, std::size_t> places;  // of the records, by case
  };
  const auto shard = std::make_shared<WholeShard>();
  shard->journal = read_journal(bundle, TornTail::refuse);
  shard->environment = environment_of_run(shard->journal);
  shard->log = read_file(bundle / kLogFile);
  for (const Record& record : shard->journal.records)
    shard->places.emplace(record.case_name, shard->places.size());
  const auto read = [bundle, shard](const SweepPlan& plan,
                                    std::size_t number) -> std::optional<FinishedCase> {
    const auto found = shard->places.find(plan.cases.at(number - 1).name);
    if (found == shard->places.end()) return std::nullopt;
    const std::size_t at = found->second;
    const std::vector<LogMark>& marks = shard->journal.log_marks;
    const std::uint64_t begin = at == 0 ? 0 : marks[at - 1].bytes;
    FinishedCase finished{plan.sha256,
                          shard->journal.header.program_sha256,
                          shard->journal.header.run_id,
                          shard->environment,
                          shard->log.substr(begin, marks[at].bytes - begin),
                          {shard->journal.records[at], {}}};
    for (const CaseFile& file : finished.result.record.files)
      finished.result.artefacts.emplace_back(file.path, read_file(bundle / file.path));
    return finished;
  };
  return {bundle, read};
}

fs::path tasks_folder(const fs::path& bundle) {
  const fs::path plain = bundle.has_filename() ? bundle : bundle.parent_path();
  return plain.string() + ".tasks";
}

}  // namespace aqbench
