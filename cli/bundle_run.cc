#include "cli/bundle_run.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/programs.h"
#include "core/descriptor.h"
#include "core/files.h"
#include "core/text.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/html/report.h"
#include "scenes/dataset/dataset.h"

namespace aqbench::cli {
namespace {

// Warns on stderr and in the log, whose warnings the summary lists, where git hides the commit because
// another user owns the working directory, as in containers of a CI.
void note_ownership(const JsonBox& environment, const std::filesystem::path& log) {
  if (!environment->contains("working_directory_git")) return;
  const Json& git = environment->at("working_directory_git");
  if (!git.contains("reason") ||
      git.at("reason").get<std::string>().find("dubious ownership") == std::string::npos)
    return;
  const std::string lost = fmt::format(
      "warning: the commit is unknown, because another user owns this folder; git config --global --add "
      "safe.directory {}\n",
      printable(shell_quote(std::filesystem::current_path().string())));
  fmt::print(stderr, "aqbench: {}", lost);
  if (!log.empty()) append_to_file(log, lost);
}

}  // namespace

BundleRun::BundleRun(const BundleStart& start, JournalHeader planned)
    : command_(start.resumed_by.empty() ? start.command : start.resumed_by),
      resumable_(start.resumable),
      with_page_(start.with_page) {
  if (start.resume) {
    bundle_ = *start.resume;
    journal_.emplace(Journal::resume(bundle_, planned, {utc_now(), planned.environment}));
  } else {
    const auto now = std::chrono::system_clock::now();
    if (start.bundle) {
      require_free_folder(*start.bundle);
      make_folders(bundle_ = *start.bundle);
    } else {
      bundle_ = create_bundle_dir(start.out, now);
    }
    planned.run_id = start.bundle ? bundle_stamp(now) : bundle_name(bundle_);
    planned.started_utc = utc_now();
    journal_.emplace(Journal::create(bundle_, std::move(planned)));
    remember_commands(bundle_ / kJournalFile, start.commands);
  }
  guarded([&] {
    const bool has_log = !journal_->header().sides;
    if (!start.resume) note_ownership(journal_->environment(), has_log ? bundle_ / kLogFile : "");
    Arguments words{"aqbench", start.command};
    words.insert(words.end(), start.arguments.begin(), start.arguments.end());
    begin_command(bundle_, utc_now(), read_git_state("."), words);
  });
  load_before_ = load_average();
}

Json BundleRun::environment() const {
  Json environment = environment_of_run(read_journal(bundle_, TornTail::accept, KeptRecords::ends));
  add_load(environment, load_before_, load_average());
  return environment;
}

ExitCode BundleRun::finish(Results results, ExitCode code, std::FILE* stream, std::string next) {
  return guarded([&] {
    const bool interrupted = !results.run.complete;
    end_command(bundle_, utc_now(), read_git_state("."), static_cast<int>(code), clock_.elapsed());
    finalise_bundle(bundle_, std::move(results), with_page_);
    const Descriptor lock = journal_->take_lock();  // another process would change what is verified
    journal_.reset();                               // verification needs the memory
    if (interrupted && resumable_) {
      next = shell_join({"aqbench", command_, "--resume", bundle_.string()});
      fmt::print(stderr, "aqbench: interrupted; go on with: {}\n", printable(next));
    }
    const VerifyReport verified = verify_bundle(bundle_);
    if (!verified.ok()) {
      fmt::print(stderr, "aqbench: error: the bundle does not verify\n{}", render_verify(verified));
      return combine(code, ExitCode::regression);
    }
    fmt::print(stream, "report: {} (verified)\n",
               printable((with_page_ ? bundle_ / kReportName : bundle_).string()));
    if (!next.empty()) fmt::print(stream, "next: {}\n", printable(next));
    return code;
  });
}

}  // namespace aqbench::cli
