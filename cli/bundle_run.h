#pragma once
// A command that leaves a bundle, from its folder and journal to its last line.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/error.h"
#include "core/json.h"
#include "core/stopwatch.h"
#include "harness/measuring/environment.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench::cli {

// What a bundle is begun or continued with.
struct BundleStart {
  std::string command;                               // "sweep"
  Arguments arguments;                               // and what follows it
  std::filesystem::path out;                         // the parent of a new bundle
  std::optional<std::filesystem::path> resume = {};  // the bundle that goes on
  std::vector<std::string> commands = {};            // that run with the user's rights
  bool resumable = true;                             // the command has --resume
  bool with_page = true;                             // report.html
  std::optional<std::filesystem::path> bundle = {};  // its folder, new or empty, in place of one in `out`
  std::string resumed_by = {};                       // the command with --resume; empty: `command`
};

// The bundle of one command while it is made.
class BundleRun {
 public:
  // Makes a bundle or opens the one that goes on, and notes the command in it. `planned` says what is about
  // to be measured. Throws as Journal::create() and Journal::resume().
  BundleRun(const BundleStart& start, JournalHeader planned);

  Journal& journal() { return *journal_; }
  const std::filesystem::path& bundle() const { return bundle_; }

  // Returns the environment in which the cases ran, with the machine's load before and now.
  Json environment() const;

  // Returns the result of `body`. To an Error(io) it adds how to resume: a full disk must not cost the
  // measurements.
  template <class Body>
  auto guarded(const Body& body) const {
    try {
      return body();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io || !resumable_) throw;
      throw Error(ErrorKind::io,
                  fmt::format("{}; finished results are kept; continue with aqbench {} --resume {}",
                              error.what(), command_, bundle_.string()),
                  error.file());
    }
  }

  // Ends the command: writes the files, seals the bundle and verifies it at once, while the command can still
  // be repeated; closes the journal. Prints to `stream` where the page is and the command to go on with, if
  // any: after an interruption --resume. Returns `code`, or what is graver: regression if the bundle does not
  // verify.
  ExitCode finish(Results results, ExitCode code, std::FILE* stream, std::string next = {});

 private:
  RunClock clock_;
  std::string command_;
  bool resumable_, with_page_;
  std::filesystem::path bundle_;
  std::optional<Journal> journal_;  // set by the constructor
  std::optional<LoadAverage> load_before_;
};

}  // namespace aqbench::cli
