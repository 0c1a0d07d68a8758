// The process of a method, and spies in it.
#include "harness/running/method_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.h"
#include "core/sandbox/sandbox.h"
#include "harness/planning/case_options.h"
#include "harness/running/case_input.h"
#include "harness/running/journal.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "scenes/dataset/recording.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

namespace fs = std::filesystem;

// Looks for truth, cache and bundles in the given places ($3, $4, $6) and elsewhere, and at the processes
// that started it; tries to spoil what it finds. Each success is a line that begins with "SPY".
constexpr const char* kSpy = R"(
for place in "$3" "$4" "$6"; do
  find "$place" -type f 2>/dev/null | sed 's/^/SPY found /'
  for file in "$place"/*/truth/scene.json "$place"/*/truth/*/depth.npy "$place"/*.json "$place"/journal.jsonl; do
    head -c 1 "$file" >/dev/null 2>&1 && echo "SPY read $file"
    ln "$file" "$2/link" 2>/dev/null && echo "SPY linked $file"
    ln -s "$file" "$2/soft" 2>/dev/null; head -c 1 "$2/soft" >/dev/null 2>&1 && echo "SPY read $file by a link"
    rm -f "$2/soft"
    truncate -s 0 "$file" 2>/dev/null && [ -e "$file" ] && echo "SPY cut $file"
    mv "$file" "$2/moved" 2>/dev/null && echo "SPY moved $file"
  done
  (echo spoiled > "$place/spoiled") 2>/dev/null && echo "SPY wrote into $place"
  mv "$place" "$2/taken" 2>/dev/null && echo "SPY moved $place"
  rm -rf "$place" 2>/dev/null
done
(echo spoiled > "$1/images/spoiled") 2>/dev/null && echo "SPY wrote into the dataset"
rm -rf "$1/images" 2>/dev/null && echo "SPY removed images"
find / \( -path /proc -o -path /sys -o -path /usr \) -prune -o \
  \( -name depth.npy -o -name scene.json -o -name surface.ply -o -name journal.jsonl \) -print 2>/dev/null |
  sed 's/^/SPY found /'
process=$PPID
while [ "$process" -gt 1 ]; do
  for file in environ mem maps auxv; do
    head -c 1 "/proc/$process/$file" >/dev/null 2>&1 && echo "SPY read $file of process $process"
  done
  for descriptor in "/proc/$process/fd"/*; do
    readlink "$descriptor" >/dev/null 2>&1 && echo "SPY saw $descriptor"
    head -c 1 "$descriptor" >/dev/null 2>&1 && echo "SPY read $descriptor"
  done
  for folder in cwd root; do
    ls "/proc/$process/$folder/" >/dev/null 2>&1 && echo "SPY listed $folder of process $process"
  done
  process=$(cut -d' ' -f4 "/proc/$process/stat")
done
env | grep '^AQBENCH_' | grep -v '^AQBENCH_STAGES=' | sed 's/^/SPY variable /'
grep -q "$5" "$1/calibration.json" && echo "SPY a hash of the truth"
echo done
printf 'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n' > "$2/cloud.ply"
printf 'end_header\n0 0 1.179\n' >> "$2/cloud.ply"
)";

class Spies : public testing::TestWithParam<const char*> {
 protected:
  Spies() {
    ::setenv("AQBENCH_CACHE_DIR", cache().c_str(), 1);
    ::setenv("AQBENCH_ISOLATION", GetParam(), 1);
    fs::create_directories(bundle());
    fs::create_directories(older_bundle());
    std::ofstream(older_bundle() / "journal.jsonl") << "{\"journal\":\"aqbench\"}\n";
    fs::create_directories(folder_.path() / "program");
    std::ofstream(folder_.path() / "program/spy.sh") << kSpy;
  }
  ~Spies() override {
    ::unsetenv("AQBENCH_CACHE_DIR");
    ::unsetenv("AQBENCH_ISOLATION");
  }
  fs::path cache() const { return folder_.path() / "program/cache"; }  // inside the program's own folder
  fs::path bundle() const { return folder_.path() / "program/bundle"; }
  fs::path older_bundle() const { return folder_.path() / "program/old/bundle"; }

  static PlanRequest request() {
    PlanRequest request = test::request_for({"flat_plane"}, {"external"});
    request.images = {"single_pair", "clean", 64, 48};
    return request;
  }
  SweepPlan plan_of_spy() const {
    PlanRequest asked = request();
    asked.sets = {parse_override("external.command=/bin/sh " + (folder_.path() / "program/spy.sh").string() +
                                 " {dataset} {output} " + cache().string() + " " + bundle().string() + " " +
                                 dataset_key(plan_dataset(dataset_request(plan_sweep(request()).cases[0]))) +
                                 " " + older_bundle().string())};
    return plan_sweep(asked);
  }
  bool skipped(const std::string& isolation) const { return isolation.starts_with("none"); }

  test::TemporaryFolder folder_;
};

TEST_P(Spies, AnExternalProgramFindsNoTruthAndSpoilsNothing) {
  const SweepPlan plan = plan_of_spy();
  Journal journal = test::new_journal(bundle(), plan);
  run_sweep(plan, journal, {});
  const std::vector<Record> records = journal.records();
  ASSERT_THAT(records, SizeIs(1));
  const Record& record = records[0];
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  if (skipped(record.isolation)) GTEST_SKIP() << record.isolation;
  EXPECT_THAT(record.isolation, HasSubstr(std::string(GetParam()) == "both" ? "landlock" : GetParam()));
  const std::string log = read_file(bundle() / "logs" / (file_name_of(record.case_name) + ".log"));
  EXPECT_THAT(log, Not(HasSubstr("SPY")));
  EXPECT_THAT(log, HasSubstr("done"));
  // The cache is as it was rendered, and the bundle as it was written.
  for (const auto& entry : fs::directory_iterator(cache()))
    if (entry.is_directory()) {
      EXPECT_EQ(dataset_sha256(read_contents(entry.path())), record.dataset_sha256);
    }
  EXPECT_EQ(read_journal(bundle(), TornTail::refuse).records.size(), 1U);
}

// More names than any limit of a partial search, and a truth that was committed.
TEST_P(Spies, ATruthAmongManyNamesAndAHistoryAreOutOfReach) {
  constexpr int kNames = 60'000;
  const fs::path program = folder_.path() / "program", dataset = program / "deep/a/b/c/d/tank";
  fs::create_directories(dataset / "truth");
  fs::create_directories(program / ".git");
  fs::create_directories(program / "many");
  fs::create_directories(program / ".docker");
  for (const fs::path& file : {dataset / "calibration.json", dataset / "truth/scene.json",
                               program / ".git/HEAD", program / "sibling", program / "credentials.toml",
                               program / ".env", program / "token", program / ".docker/config.json"})
    std::ofstream(file) << "text\n";
  for (int i = 0; i < kNames; ++i)
    fs::create_hard_link(program / "sibling", program / "many" / std::to_string(i));
  std::ofstream(program / "look.sh") << R"(
    for file in deep/a/b/c/d/tank/truth/scene.json .git/HEAD credentials.toml .env token .docker/config.json
    do
      cat "$2/$file" >/dev/null 2>&1 && echo "SPY read $file"
    done
    cat "$2/sibling" "$2/many/7"; ls "$2" | grep -c sibling
    printf 'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n' > "$1/cloud.ply"
    printf 'property float z\nend_header\n0 0 1.179\n' >> "$1/cloud.ply")";
  PlanRequest asked = request();
  asked.sets = {parse_override("external.command=/bin/sh " + (program / "look.sh").string() + " {output} " +
                               program.string())};
  const SweepPlan plan = plan_sweep(asked);
  Journal journal = test::new_journal(bundle(), plan);
  run_sweep(plan, journal, {});
  const Record record = journal.records().at(0);
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  if (skipped(record.isolation)) GTEST_SKIP() << record.isolation;
  EXPECT_THAT(record.isolation, testing::EndsWith("; network open"));
  const std::string log = read_file(bundle() / "logs" / (file_name_of(record.case_name) + ".log"));
  EXPECT_THAT(log, testing::StartsWith("text\ntext\n"));
  if (std::string(GetParam()) != "landlock") {  // which alone lets no folder with something hidden be listed
    EXPECT_EQ(log, "text\ntext\n1\n");
  }
}

// What code of a method of this program itself can reach. Returns what it should not.
std::string reached_by_method(const fs::path& cache, const fs::path& bundle, const std::string& key) {
  std::string reached;
  const auto readable = [](const fs::path& file) {
    std::array<char, 1> byte{};
    const Descriptor opened(::open(file.c_str(), O_RDONLY));
    return opened.get() >= 0 && ::read(opened.get(), byte.data(), 1) == 1;
  };
  for (const fs::path& file : {cache / key / "truth/scene.json", cache / key / "truth/cam00/depth.npy",
                               cache / (key + ".json"), bundle / "journal.jsonl"})
    if (readable(file)) reached += "read " + file.string() + "; ";
  if (!std::ofstream(bundle / "journal.jsonl", std::ios::app).fail()) reached += "wrote the journal; ";
  if (::unlink((cache / key / "truth/cam00/depth.npy").c_str()) == 0) reached += "removed a truth; ";
  for (const char* file : {"mem", "environ", "maps"})
    if (readable(fs::path("/proc") / std::to_string(::getppid()) / file))
      reached += std::string(file) + " of its parent; ";
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone).string();
    if (target.starts_with(cache.string()) || target.starts_with(bundle.string()))
      reached += "open " + target + "; ";
  }
  return reached;
}

TEST_P(Spies, ABuiltInMethodReachesNoTruthEither) {
  const Case planned = plan_sweep(request()).cases[0];
  std::ofstream(bundle() / "journal.jsonl") << "a record\n";
  const std::string key = dataset_key(plan_dataset(dataset_request(planned)));
  CaseBoard board;
  const fs::path scratch = folder_.path() / "scratch";
  fs::create_directory(scratch);
  board.set_scratch_dir(scratch);
  board.hide(bundle());
  const IsolateOutcome outcome = run_isolated(
      [&] {
        const Descriptor journal(::open((bundle() / "journal.jsonl").c_str(), O_RDWR));
        const MethodTask task = method_task(planned, find_method("sparse"), scratch, board);
        MethodProcess process(task, board, scratch,
                              [&] { return reached_by_method(cache(), bundle(), key); });
        const CaseDataset dataset = make_case_dataset(planned, scratch);
        return process.run().result;
      },
      {.timeout_s = 60});
  ASSERT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.message;
  if (skipped(board.isolation())) GTEST_SKIP() << board.isolation();
  EXPECT_EQ(outcome.result, "");
  EXPECT_TRUE(fs::exists(cache() / key / "truth/cam00/depth.npy"));
}

// Another case has its scratch folder beside this one's, and a library that was replaced while the program
// ran is mapped from a folder that is not a library's: a method that may read the folder above sees neither.
TEST_P(Spies, AMethodThatMayReadAllTemporaryFilesSeesNoneOfOtherCases) {
  const test::TemporaryFolder elsewhere;
  const fs::path all = folder_.path() / "all", scratch = all / "aqbench_000000",
                 other = all / "aqbench_111111";
  const fs::path later = all / "aqbench_222222", own = all / "of_the_user",
                 mapped = elsewhere.path() / "mapped";
  for (const fs::path& place : {scratch, other, mapped}) fs::create_directories(place);
  for (const fs::path& file : {other / "cloud.ply", mapped / "secret", own}) std::ofstream(file) << "points";
  PlanRequest asked = request();
  asked.sets = {parse_override("external.command=cat " + all.string() + " {output}")};
  const Case planned = plan_sweep(asked).cases[0];
  CaseBoard board;
  board.set_scratch_dir(scratch);
  const fs::path ready = scratch / kWorkFolder / "ready";
  const auto body = [&] {
    const Descriptor library(::open((mapped / "lib.so").c_str(), O_RDWR | O_CREAT, 0600));
    EXPECT_EQ(::ftruncate(library.get(), 4096), 0);
    EXPECT_NE(::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, library.get(), 0), MAP_FAILED);
    fs::remove(mapped / "lib.so");
    const MethodTask task = method_task(planned, find_method("external"), scratch, board);
    MethodProcess process(task, board, scratch, [&] {
      std::string reached;
      for (int i = 0; i < 500 && !fs::exists(ready); ++i) ::usleep(10'000);
      for (const fs::path& file : {other / "cloud.ply", later / "cloud.ply", mapped / "secret", own})
        if (std::ifstream(file).get() == 'p') reached += file.filename().string() + "; ";
      return reached;
    });
    const CaseDataset dataset = make_case_dataset(planned, scratch);
    std::jthread next_case([&] {
      for (int i = 0; i < 5000 && board.isolation().empty(); ++i) ::usleep(1000);
      fs::create_directory(later);
      std::ofstream(later / "cloud.ply") << "points";
      std::ofstream(ready) << "now";
    });
    const IsolateOutcome end = process.run();
    return end.result + end.message;
  };
  const IsolateOutcome outcome = run_isolated(body, {.timeout_s = 60});
  ASSERT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.message;
  if (skipped(board.isolation())) GTEST_SKIP() << board.isolation();
  EXPECT_EQ(outcome.result, "of_the_user; ") << "what is there when it starts, and no other case's";
}

// Returns whether a process has this word in its command line.
bool runs(const std::string& word) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    if (line.find(word) != line.npos) return true;
  }
  return false;
}

// The program leaves a daemon behind, and kills process 1 and the supervisor that would end the daemon.
TEST_P(Spies, ADaemonIsGoneWithItsCaseAndProcessesOutsideAreOutOfReach) {
  if (std::string(GetParam()) == "landlock") GTEST_SKIP() << "Landlock hides no processes";
  const std::string daemon = "98.7" + std::to_string(::getpid());
  std::ofstream(folder_.path() / "program/daemon.sh")
      << "ls -d /proc/[0-9]* | wc -l | sed 's/^/sees /'\n"
      << "kill -0 " << ::getpid() << " && echo reaches it\n"
      << "setsid sh -c 'setsid sleep " << daemon << " &'\nkill -9 1 $PPID\n";
  PlanRequest asked = request();
  asked.sets = {parse_override("external.command=/bin/sh " + (folder_.path() / "program/daemon.sh").string() +
                               " {output}")};
  const SweepPlan plan = plan_sweep(asked);
  Journal journal = test::new_journal(bundle(), plan);
  run_sweep(plan, journal, {});
  const Record record = journal.records().at(0);
  EXPECT_EQ(record.status, Status::failed);
  if (!record.isolation.ends_with("own processes; network open")) GTEST_SKIP() << record.isolation;
  EXPECT_FALSE(runs(daemon));
  // Landlock keeps signals among the program's own processes.
  if (std::string(GetParam()) == "namespace") {
    EXPECT_THAT(record.reason, HasSubstr("lost its supervisor"));
  }
  const std::string log = read_file(bundle() / "logs" / (file_name_of(record.case_name) + ".log"));
  EXPECT_THAT(log, Not(HasSubstr("reaches it\n")));
  // Process 1, its child, the supervisor, the program, and those that count.
  EXPECT_THAT(log, testing::ContainsRegex("sees [4-8]\n"));
}

INSTANTIATE_TEST_SUITE_P(Means, Spies, testing::Values("landlock", "namespace", "both"),
                         [](const auto& means) { return std::string(means.param); });

// Without isolation the record says so, and a truth that is changed meanwhile is found.
TEST(NotIsolated, IsSaidAndAChangedTruthIsFound) {
  const test::TemporaryFolder folder;
  ::setenv("AQBENCH_CACHE_DIR", (folder.path() / "cache").c_str(), 1);
  ::setenv("AQBENCH_ISOLATION", "off", 1);
  std::ofstream(folder.path() / "spoil.sh")
      << "for depth in \"$3\"/*/truth/cam00/depth.npy; do echo > \"$depth\"; done\n"
         "printf 'ply\\nformat ascii 1.0\\nelement vertex 1\\nproperty float x\\nproperty float y\\n' > "
         "\"$2/cloud.ply\"\n"
         "printf 'property float z\\nend_header\\n0 0 1.179\\n' >> \"$2/cloud.ply\"\n";
  PlanRequest request = test::request_for({"flat_plane"}, {"external"});
  request.images = {"single_pair", "clean", 64, 48};
  request.sets = {parse_override("external.command=/bin/sh " + (folder.path() / "spoil.sh").string() +
                                 " {dataset} {output} " + (folder.path() / "cache").string())};
  const Case planned = plan_sweep(request).cases[0];
  CaseBoard board;
  const IsolateOutcome outcome =
      run_isolated([&] { return encode_case_result(run_case(planned, board)); }, {.timeout_s = 60});
  ::unsetenv("AQBENCH_CACHE_DIR");
  ::unsetenv("AQBENCH_ISOLATION");
  ASSERT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.message;
  const Record record = decode_case_result(outcome.result).record;
  EXPECT_EQ(record.isolation, "none: switched off by AQBENCH_ISOLATION");
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason, HasSubstr("the dataset changed while the method ran"));
}

}  // namespace
}  // namespace aqbench
