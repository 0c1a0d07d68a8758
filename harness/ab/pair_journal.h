#pragma once
// pairs.jsonl: what a comparison measures, pair by pair as it comes, so that Ctrl-C, a kill or a full disk
// loses no more than the pair in progress. `aqbench ab --resume BUNDLE` goes on from it. It is removed once
// the comparison is complete: ab.json or calibration.json then holds all of it.
//   {"aqbench_pairs":2,"arguments":[..],"started_utc":"..","program_a":"SHA-256","program_b":"..",
//    "cases":[{"name":"..","tau":null}],"plans":["SHA-256"],"environment":{..},"plan":{..}}
//   {"part":0,"units":[..],"outputs":[..]}
//   {"resumed_utc":".."}

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/json_box.h"
#include "harness/ab/run.h"

namespace aqbench {

inline constexpr int kPairJournalVersion = 2;
inline constexpr const char* kPairJournalFile = "pairs.jsonl";

struct PairJournalHeader {
  std::vector<std::string> arguments;  // of `aqbench ab`
  std::string started_utc;
  std::string program_a, program_b;  // SHA-256 of the program, or "FILE:PROGRAM" where a file is given
  std::vector<AbCase> cases;         // what the units' indices mean; of a calibration, then of --live
  std::vector<std::string> plans;    // SHA-256 of all that defines them, of each side or part
  JsonBox environment;
  JsonBox plan;  // what was found out before the first pair, an object
};

struct PairJournalContents {
  PairJournalHeader header;
  std::vector<AbSamples> parts;          // units and outputs alone
  std::vector<std::string> resumed_utc;  // when it was gone on with
  std::uint64_t good_bytes = 0;          // without a last line that was cut off
};

// Throws Error(input) if there is none or a line cannot be read, Error(not_comparable) for another version.
PairJournalContents read_pair_journal(const std::filesystem::path& bundle);

// An open journal, locked against a second writer.
class PairJournal {
 public:
  // Throw Error(io), also if another process is writing it.
  static PairJournal create(const std::filesystem::path& bundle, const PairJournalHeader& header);
  // Reads it once nobody else can write it. Nothing is changed yet. Throws as read_pair_journal() as well.
  static PairJournal resume(const std::filesystem::path& bundle, PairJournalContents& contents);
  // Cuts off a last line that is not whole and notes the time.
  void note_resumed(const std::string& utc);

  PairJournal(PairJournal&& other) noexcept;
  PairJournal& operator=(PairJournal&& other) = delete;
  ~PairJournal();

  // A kill after it returns loses nothing; a power cut may lose the last ones, since waiting for the disk
  // would disturb what is timed next. Throws Error(io), and then the file is as it was.
  void append(std::size_t part, std::span<const AbUnit> units, std::span<const AbOutput> outputs);

 private:
  PairJournal(std::filesystem::path file, std::uint64_t size_bytes);
  void append_text(const std::string& line);

  std::filesystem::path file_;
  std::uint64_t size_bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace aqbench
