#include "harness/ab/pair_journal.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

#include "core/files.h"
#include "harness/records/sealed_line.h"
#include "tests/harness/ab/support.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

struct PairJournalTest : ::testing::Test {
  PairJournalTest() {
    samples = test::samples_of({test::case_json("x", test::noisy_units(6, 1, 1))});
    for (AbUnit& unit : samples.units) {
      unit.output_sha256 = "abc";
      unit.stages = {{"match", {0.5}}};
    }
    outputs = {{0, AbSide::a, "abc", {{"points", {3.0, "1", Better::higher, ""}}}}};
    header.arguments = {"--a", "old build/aqbench", "--b", "x\ny"};
    header.program_a = "1111";
    header.cases = {{"x", std::nullopt}, {"y", 0.1}};
    header.plans = {"2222", "3333"};
    header.environment = Json{{"cores", 2}};
    header.plan = Json{{"pairs", 6}};
  }
  std::span<const AbUnit> pair(std::size_t i) const { return std::span(samples.units).subspan(2 * i, 2); }
  std::filesystem::path file() const { return folder.path() / kPairJournalFile; }

  TemporaryDirectory folder;
  AbSamples samples;
  std::vector<AbOutput> outputs;
  PairJournalHeader header;
};

TEST_F(PairJournalTest, GivesBackWhatWasAppended) {
  {
    PairJournal journal = PairJournal::create(folder.path(), header);
    journal.append(pair(0), outputs);
    journal.append(pair(1), {});
    journal.append(pair(2).first(1), {});
  }
  const PairJournalContents contents = read_pair_journal(folder.path());
  EXPECT_EQ(contents.header.arguments, header.arguments);
  EXPECT_EQ(contents.header.program_a, "1111");
  ASSERT_EQ(contents.header.cases.size(), 2u);
  EXPECT_EQ(contents.header.cases[0].name, "x");
  EXPECT_EQ(contents.header.cases[0].tau, std::nullopt);
  EXPECT_EQ(contents.header.cases[1].tau, 0.1);
  EXPECT_EQ(contents.header.plans, header.plans);
  EXPECT_EQ(contents.header.environment, header.environment);
  EXPECT_EQ(contents.header.plan, header.plan);
  ASSERT_EQ(contents.samples.units.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(to_json(contents.samples.units[i]).dump(), to_json(samples.units[i]).dump());
  EXPECT_EQ(to_json(contents.samples.outputs.at(0)).dump(), to_json(outputs[0]).dump());
  EXPECT_EQ(contents.good_bytes, std::filesystem::file_size(file()));
}

TEST_F(PairJournalTest, ALineThatWasCutOffIsLeftOutAndGoesWhenItIsGoneOnWith) {
  {
    PairJournal journal = PairJournal::create(folder.path(), header);
    journal.append(pair(0), {});
    journal.append(pair(1), {});
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 5);
  {
    PairJournalContents cut;
    PairJournal journal = PairJournal::resume(folder.path(), cut);
    EXPECT_EQ(cut.samples.units.size(), 2u);
    journal.note_resumed("2026-11-21T12:00:00Z");
    journal.append(pair(1), {});
  }
  const PairJournalContents again = read_pair_journal(folder.path());
  EXPECT_EQ(again.samples.units.size(), 4u);
  EXPECT_EQ(again.resumed_utc, std::vector<std::string>{"2026-11-21T12:00:00Z"});
}

// The first of two that go on at once ends the comparison and removes the file while the other one waits.
TEST_F(PairJournalTest, AFileThatWentWhileItsLockWasWaitedForIsRefused) {
  std::optional<PairJournal> first(PairJournal::create(folder.path(), header));
  std::jthread ending([&](const std::stop_token& stop) {
    const auto opened = [&] {
      int descriptors = 0;
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        descriptors += std::filesystem::equivalent(entry.path(), file(), ignored);
      return descriptors;
    };
    while (opened() < 2 && !stop.stop_requested()) std::this_thread::yield();
    std::filesystem::remove(file());
    first.reset();
  });
  PairJournalContents contents;
  EXPECT_THAT(test::error_of(ErrorKind::io, [&] { PairJournal::resume(folder.path(), contents); }),
              HasSubstr("pairs.jsonl: another process removed or replaced it meanwhile"));
}

TEST_F(PairJournalTest, DamageAndASecondWriterAreNamed) {
  const auto refused = [&](ErrorKind kind) {
    return test::error_of(kind, [&] { read_pair_journal(folder.path()); });
  };
  EXPECT_THAT(refused(ErrorKind::input), HasSubstr(kPairJournalFile));
  {
    PairJournal journal = PairJournal::create(folder.path(), header);
    PairJournalContents contents;
    EXPECT_THAT(test::error_of(ErrorKind::io, [&] { PairJournal::resume(folder.path(), contents); }),
                HasSubstr("another process"));
    journal.append(pair(0), {});
  }
  const std::string good = read_file(file());
  write_file(file(), good + "{\"units\":[{}],\"outputs\":[]}\n");
  EXPECT_THAT(refused(ErrorKind::verification),
              HasSubstr("pairs.jsonl line 3: its sha256 is missing at the end"));
  const std::string sealed = seal_line({{"prev", std::string(64, '0')}, {"units", Json::array()}});
  write_file(file(), good + sealed + "\n");
  EXPECT_THAT(refused(ErrorKind::verification),
              HasSubstr("line 3: its hash of the previous line does not match"));
  std::string changed = good;
  changed[changed.rfind("0.5")] = '9';
  write_file(file(), changed);
  EXPECT_THAT(refused(ErrorKind::verification), HasSubstr("line 2: its sha256 does not match"));
  write_file(file(), good + "not json\n");
  EXPECT_THAT(refused(ErrorKind::verification), HasSubstr("line 3"));
  write_file(file(), std::string(200, '{') + "\n");
  EXPECT_THAT(refused(ErrorKind::input), HasSubstr("line 1"));
  std::string later = good;
  later.replace(later.find("\"aqbench_pairs\":4"), 17, "\"aqbench_pairs\":9");
  write_file(file(), later);
  EXPECT_THAT(refused(ErrorKind::not_comparable), HasSubstr("version 9"));
}

}  // namespace
}  // namespace aqbench
