// The process of a method, and spies in it.
#include "harness/running/method_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sandbox/landlock.h"
#include "harness/records/planned_record.h"
#include "harness/running/case_dataset.h"
#include "harness/running/case_outcome.h"
#include "harness/running/hidden_places.h"
#include "harness/running/journal.h"
#include "harness/running/reconstruction_bytes.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "scenes/dataset/dataset_digest.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;

// Looks for truth, cache and bundles wherever it is told ($3, $4, $6) and elsewhere, and at the processes
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
    PlanRequest request;
    request.scenes = {"flat_plane"};
    request.methods = {"external"};
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
  Journal journal = Journal::create(bundle(), plan, "20260131T120000Z", "2026-01-31T12:00:00Z");
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
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"external"};
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
  EXPECT_THAT(record.reason, HasSubstr("the dataset was changed while the method ran"));
}

CaseResult ok_result(const Case& planned) {
  CaseResult result{planned_record(planned), {}};
  result.record.status = Status::ok;
  result.record.isolation = "landlock ABI 7";
  return result;
}

// Says what becomes of the result of a case whose program sets its parent's limit of open files and its
// processors, as a method can although it is shut in; runs where the change does not last.
std::string outcome_of_meddling(bool simulated, bool for_good) {
  const auto sweep = [&]() -> std::string {
    Case planned;
    planned.name = "undulating/mine/seed=42";
    planned.method = "mine";
    planned.simulated = simulated;
    OwnSettings before = own_settings();
    const pid_t self = ::getpid();
    const auto meddle = [&] {
      rlimit limit{};
      ::prlimit(self, RLIMIT_NOFILE, nullptr, &limit);
      limit.rlim_cur = 64;
      if (for_good) limit.rlim_max = 64;
      return std::to_string(::prlimit(self, RLIMIT_NOFILE, &limit, nullptr));
    };
    if (run_isolated(meddle, {}).result != "0") return "refused";
    CaseResult result = ok_result(planned);
    check_own_settings(planned, before, result);
    CaseResult next = ok_result(planned);
    check_own_settings(planned, before, next);
    return to_string(result.record.status) + " " + result.record.reason + "; " + result.record.isolation +
           "; then " + to_string(next.record.status);
  };
  return run_isolated(sweep, {.timeout_s = 30}).result;
}

TEST(CaseOutcome, AMethodThatChangesHowItsSweepRunsHasFailed) {
  EXPECT_THAT(outcome_of_meddling(false, false),
              AllOf(HasSubstr("failed how its sweep runs was changed meanwhile: limit 7 "),
                    HasSubstr("is now 64 (set back); landlock ABI 7; then ok")));
  EXPECT_THAT(outcome_of_meddling(true, false), HasSubstr("ok ; landlock ABI 7; then ok"))
      << "no program of somebody else's ran: a person changed it";
  if (::geteuid() == 0) return;  // the administrator may set it back
  EXPECT_THAT(outcome_of_meddling(false, true),
              HasSubstr("(cannot be set back: what follows runs so, too); landlock ABI 7; then ok"));
}

TEST(HiddenPlaces, AreBundlesAndTruthsBelowAFolder) {
  const test::TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  const auto write = [&](const fs::path& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  };
  write("out/20260101T000000Z/journal.jsonl", "{\"journal\":\"aqbench\",\"schema_version\":2}\n");
  write("out/20260101T000000Z/viewer/case.bin", "points");
  write("docs/old/pairs/pairs.jsonl", "{\"aqbench_pairs\":3}\n");
  write("data/tank/calibration.json", "{}");
  write("data/tank/truth/scene.json", "{}");
  write("notes/journal.jsonl", "{\"journal\":\"of a traveller\"}\n");
  write("truth/about.txt", "no dataset's");
  write("a/b/c/d/journal.jsonl", "{\"journal\":\"aqbench\"}\n");
  fs::create_directory_symlink(root / "out", root / "link");
  EXPECT_THAT(
      hidden_places_in(root),
      UnorderedElementsAre(root / "out/20260101T000000Z", root / "out/20260101T000000Z.tasks",
                           root / "docs/old/pairs", root / "docs/old/pairs.tasks", root / "data/tank/truth"));
  EXPECT_THAT(hidden_places_in(root / "out/20260101T000000Z"),
              UnorderedElementsAre(root / "out/20260101T000000Z", root / "out/20260101T000000Z.tasks"));
  EXPECT_TRUE(hidden_places_in(root / "nowhere").empty());
}

TEST(ReconstructionBytes, ComeBackAsTheyWere) {
  Reconstruction sent;
  sent.cloud.points_m = {{1, 2, 3}, {4, 5, 6}};
  sent.cloud.confidence = {0.5F, 0.25F};
  sent.mesh = TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  sent.depth_maps = {{"cam00", 2, 1, {1.5F, 2.5F}, {}}};
  sent.unfiltered_depth_maps = {{"cam00", 2, 1, {1.25F, 2.5F}, {1, 0}}};
  sent.effective = {{"window_px", 7}, {"voxel_m", 0.001}};
  const std::string plain_sha256 = output_sha256(sent);
  sent.cloud.colours = {{1, 2, 3}, {4, 5, 255}};
  EXPECT_EQ(output_sha256(sent), plain_sha256);  // they are for display alone
  const std::string bytes = encode_reconstruction(sent);
  const Reconstruction got = decode_reconstruction(bytes);
  EXPECT_EQ(output_sha256(got), output_sha256(sent));
  EXPECT_EQ(got.cloud.colours, sent.cloud.colours);
  EXPECT_EQ(got.unfiltered_depth_maps[0].depth_along_ray_m, sent.unfiltered_depth_maps[0].depth_along_ray_m);
  EXPECT_EQ(got.unfiltered_depth_maps[0].confidence, sent.unfiltered_depth_maps[0].confidence);
  EXPECT_EQ(got.effective, sent.effective);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THAT(
        error_of(ErrorKind::method, [&] { decode_reconstruction(std::string_view(bytes).substr(0, cut)); }),
        HasSubstr("something else than a reconstruction"));
  EXPECT_THAT(error_of(ErrorKind::method, [&] { decode_reconstruction(bytes + "x"); }),
              HasSubstr("something else"));
  const auto refused = [&](const std::string& name, double value) {
    Reconstruction told = sent;
    told.effective = {{name, value}};
    return error_of(ErrorKind::method, [&] { decode_reconstruction(encode_reconstruction(told)); });
  };
  EXPECT_THAT(refused("window\033[2J", 7), HasSubstr("something else"));
  EXPECT_THAT(refused("", 7), HasSubstr("something else"));
  EXPECT_THAT(refused("window_px", std::nan("")), HasSubstr("something else"));
  Reconstruction few = sent;
  few.cloud.colours.pop_back();
  EXPECT_THAT(error_of(ErrorKind::method, [&] { decode_reconstruction(encode_reconstruction(few)); }),
              HasSubstr("something else"));
  sent.mesh->triangles[0][1] = 3;
  EXPECT_THAT(error_of(ErrorKind::method, [&] { decode_reconstruction(encode_reconstruction(sent)); }),
              HasSubstr("something else"));
}

}  // namespace
}  // namespace aqbench
