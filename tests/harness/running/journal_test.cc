#include "harness/running/journal.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/processes/isolate.h"
#include "core/sha256.h"
#include "harness/records/json_parts.h"
#include "harness/records/results.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using test::quick_result;
using test::resume;
using test::small_plan;
using testing::HasSubstr;
using testing::SizeIs;

// A folder with a journal in which the first `finished` of the plan's cases stand.
void write_journal(const std::filesystem::path& bundle, const SweepPlan& plan, std::size_t finished) {
  Journal journal = test::new_journal(bundle, plan);
  for (std::size_t i = 0; i < finished; ++i) journal.append(quick_result(plan.cases[i]).record);
}

struct JournalFile : testing::Test {
  // What its journal is refused for.
  std::string refusal(ErrorKind kind = ErrorKind::verification) const {
    return error_of(kind, [&] { read_journal(folder.path(), TornTail::refuse); });
  }
  const test::TemporaryFolder folder;
};

TEST_F(JournalFile, ReadsBackWhatWasAppended) {
  const SweepPlan plan = small_plan(3);
  write_journal(folder.path(), plan, 2);
  const JournalContents contents = read_journal(folder.path(), TornTail::refuse);
  EXPECT_EQ(contents.header.run_id, test::kStamp);
  EXPECT_EQ(contents.header.started_utc, test::kStarted);
  EXPECT_EQ(contents.header.plan_sha256, plan.sha256);
  EXPECT_THAT(contents.header.case_names, SizeIs(3));
  EXPECT_EQ(requested_json(contents.header.request).dump(), requested_json(plan.request).dump());
  ASSERT_THAT(contents.records, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(to_json(contents.records[i]).dump(), to_json(quick_result(plan.cases[i]).record).dump());
}

TEST_F(JournalFile, EndsStandForRecordsThatAreNotKept) {
  const SweepPlan plan = small_plan(3);
  write_journal(folder.path(), plan, 2);
  const JournalContents whole = read_journal(folder.path(), TornTail::refuse);
  const JournalContents ends = read_journal(folder.path(), TornTail::refuse, KeptRecords::ends);
  EXPECT_THAT(ends.records, SizeIs(0));
  EXPECT_EQ(ends.last_line_sha256, whole.last_line_sha256);
  const std::vector<CaseEnd> given = case_ends(ends), computed = case_ends(whole);
  ASSERT_THAT(given, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(given[i].case_name, plan.cases[i].name);
    EXPECT_EQ(given[i].record_sha256, sha256_hex(record_text(whole.records[i])));
    EXPECT_EQ(given[i].record_sha256, computed[i].record_sha256);
  }
}

// The chain as the header documents it, followed with nothing but JSON and SHA-256.
TEST_F(JournalFile, ChainIsWhatItsDocumentationSays) {
  const SweepPlan plan = small_plan(3);
  write_journal(folder.path(), plan, 3);
  std::ifstream file(folder.path() / kJournalFile);
  std::string line, previous;
  for (int number = 0; std::getline(file, line); ++number) {
    Json json = Json::parse(line);
    const std::string stated = json["sha256"].get<std::string>();
    json.erase("sha256");
    EXPECT_EQ(sha256_hex(json.dump()), stated);
    if (number == 0)
      EXPECT_EQ(sha256_hex(json["cases"].dump()), json["plan_sha256"]);
    else
      EXPECT_EQ(json["prev"], sha256_hex(previous));
    previous = line;
  }
}

TEST_F(JournalFile, CutsATornLastLineWhereverItIsTorn) {
  const SweepPlan plan = small_plan(2);
  write_journal(folder.path(), plan, 2);
  const std::string whole = test::journal_text(folder.path());
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last + 1; size < whole.size(); size += 37) {
    test::put_journal(folder.path(), whole.substr(0, size));
    EXPECT_THAT(refusal(), HasSubstr("line 3: is truncated"));
    Journal journal = resume(folder.path(), plan);
    ASSERT_THAT(journal.records(), SizeIs(1));
    ASSERT_EQ(test::journal_text(folder.path()), whole.substr(0, last));
    journal.append(quick_result(plan.cases[1]).record);
    ASSERT_EQ(test::journal_text(folder.path()), whole);
  }
}

TEST_F(JournalFile, FindsEveryChangedByte) {
  const SweepPlan plan = small_plan(2);
  write_journal(folder.path(), plan, 2);
  const std::string whole = test::journal_text(folder.path());
  std::size_t cut = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {1, 0x20, 0x80}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      ASSERT_THROW(parse_journal(bytes_of_text(damaged), "j", TornTail::refuse), Error) << at;
      // Going on is refused too, unless the damage is indistinguishable from a line that was cut off.
      try {
        ASSERT_TRUE(parse_journal(bytes_of_text(damaged), "j", TornTail::accept).torn_tail) << at;
        ++cut;
        ASSERT_EQ(at, whole.size() - 1);
      } catch (const Error& error) {
        ASSERT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::verification)) << error.what();
      }
    }
  }
  EXPECT_EQ(cut, 3U) << "the last line break";
}

TEST_F(JournalFile, FindsLinesTakenOutPutInAndSwapped) {
  const test::TemporaryFolder other;
  const SweepPlan plan = small_plan(3);
  write_journal(folder.path(), plan, 3);
  std::vector<std::string> lines;
  std::ifstream file(folder.path() / kJournalFile);
  for (std::string line; std::getline(file, line);) lines.push_back(line + "\n");
  const auto refused = [&](const std::string& bytes) {
    test::put_journal(folder.path(), bytes);
    return error_of(ErrorKind::verification, [&] { read_journal(folder.path(), TornTail::accept); });
  };
  EXPECT_THAT(refused(lines[0] + lines[2] + lines[3]), HasSubstr("line 2: its hash of the previous line"));
  EXPECT_THAT(refused(lines[0] + lines[1] + lines[3] + lines[2]),
              HasSubstr("line 3: its hash of the previous line"));
  EXPECT_THAT(refused(lines[0] + lines[1] + lines[1]), HasSubstr("line 3: its hash of the previous line"));
  EXPECT_THAT(refused(lines[1] + lines[2]), HasSubstr("line 1"));
  EXPECT_THAT(refused(lines[0] + "\n" + lines[1]), HasSubstr("line 2: its sha256 is missing at the end"));
  EXPECT_THAT(refused(""), HasSubstr("is empty"));
  EXPECT_THAT(refused(lines[0].substr(0, 100)), HasSubstr("line 1: is truncated"));
  EXPECT_THAT(refused(std::string(5000, '\0') + "\n"), HasSubstr("zero byte"));
  // What a power cut can leave behind a whole line is a torn tail.
  test::put_journal(folder.path(), lines[0] + lines[1] + std::string(5000, '\0'));
  const JournalContents cut = read_journal(folder.path(), TornTail::accept);
  EXPECT_TRUE(cut.torn_tail);
  EXPECT_EQ(cut.good_bytes, (lines[0] + lines[1]).size());
  EXPECT_EQ(cut.records.size(), 1u);
}

TEST_F(JournalFile, RefusesRecordsThatWereNotPlannedOrStandTwice) {
  const SweepPlan plan = small_plan(1), more = small_plan(2);
  {
    Journal journal = test::new_journal(folder.path(), plan);
    journal.append(quick_result(more.cases[1]).record);
  }
  EXPECT_THAT(refusal(), HasSubstr("was not planned or is a duplicate"));
  const test::TemporaryFolder twice;
  {
    Journal journal = test::new_journal(twice.path(), plan);
    journal.append(quick_result(plan.cases[0]).record);
    journal.append(quick_result(plan.cases[0]).record);
  }
  EXPECT_THAT(error_of(ErrorKind::verification, [&] { resume(twice.path(), plan); }), HasSubstr("line 3"));
}

TEST_F(JournalFile, ResumesOnlyTheSamePlan) {
  write_journal(folder.path(), small_plan(2), 1);
  const std::string before = test::journal_text(folder.path());
  EXPECT_THAT(error_of(ErrorKind::input, [&] { resume(folder.path(), small_plan(3)); }),
              HasSubstr("case flat_plane/roma_like/seed=44 was not planned then"));
  EXPECT_EQ(test::journal_text(folder.path()), before);
  const test::TemporaryFolder empty;
  EXPECT_THAT(error_of(ErrorKind::input, [&] { resume(empty.path(), small_plan(1)); }),
              HasSubstr("journal.jsonl: no such file"));
  EXPECT_THAT(error_of(ErrorKind::io, [&] { test::new_journal(folder.path(), small_plan(2)); }),
              HasSubstr("exists already"));
}

TEST_F(JournalFile, RefusesAnotherSchemaAsNotComparable) {
  write_journal(folder.path(), small_plan(1), 0);
  std::string text = test::journal_text(folder.path());
  Json json = Json::parse(text);
  json.erase("sha256");
  json["schema_version"] = 2;
  const std::string hash = sha256_hex(json.dump());
  json["sha256"] = hash;
  test::put_journal(folder.path(), json.dump() + "\n");
  EXPECT_THAT(refusal(ErrorKind::not_comparable), HasSubstr("schema_version 2, this program reads 3"));
}

TEST_F(JournalFile, KeepsEnvironmentsAndMarksTheLog) {
  const SweepPlan plan = small_plan(2);
  const Record first = quick_result(plan.cases[0]).record, second = quick_result(plan.cases[1]).record;
  {
    Journal journal = Journal::create(folder.path(), plan, test::kStamp, test::kStarted, Json{{"cpu", 1}});
    std::ofstream(folder.path() / kLogFile) << "one\n";
    journal.append(first);
  }
  {
    Journal journal = resume(folder.path(), plan, {"2026-01-31T12:10:00Z", Json{{"cpu", 2}}});
    std::ofstream(folder.path() / kLogFile, std::ios::app) << "two\n";
    journal.append(second);
  }
  const JournalContents contents = read_journal(folder.path(), TornTail::refuse);
  EXPECT_THAT(contents.records, SizeIs(2));
  EXPECT_EQ(*contents.header.environment, (Json{{"cpu", 1}}));
  ASSERT_THAT(contents.resumptions, SizeIs(1));
  EXPECT_EQ(contents.resumptions[0].utc, "2026-01-31T12:10:00Z");
  EXPECT_EQ(*contents.resumptions[0].environment, (Json{{"cpu", 2}}));
  std::vector<std::uint64_t> bytes;
  for (const LogMark& mark : contents.log_marks) bytes.push_back(mark.bytes);
  EXPECT_THAT(bytes, testing::ElementsAre(4u, 8u));
  EXPECT_EQ(contents.log_marks[1].sha256, sha256_hex("two\n"));
}

TEST_F(JournalFile, RemovesWhatAKilledWriteLeftBehind) {
  const SweepPlan plan = small_plan(1);
  write_journal(folder.path(), plan, 0);
  std::filesystem::create_directory(folder.path() / "tiles");
  for (const char* name :
       {"tiles/a.csv.tmp123.0", "summary.md.tmp9", "tiles/keep.tmp", "tiles/keep.tmpx1", "b.csv"})
    std::ofstream(folder.path() / name) << "x";
  resume(folder.path(), plan);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "tiles/a.csv.tmp123.0"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "summary.md.tmp9"));
  for (const char* name : {"tiles/keep.tmp", "tiles/keep.tmpx1", "b.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
}

// A disk that is full in the middle of a line, at every size of the last line: in a child, because the limit
// is on the process.
TEST_F(JournalFile, AFullDiskLeavesNoHalfLine) {
  const SweepPlan plan = small_plan(2);
  write_journal(folder.path(), plan, 1);
  const std::string before = test::journal_text(folder.path());
  for (const std::size_t room : {0, 1, 100, 500}) {
    const IsolateOutcome outcome = run_isolated(
        [&]() -> std::string {
          ::signal(SIGXFSZ, SIG_IGN);
          Journal journal = resume(folder.path(), plan);
          const rlimit limit{before.size() + room, before.size() + room};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          try {
            journal.append(quick_result(plan.cases[1]).record);
          } catch (const Error& error) {
            return error.kind() == ErrorKind::io && journal.records().size() == 1 ? error.what()
                                                                                  : "wrong kind";
          }
          return "no error";
        },
        {.timeout_s = 20});
    EXPECT_THAT(outcome.result, HasSubstr("journal.jsonl: File too large"));
    ASSERT_EQ(test::journal_text(folder.path()), before);
  }
  Journal journal = resume(folder.path(), plan);
  journal.append(quick_result(plan.cases[1]).record);
  EXPECT_THAT(read_journal(folder.path(), TornTail::refuse).records, SizeIs(2));
}

TEST_F(JournalFile, AFolderThatCannotBeWrittenIsAnIoError) {
  EXPECT_THAT(error_of(ErrorKind::io, [] { test::new_journal("/proc", small_plan(1)); }),
              HasSubstr("/proc/journal.jsonl"));
}

// Times of two machines are not those of one. Nodes that only submitted or merged have measured nothing.
TEST(EnvironmentOfRun, IsThatInWhichCasesWereRun) {
  const auto machine = [](const char* cpu) {
    return Json{{"cpu", cpu}, {"comparability", {{"cpu_model", cpu}}}};
  };
  JournalContents journal;
  journal.header.environment = machine("submits");
  journal.resumptions = {{"2026-01-31T11:00:00Z", machine("a"), 0},
                         {"2026-01-31T12:00:00Z", machine("b"), 0}};
  EXPECT_EQ(environment_of_run(journal), machine("b"));
  journal.measured_lines = 2;
  journal.resumptions.back().after = 2;
  EXPECT_EQ(environment_of_run(journal), machine("a"));
  journal.resumptions.back().after = 1;
  const Json mixed = environment_of_run(journal);
  EXPECT_EQ(mixed.at("cpu"), "b");
  EXPECT_THAT(mixed.at("comparability").at("mixed").get<std::string>(), HasSubstr("with other settings"));
}

}  // namespace
}  // namespace aqbench
