#pragma once
// pairs.jsonl: the pairs of a comparison, written as they are measured, so that Ctrl-C, a kill or a full disk
// loses no more than the pair in progress. `aqbench ab --resume BUNDLE` continues from it. The file stays in
// the bundle: ab.json must hold the same pairs. Its lines are sealed and chained
// (harness/records/sealed_line.h):
//   {"aqbench_pairs":4,"arguments":[..],"started_utc":"..","program_a":"SHA-256","program_b":"..",
//    "cases":[{"name":"..","tau":null}],"plans":["SHA-256"],"environment":{..},"plan":{..},"sha256":".."}
//   {"prev":"..","units":[..],"outputs":[..],"sha256":".."}
//   {"prev":"..","resumed_utc":"..","sha256":".."}

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/ab/run.h"

namespace aqbench {

// The version of pairs.jsonl, which goes up when its fields change.
inline constexpr int kPairJournalVersion = 4;

// The name of the file in a bundle.
inline constexpr const char* kPairJournalFile = "pairs.jsonl";

// The first line: what a resumed run must have in common with the interrupted one.
struct PairJournalHeader {
  std::vector<std::string> arguments;  // of `aqbench ab`
  std::string started_utc;
  std::string program_a, program_b;  // SHA-256 of the program, or "FILE:PROGRAM" where the user named a file
  std::vector<AbCase> cases;         // what the units' indices mean
  std::vector<std::string> plans;    // SHA-256 of all that defines the cases, one for each side or part
  JsonBox environment;
  JsonBox plan;  // an object: what was found out before the first pair
};

// A journal that was read.
struct PairJournalContents {
  PairJournalHeader header;
  AbSamples samples;                     // with units and outputs alone
  std::vector<std::string> resumed_utc;  // the times at which the run was continued
  std::uint64_t good_bytes = 0;          // size without a last line that was cut off
  std::string last_line_sha256;
};

// Reads a bundle's journal. Throws Error(input) if there is none, Error(verification) for a line that was
// changed, taken out or put in, and Error(not_comparable) for another version.
PairJournalContents read_pair_journal(const std::filesystem::path& bundle);

// An open journal, locked against a second writer.
class PairJournal {
 public:
  // Creates the file with its header. Throws Error(io), also if another process is writing to it.
  static PairJournal create(const std::filesystem::path& bundle, const PairJournalHeader& header);
  // Locks the file, then reads it into `contents` and changes nothing yet. Throws as create() and as
  // read_pair_journal().
  static PairJournal resume(const std::filesystem::path& bundle, PairJournalContents& contents);
  // Cuts off a last line that is not whole, then appends the time. Throws Error(io).
  void note_resumed(const std::string& utc);

  PairJournal(PairJournal&& other) noexcept;
  PairJournal& operator=(PairJournal&& other) = delete;
  ~PairJournal();

  // Appends one pair. After it returns, a kill of this process loses nothing; a power cut may lose the last
  // pairs, since waiting for the disk would disturb what is timed next. Throws Error(io) and then leaves the
  // file as it was.
  void append(std::span<const AbUnit> units, std::span<const AbOutput> outputs);

 private:
  PairJournal(std::filesystem::path file, std::uint64_t size_bytes, std::string last_line_sha256);
  void append_line(Json object);

  std::filesystem::path file_;
  std::uint64_t size_bytes_ = 0;
  std::string last_line_sha256_;
  int descriptor_ = -1;
};

}  // namespace aqbench
