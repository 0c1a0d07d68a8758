#pragma once
// A bundle of `aqbench ab` while it is made: its folder, the pairs as they come, and how it ends.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/ab/options.h"
#include "cli/command.h"
#include "cli/resume_hint.h"
#include "core/stopwatch.h"
#include "harness/ab/document.h"
#include "reports/bundle/signature.h"

namespace aqbench::cli {

// Returns what an interrupted comparison was begun with. Throws as read_journal(), and Error(input) for a
// sweep.
JournalHeader ab_header(const std::filesystem::path& bundle);

// The folder and the journal of one comparison, from the first pair to the sealed bundle.
class AbRecording {
 public:
  // Makes a new bundle below request.out, or opens that of request.resume. `arguments` are those of this
  // call, `header` says what is about to be measured. Throws as Journal::resume().
  AbRecording(const AbRequest& request, const Arguments& arguments, JournalHeader header);

  // Returns the bundle's folder.
  const std::filesystem::path& bundle() const { return journal_->bundle(); }

  // Fills in what the journal knows: run.id, .started_utc, .resumed and the units measured before.
  void describe(AbDocument& document);

  // Returns the environment in which units were measured.
  Json environment() const;

  // Appends a pair, its files first.
  void keep(const std::vector<CaseResult>& pair);

  // Appends units that were measured elsewhere.
  void keep_all(std::span<const Record> units);

  // Runs `measure` and returns its result. Throws an Error(io) that says how to resume where something cannot
  // be written.
  template <class Measure>
  auto guarded(const Measure& measure) const {
    return with_resume_hint("ab", bundle(), measure);
  }

  // Ends the command, writes the files, seals and verifies the bundle and says where it is. The table has
  // been printed.
  ExitCode finish(AbDocument document, const AbRequest& request, ExitCode code);

 private:
  void drop_unnamed_tiles(const std::vector<Record>& records) const;

  RunClock clock_;
  std::optional<SigningKey> key_;
  std::optional<Journal> journal_;  // set by the constructor
  std::vector<Record> earlier_;
};

}  // namespace aqbench::cli
