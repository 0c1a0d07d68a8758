#pragma once
// The measurements of a sweep or of a comparison (`aqbench ab`) so far: journal.jsonl in the bundle. A sweep
// has one line per finished case in planned order, each flushed before the next one counts; a comparison one
// line per pair of units. A killed run resumes without loss.
//
// Its lines are sealed and chained (harness/records/json_parts.h):
//   {"journal":"aqbench","schema_version":3,"run":{..},"program":{..},"requested":{..},
//    "plan_sha256":"..","all_shards_sha256":"..","environment":{..},"cases":[..],"sha256":".."}
//   {"prev":"..","resumed":{"utc":"..","environment":{..}},"sha256":".."}
//   {"prev":"..","record":{..},"log":{"bytes":340,"sha256":".."},"sha256":".."}
//   {"prev":"..","units":[{..},{..}],"sha256":".."}
// A comparison's header has "comparison" after the version, and in "requested" the arguments of `aqbench ab`.
// That of imported numbers has in "requested" what they were (harness/records/numbers.h).
// plan_sha256 is the SHA-256 of the text of "cases", which are sorted by name. "log" contains the
// length of bench.log, and the hash of its growth since the previous mark. Older versions also wrote "block",
// the record of one process of several of a case.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/files.h"
#include "harness/planning/plan.h"
#include "harness/records/guests.h"
#include "harness/records/record.h"

namespace aqbench {

// The version of the journal's format, the only one that is read.
inline constexpr int kJournalSchemaVersion = 3;

// The file names in a bundle of the journal and of the log with the cases' output.
inline constexpr const char* kJournalFile = "journal.jsonl";
inline constexpr const char* kLogFile = "bench.log";

// What the journal of a comparison has in addition.
struct ComparedSides {
  std::vector<std::string> arguments;  // of `aqbench ab`
  // SHA-256 of the program of A and of B; "FILE:PROGRAM" where the user named a file.
  std::vector<std::string> programs;
  JsonBox comparison;  // as in results.json, as far as it is known before the first pair
};

// The first line: the plan, and the program that runs it.
struct JournalHeader {
  std::string run_id;          // the bundle's stamp
  std::string suite;           // "" if cases were chosen by hand
  std::string started_utc;     // 2026-01-31T12:00:00Z
  std::string program_sha256;  // of the executable that runs the cases
  std::string program_commit;  // "" if it was built outside git
  PlanRequest request;
  std::optional<ComparedSides> sides = {};  // of a comparison, which has no `request`
  JsonBox numbers = {};  // "requested" of imported numbers, which nothing ran for; else empty
  JsonBox environment;   // when the run began, as in env.json without "load"
  // all_shards_sha256 of a comparison is of all that defines the cases of both sides.
  std::string plan_sha256, all_shards_sha256;
  // The planned cases as compact JSON, the input of plan_sha256. Empty in an open journal.
  std::string cases_text;
  std::vector<std::string> case_names;  // of these, sorted
};

// Where and when a run continued after an interruption or on another machine.
struct JournalResumption {
  std::string utc;
  JsonBox environment;
  std::size_t after = 0;  // lines with measurements before it
};

// The length of bench.log when a line was written, and the hash of its growth since the previous mark.
struct LogMark {
  std::uint64_t bytes = 0;
  std::string sha256;
};

// Returns the header of a sweep that is about to begin; without id and time.
JournalHeader journal_header_of(const SweepPlan& plan, const JsonBox& environment = {});

// Returns "requested" of the journal and of results.json.
Json requested_of(const JournalHeader& header);

// Returns the first line of a journal, without its line break.
std::string header_line(const JournalHeader& header);

// How a case ended, without its measurements: what a sweep keeps of its records.
struct CaseEnd {
  std::string case_name;  // record_key()
  Status status = Status::failed;
  std::string reason = {};
  std::string record_sha256 = {};  // of record_text()
  std::string method = {};
  std::optional<Guest> guest = {};
};

// A journal as read.
struct JournalContents {
  JournalHeader header;
  std::vector<Record> records;  // or units, in the order of completion; none if only `ends` are read
  std::vector<CaseEnd> ends;    // of all records then, in the same order
  std::vector<JournalResumption> resumptions;
  std::vector<LogMark> log_marks;
  std::size_t measured_lines = 0;  // with records or units
  bool torn_tail = false;          // the last line was truncated and is not among the records
  std::uint64_t good_bytes = 0;    // without a torn tail
  std::string last_line_sha256;
};

// Whether a truncated last line is an error or is left out.
enum class TornTail { refuse, accept };

// Whether whole records are kept, some kilobytes each, or only how their cases ended.
enum class KeptRecords { whole, ends };

// Returns whether a bundle is one of `aqbench ab`: its journal begins like that of a comparison.
bool is_comparison(const std::filesystem::path& bundle);

// Reads and checks everything: hashes, chain, plan hash, that every record belongs to a planned case and is
// unique (units are numbered: harness/ab/samples.h). Throws Error(input) if there is no journal,
// Error(not_comparable) for another schema version, Error(verification) "journal.jsonl line 3: ..." for
// damage. With TornTail::accept a last line without line break is left out.
JournalContents read_journal(const std::filesystem::path& bundle, TornTail torn_tail,
                             KeptRecords kept = KeptRecords::whole);

// Does the same with a file of any name.
JournalContents read_journal_file(const std::filesystem::path& file, TornTail torn_tail,
                                  KeptRecords kept = KeptRecords::whole);

// Does the same with the file's bytes; errors name `file`.
JournalContents parse_journal(const ReadBytes& read, const std::string& file, TornTail torn_tail,
                              KeptRecords kept = KeptRecords::whole);

// Returns how the case of a record ended, without record_sha256.
CaseEnd case_end(const Record& record);

// Returns how the cases ended, in order, with or without kept records.
std::vector<CaseEnd> case_ends(const JournalContents& contents);

// Returns the environment of the last cases, as in env.json without "load"; one without cases (a node that
// only submitted or merged) counts only if there is no other. If several environments differ, so that times
// are not comparable, "comparability" says so.
Json environment_of_run(const JournalContents& journal);

// Returns whether a process on this machine, or on one that shares its locks, has the journal of a bundle
// open. Throws Error(io) if there is none.
bool is_being_written(const std::filesystem::path& bundle);

// An open journal, locked against a second writer.
class Journal {
 public:
  // Begins a new journal. Throws Error(io), also if one exists.
  static Journal create(const std::filesystem::path& bundle, const SweepPlan& plan, const std::string& run_id,
                        const std::string& started_utc, const JsonBox& environment = {});

  // Begins a new journal with this header (of merged shards, of a comparison). case_names are read from
  // cases_text. Throws Error(io), Error(verification) if plan_sha256 does not match cases_text.
  static Journal create(const std::filesystem::path& bundle, JournalHeader header);

  // Continues a journal and, if `now` has a time, records when and where: removes a torn last line and files
  // left by a killed write. Throws like read_journal(), and Error(input) if the run has ended with all of its
  // cases, or if `planned` is another plan, naming what differs first, or another build of the program;
  // Error(io) if another process is writing to it. The header of a comparison
  // says what is compared now: Error(input) also for other programs of its sides, Error(not_comparable) for
  // another machine.
  static Journal resume(const std::filesystem::path& bundle, const JournalHeader& planned,
                        const JournalResumption& now);

  // Appends a record, which is on disk on return. Throws Error(io), and Error(not_comparable) for a program
  // that is another one in earlier records (GuestsSeen); then the journal is unchanged.
  void append(const Record& record);

  // Records in the same way that what follows ran elsewhere.
  void append(const JournalResumption& elsewhere);

  // Appends units of a comparison, a pair or a failed one. After it returns, a kill of this process loses
  // nothing; a power cut may lose the last pairs: waiting for the disk would disturb what is timed next.
  void append_units(std::span<const Record> units);

  // Returns the lock: no other process writes to the bundle until it is destroyed. The journal must not be
  // used afterwards.
  Descriptor take_lock() { return std::move(locked_); }

  // Closes the file in a forked child, so that the lock does not outlive the parent. The child must neither
  // use nor destroy this journal afterwards.
  void release_in_child() const;

  const std::filesystem::path& bundle() const { return bundle_; }
  const JournalHeader& header() const { return header_; }
  const JsonBox& environment() const { return environment_; }  // that of the next line
  std::size_t resumptions() const { return resumptions_; }
  // Of the cases with a record, in the order of the records; without record_sha256.
  const std::vector<CaseEnd>& ends() const { return ends_; }
  bool has(std::string_view case_name) const;
  const GuestsSeen& guests() const { return guests_; }  // of these
  // Reads the records back from the file. Throws like read_journal().
  std::vector<Record> records() const;

 private:
  Journal(std::filesystem::path bundle, JournalContents contents);
  void append_line(Json line);
  void remember(CaseEnd end);
  Json mark_log();

  std::filesystem::path bundle_;
  JournalHeader header_;
  JsonBox environment_;
  std::size_t resumptions_ = 0;
  std::vector<CaseEnd> ends_;
  GuestsSeen guests_;
  std::unordered_set<std::string> finished_;  // the names of those
  std::uint64_t log_bytes_ = 0;               // of bench.log, as marked in the last line
  std::uint64_t size_bytes_ = 0;
  std::string last_line_sha256_;
  Descriptor locked_;
};

}  // namespace aqbench
