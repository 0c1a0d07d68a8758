// Killed sweeps and killed comparisons, which resume through the same code.
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/files.h"
#include "core/sha256.h"
#include "harness/running/journal.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using test::quick_result;
using test::resume;
using test::small_plan;
using testing::HasSubstr;
using testing::SizeIs;

// A sweep or a comparison of six measured lines.
struct MeasuredRun {
  std::string name;
  std::function<Journal(const std::filesystem::path&)> begin, resume;
  std::function<void(Journal&, std::size_t)> measure;
};

JournalHeader header_of_comparison() {
  JournalHeader header;
  header.run_id = test::kStamp;
  header.started_utc = test::kStarted;
  header.program_sha256 = "1111";
  header.sides = ComparedSides{
      {"--a", "old build/aqbench", "--b", "x\ny"}, {"2222:3333", "4444"}, Json{{"order_seed", 42}}};
  header.environment = Json{{"comparability", {{"cpu_model", "this"}}}};
  header.cases_text = R"([{"case":"x","tau":null},{"case":"y","tau":0.1}])";
  header.plan_sha256 = sha256_hex(header.cases_text);
  header.all_shards_sha256 = "5555";
  return header;
}

std::vector<Record> pair_of_units(std::size_t pair) {
  std::vector<Record> units(2);
  for (const AbSide side : {AbSide::b, AbSide::a}) {
    Record& unit = units[side == AbSide::b ? 0 : 1];
    unit.case_name = "x";
    unit.status = Status::ok;
    unit.timing.warm_ms = {1.5, 0.25 * static_cast<double>(pair + 1)};
    unit.stages = {{.name = "match", .parent = ""}};
    unit.stages[0].self_ms = {0.5, 0.125};
    unit.unit = UnitOfRecord{.side = side, .pair = pair, .scored = pair == 0};
    if (pair == 0) unit.metrics = {{"points", {3.0, "1", Better::higher, ""}}};
  }
  return units;
}

std::vector<MeasuredRun> both_kinds() {
  const SweepPlan plan = small_plan(6);
  return {{"sweep", [plan](const auto& bundle) { return test::new_journal(bundle, plan); },
           [plan](const auto& bundle) { return resume(bundle, plan); },
           [plan](Journal& journal, std::size_t i) { journal.append(quick_result(plan.cases[i]).record); }},
          {"comparison", [](const auto& bundle) { return Journal::create(bundle, header_of_comparison()); },
           [](const auto& bundle) { return Journal::resume(bundle, header_of_comparison(), {}); },
           [](Journal& journal, std::size_t i) { journal.append_units(pair_of_units(i)); }}};
}

TEST(Journal, AKilledSweepAndAKilledComparisonResumeWithoutLoss) {
  for (const MeasuredRun& run : both_kinds()) {
    SCOPED_TRACE(run.name);
    const test::TemporaryFolder whole, killed;
    {
      Journal journal = run.begin(whole.path()), half = run.begin(killed.path());
      for (std::size_t i = 0; i < 6; ++i) run.measure(journal, i);
      for (std::size_t i = 0; i < 3; ++i) run.measure(half, i);
      EXPECT_THAT(error_of(ErrorKind::io, [&] { run.resume(killed.path()); }),
                  HasSubstr("another process is writing to it"));
    }
    const std::string bytes = test::journal_text(killed.path());
    for (const std::size_t lost : {0, 1, 40}) {  // a line that the kill cut off is measured again
      test::put_journal(killed.path(), bytes.substr(0, bytes.size() - lost));
      Journal journal = run.resume(killed.path());
      const std::size_t kept = lost == 0 ? 3 : 2;
      EXPECT_EQ(read_journal(killed.path(), TornTail::refuse).measured_lines, kept);
      for (std::size_t i = kept; i < 6; ++i) run.measure(journal, i);
      EXPECT_EQ(test::journal_text(killed.path()), test::journal_text(whole.path()));
    }
    EXPECT_EQ(is_comparison(whole.path()), run.name == "comparison");
    std::string damaged = bytes;
    damaged[damaged.rfind("0.5") + 2] = '9';
    test::put_journal(killed.path(), damaged);
    EXPECT_THAT(error_of(ErrorKind::verification, [&] { run.resume(killed.path()); }),
                HasSubstr("its sha256 does not match"));
  }
}

TEST(Journal, UnitsReadBackAsTheyWereMeasured) {
  const test::TemporaryFolder folder;
  {
    Journal journal = Journal::create(folder.path(), header_of_comparison());
    for (std::size_t i = 0; i < 2; ++i) journal.append_units(pair_of_units(i));
  }
  const JournalContents contents = read_journal(folder.path(), TornTail::refuse);
  const JournalHeader expected = header_of_comparison();
  ASSERT_TRUE(contents.header.sides.has_value());
  EXPECT_EQ(contents.header.sides->arguments, expected.sides->arguments);
  EXPECT_EQ(contents.header.sides->programs, expected.sides->programs);
  EXPECT_EQ(contents.header.sides->comparison, expected.sides->comparison);
  EXPECT_EQ(contents.header.cases_text, expected.cases_text);
  ASSERT_THAT(contents.records, SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    const Record measured = pair_of_units(i / 2)[i % 2];
    EXPECT_EQ(to_json(contents.records[i]).dump(), to_json(measured).dump());
    EXPECT_EQ(case_ends(contents)[i].case_name, record_key(measured));
  }
  EXPECT_EQ(record_key(contents.records[2]), "x b 1.1");
  EXPECT_FALSE(to_json(contents.records[3]).contains("metrics")) << "they stand once";
  EXPECT_FALSE(to_json(contents.records[3]).contains("axes")) << "empty members are left out";
}

TEST(Journal, AnotherComparisonIsNotContinued) {
  const test::TemporaryFolder folder;
  Journal::create(folder.path(), header_of_comparison());
  const auto refusal = [&](ErrorKind kind, const std::function<void(JournalHeader&)>& change) {
    JournalHeader now = header_of_comparison();
    change(now);
    return error_of(kind, [&] { Journal::resume(folder.path(), now, {}); });
  };
  EXPECT_THAT(refusal(ErrorKind::input, [](auto& now) { now.sides->programs[0] = "2222:9999"; }),
              HasSubstr("A is another program now: sha256 9999, was 3333"));
  EXPECT_THAT(refusal(ErrorKind::input,
                      [](auto& now) { now.cases_text = R"([{"case":"x","tau":null},{"case":"z"}])"; }),
              HasSubstr("case 2 was 'y' with tau 0.1 and is 'z' now"));
  EXPECT_THAT(refusal(ErrorKind::input, [](auto& now) { now.cases_text = R"([{"case":"x"}])"; }),
              HasSubstr("case 2 was 'y' with tau 0.1 and is none now"));
  EXPECT_THAT(refusal(ErrorKind::input, [](auto& now) { now.all_shards_sha256 = "6666"; }),
              HasSubstr("the cases have other options now"));
  EXPECT_THAT(refusal(ErrorKind::not_comparable,
                      [](auto& now) {
                        now.environment = Json{{"comparability", {{"cpu_model", "that"}}}};
                      }),
              HasSubstr("cpu_model was \"this\" and is \"that\" now"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { resume(folder.path(), small_plan(1)); }),
              HasSubstr("is a comparison; continue it with: aqbench ab --resume"));
}

// The first of two that go on at once ends the run and removes the file while the other one waits.
TEST(Journal, AnotherPlanIsNamedByWhatDiffersFirst) {
  const test::TemporaryFolder folder;
  const SweepPlan plan = small_plan(2);
  { const Journal journal = test::new_journal(folder.path(), plan); }
  const auto refusal = [&](const SweepPlan& now) {
    return error_of(ErrorKind::input, [&] { test::resume(folder.path(), now); });
  };
  const auto planned_again = [](SweepPlan& changed) {
    changed.sha256 = changed.all_shards_sha256 = sha256_hex(cases_text(changed.cases));
  };
  SweepPlan other = plan;
  other.cases[1].options = {{"dataset.sha256", std::string("cd")}};
  planned_again(other);
  EXPECT_THAT(refusal(other), HasSubstr("case flat_plane/roma_like/seed=43: options."));
  EXPECT_THAT(refusal(small_plan(3)), HasSubstr("case flat_plane/roma_like/seed=44 was not planned then"));
  EXPECT_THAT(refusal(small_plan(1)), HasSubstr("case flat_plane/roma_like/seed=43 is not planned now"));
}

TEST(Journal, AFileThatWentWhileItsLockWasWaitedForIsRefused) {
  const test::TemporaryFolder folder;
  const SweepPlan plan = small_plan(1);
  const std::filesystem::path file = folder.path() / kJournalFile;
  std::optional<Journal> first(test::new_journal(folder.path(), plan));
  std::jthread ending([&](const std::stop_token& stop) {
    const auto opened = [&] {
      int descriptors = 0;
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        descriptors += std::filesystem::equivalent(entry.path(), file, ignored);
      return descriptors;
    };
    while (opened() < 2 && !stop.stop_requested()) std::this_thread::yield();
    std::filesystem::remove(file);
    first.reset();
  });
  EXPECT_THAT(error_of(ErrorKind::io, [&] { resume(folder.path(), plan); }),
              HasSubstr("journal.jsonl: another process removed or replaced it meanwhile"));
}

}  // namespace
}  // namespace aqbench
