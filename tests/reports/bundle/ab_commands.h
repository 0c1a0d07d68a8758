#pragma once
// commands.txt as `aqbench ab` leaves it beside the documents of tests/harness/ab/documents.h.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/ab/document.h"
#include "harness/ab/report.h"
#include "reports/content/commands.h"

namespace aqbench {

// The arguments of document_of().
inline std::vector<std::string> ab_arguments() {
  return {"--a", "old/aqbench", "--b", "new/aqbench", "--looks", "1", "--no-confirm", "--repetitions", "1"};
}

// And those of a document's metrics, all with margins in their units.
inline std::vector<std::string> ab_arguments(const AbDocument& document) {
  std::vector<std::string> arguments = ab_arguments();
  for (const AbOutcome& outcome : document.settings.outcomes)
    arguments.insert(arguments.end(), {"--metric", outcome.name, "--margin",
                                       fmt::format("{}={}", outcome.name, outcome.margin)});
  return arguments;
}

// Writes the file anew: one command from the start of the run to its end.
inline void write_ab_commands(const std::filesystem::path& folder, const AbRunInfo& run,
                              std::vector<std::string> arguments, ExitCode code) {
  std::filesystem::remove(folder / kCommandsFile);
  arguments.insert(arguments.begin(), {"aqbench", "ab"});
  const GitState outside{"", "", "", "not in a git repository"};
  begin_command(folder, run.started_utc, outside, arguments);
  if (!run.complete) code = combine(ExitCode::interrupted, code);
  end_command(folder, run.finished_utc, outside, static_cast<int>(code), {1799, 20, 1});
}
inline void write_ab_commands(const std::filesystem::path& folder, const AbDocument& document) {
  write_ab_commands(folder, document.run, ab_arguments(document), judge_ab(document).exit_code());
}

}  // namespace aqbench
