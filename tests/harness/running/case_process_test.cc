#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

#include "harness/running/case_process.h"
#include "harness/running/method_process.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

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

// A program may be several processes, each of which is smaller than all together.
TEST(CaseOutcome, PeakMemoryIsOfAllProcessesTogether) {
  Case planned;
  planned.name = "undulating/mine/seed=42";
  planned.method = "mine";
  const auto peak_of = [&](std::optional<std::uint64_t> program_bytes) {
    CaseResult result = ok_result(planned);
    result.record.program.emplace().peak_resident_bytes = program_bytes;
    IsolateOutcome outcome;
    outcome.result = encode_case_result(result);
    outcome.peak_rss_bytes = 300;
    return result_of(planned, outcome, {}, {}).record.peak_rss_bytes;
  };
  EXPECT_EQ(peak_of(1800), 1800u);
  EXPECT_EQ(peak_of(200), 300u);
  EXPECT_EQ(peak_of({}), 300u);
}

TEST(CaseOutcome, AMethodThatChangesHowItsSweepRunsHasFailed) {
  EXPECT_THAT(outcome_of_meddling(false, false),
              AllOf(HasSubstr("failed process settings of the sweep changed meanwhile: limit 7 "),
                    HasSubstr("is now 64 (restored); landlock ABI 7; then ok")));
  EXPECT_THAT(outcome_of_meddling(true, false), HasSubstr("ok ; landlock ABI 7; then ok"))
      << "no external program ran: a person changed it";
  if (::geteuid() == 0) return;  // the administrator may set it back
  EXPECT_THAT(outcome_of_meddling(false, true),
              HasSubstr("(cannot be restored: later cases run with them, too); landlock ABI 7; then ok"));
}

Descriptor written(const Reconstruction& reconstruction) {
  Descriptor file = memory_file("test");
  write_reconstruction(reconstruction, file.get());
  return file;
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
  const Descriptor file = written(sent);
  const Reconstruction got = read_reconstruction(file.get());
  EXPECT_EQ(output_sha256(got), output_sha256(sent));
  EXPECT_EQ(got.cloud.colours, sent.cloud.colours);
  EXPECT_EQ(got.unfiltered_depth_maps[0].depth_along_ray_m, sent.unfiltered_depth_maps[0].depth_along_ray_m);
  EXPECT_EQ(got.unfiltered_depth_maps[0].confidence, sent.unfiltered_depth_maps[0].confidence);
  EXPECT_EQ(got.effective, sent.effective);
  const auto refusal = [](const Descriptor& of) {
    return error_of(ErrorKind::method, [&] { read_reconstruction(of.get()); });
  };
  const Descriptor hollow = memory_file("test");
  const std::uint64_t points = std::uint64_t{1} << 30;
  ASSERT_EQ(::write(hollow.get(), &points, sizeof points), static_cast<ssize_t>(sizeof points));
  ASSERT_EQ(::ftruncate(hollow.get(), off_t{1} << 35), 0);
  EXPECT_THAT(refusal(hollow), HasSubstr("returned malformed data"));
  ASSERT_EQ(::write(file.get(), "x", 1), 1);  // behind what was read
  EXPECT_THAT(refusal(file), HasSubstr("returned malformed data"));
  for (off_t cut = ::lseek(file.get(), 0, SEEK_END) - 2; cut >= 0; --cut) {
    ASSERT_EQ(::ftruncate(file.get(), cut), 0);
    EXPECT_THAT(refusal(file), HasSubstr("returned malformed data"));
  }
  const auto refused = [&](const std::string& name, double value) {
    Reconstruction received = sent;
    received.effective = {{name, value}};
    return refusal(written(received));
  };
  EXPECT_THAT(refused("window\033[2J", 7), HasSubstr("malformed data"));
  EXPECT_THAT(refused("", 7), HasSubstr("malformed data"));
  EXPECT_THAT(refused("window_px", std::nan("")), HasSubstr("malformed data"));
  Reconstruction few = sent;
  few.cloud.colours.pop_back();
  EXPECT_THAT(refusal(written(few)), HasSubstr("malformed data"));
  sent.mesh->triangles[0][1] = 3;
  EXPECT_THAT(refusal(written(sent)), HasSubstr("malformed data"));
}

}  // namespace
}  // namespace aqbench
