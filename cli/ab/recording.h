#pragma once
// A bundle of `aqbench ab` while it is made: its folder, the pairs as they come, and how it ends.

#include <filesystem>
#include <optional>
#include <string>

#include "cli/ab/options.h"
#include "cli/command.h"
#include "cli/resume_hint.h"
#include "core/stopwatch.h"
#include "harness/ab/pair_journal.h"
#include "reports/bundle/ab_bundle.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/signature.h"

namespace aqbench::cli {

// The folder and the journal of one comparison, from the first pair to the sealed bundle.
class AbRecording {
 public:
  // Makes a new bundle below request.out, or opens that of request.resume. `arguments` are those of this
  // call. `header` says what is about to be measured; its arguments are filled in here. Throws Error(input)
  // where another program or other cases were measured before, Error(not_comparable) where it was another
  // machine, Error(io).
  AbRecording(const AbRequest& request, const Arguments& arguments, PairJournalHeader header);

  // Returns the bundle's folder.
  const std::filesystem::path& bundle() const { return bundle_; }
  // Returns the bundle's name.
  std::string id() const { return bundle_name(bundle_); }
  // Returns what was to be measured when it was first started.
  const PairJournalHeader& header() const { return earlier_.header; }
  // Returns how often it has been resumed.
  int resumed() const { return resumed_; }

  // Returns the pairs that are recorded, and the function that records more. This object must outlive the
  // result.
  AbRecall recall();

  // Runs `measure` and returns its result. Throws an Error(io) that says how to resume where something cannot
  // be written.
  template <class Measure>
  auto guarded(const Measure& measure) const {
    return with_resume_hint("ab", bundle_, measure);
  }

  // Ends the command, writes the files, seals and verifies the bundle and says where it is. The table has
  // been printed.
  ExitCode finish(const AbBundleText& text, const AbRequest& request, ExitCode code);

 private:
  void keep_tiles(const AbUnit& unit) const;
  void drop_unnamed_tiles() const;

  RunClock clock_;
  std::optional<SigningKey> key_;
  std::filesystem::path bundle_;
  PairJournalContents earlier_;
  int resumed_ = 0;
  std::optional<PairJournal> journal_;  // set by the constructor
};

// Writes the bundle of `--samples FILE --out DIR`, where nothing is measured, and returns the exit code:
// `code`, or that of a bundle that does not verify.
ExitCode leave_samples_bundle(const AbRequest& request, const Arguments& arguments,
                              const std::filesystem::path& bundle, const AbBundleText& text,
                              const RunClock& clock, ExitCode code);

}  // namespace aqbench::cli
