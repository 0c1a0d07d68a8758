#include "harness/running/case_process.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "harness/running/case_input.h"

namespace aqbench {
namespace {

// Returns the last line written by the child before it died, for the reason.
std::string last_line(const std::string& log) {
  const std::size_t end = log.find_last_not_of(" \t\r\n") + 1;  // 0: there is none
  const std::size_t start = end == 0 ? 0 : log.find_last_of("\r\n", end - 1) + 1;
  return one_line(std::string_view(log).substr(start, end - start), 160);
}

// Returns the record of a case whose child returned none.
Record record_of_death(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                       const CaseBoard& board) {
  Record record = planned_record(planned);
  using End = IsolateOutcome::End;
  record.status = outcome.end == End::timeout                                   ? Status::timeout
                  : outcome.end == End::signalled || outcome.end == End::exited ? Status::crashed
                                                                                : Status::failed;
  record.reason = describe(outcome, options);
  if (const std::string stage = board.stage(); !stage.empty())
    record.reason += fmt::format(", in stage '{}'", one_line(stage));
  if (const std::string line = last_line(outcome.log_tail); !line.empty())
    record.reason += "; it said: " + line;
  for (std::size_t i = 0; i < record.injected.size(); ++i) record.injected[i].times = board.fault_count(i);
  return record;
}

void replace_each(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Replaces the names of folders that are removed with the case by the user's name of the dataset and by
// documented placeholders.
void name_lasting_folders(const std::filesystem::path& scratch, const std::string& dataset_name,
                          std::string& reason) {
  if (scratch.empty()) return;
  replace_each(reason, (scratch / kObservationFolder).string(), dataset_name);
  replace_each(reason, (scratch / kWorkFolder / "output").string(), "{output}");
  replace_each(reason, scratch.string(), "{scratch}");
}

}  // namespace

CaseBoard::CaseBoard() : page_(nullptr) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<char>::is_always_lock_free,
                "shared between processes");
  void* const memory =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw io_error("shared memory for a case: {}", std::strerror(errno));
  page_ = new (memory) Page();
}

CaseBoard::~CaseBoard() { ::munmap(page_, sizeof(Page)); }

CaseResult result_of(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                     const CaseBoard& board, const std::string& dataset_name) {
  CaseResult result;
  try {
    if (outcome.end == IsolateOutcome::End::ok)
      result = decode_case_result(outcome.result);
    else
      result.record = record_of_death(planned, outcome, options, board);
  } catch (const Error& error) {
    result.record = planned_record(planned);
    result.record.reason = one_line(error.what());
  }
  if (result.record.case_name != planned.name) {
    result = {planned_record(planned), {}};
    result.record.reason = "its result belongs to another case";
  }
  name_lasting_folders(board.scratch_dir(), dataset_name, result.record.reason);
  std::uint64_t& peak_bytes = result.record.peak_rss_bytes.emplace(outcome.peak_rss_bytes);
  if (const auto& program = result.record.program)  // it may be several processes, each smaller
    peak_bytes = std::max(peak_bytes, program->peak_resident_bytes.value_or(0));
  if (result.record.isolation.empty()) result.record.isolation = board.isolation();
  return result;
}

void check_own_settings(const Case& planned, OwnSettings& before, CaseResult& result) {
  const std::string changes = changed_settings(before, own_settings());
  if (changes.empty()) return;
  restore_settings(before);
  const OwnSettings now = own_settings();
  const std::string left = changed_settings(before, now);
  before = now;
  if (planned.simulated || !planned.workload.empty()) return;
  const std::string isolation = result.record.isolation;
  result = {planned_record(planned), {}};
  result.record.isolation = isolation;
  result.record.reason =
      fmt::format("process settings of the sweep changed meanwhile: {} ({})", changes,
                  left.empty() ? "restored" : "cannot be restored: later cases run with them, too");
}

CaseProcess::CaseProcess(const Case& the_case, IsolateOptions limits,
                         const std::vector<std::filesystem::path>& hidden)
    : planned(the_case), options(std::move(limits)) {
  for (const std::filesystem::path& folder : hidden) board.hide(folder);
  if (planned.workload.empty() && !planned.simulated) board.set_scratch_dir(scratch.emplace().path());
}

void CaseProcess::start(const CaseRunner& run) {
  const auto body = [this, &run] { return encode_case_result(run(planned, board)); };
  process = std::make_unique<IsolatedProcess>(body, options);
}

std::optional<CaseResult> CaseProcess::wait() {
  const IsolateOutcome end = process->wait();
  if (end.end == IsolateOutcome::End::cancelled) return std::nullopt;
  return result_of(planned, end, options, board);
}

}  // namespace aqbench
