// Recordings without a truth: what is known of them all the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/processes/isolate.h"
#include "harness/planning/scene_choice.h"
#include "scenes/optics/rig.h"
#include "tests/harness/running/recording_scene.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST_F(RecordingScene, WithoutTruthThereIsAgreementAlone) {
  use_program(1);
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_EQ(find_metric(record.metrics, "accuracy_mean_mm"), nullptr);
  EXPECT_THAT(record.metrics, testing::SizeIs(5));
  // The images are of one grey: there is nothing that they could agree on.
  EXPECT_EQ(find_metric(record.metrics, "photometric_points")->value, 0);
  EXPECT_EQ(find_metric(record.metrics, "photometric_zncc_median")->reason,
            "no two images show a point of the cloud with some texture");
  EXPECT_THAT(record.options, testing::Contains(testing::Pair("dataset.truth", ParameterValue("none"))));
}

TEST_F(RecordingScene, WithoutTruthTheCloudIsKeptAndShownToo) {
  use_program(1);
  const Case planned = plan_sweep(request_).cases.at(0);
  CaseBoard board;
  const KeptFiles kept{.cloud = true};
  const IsolateOutcome outcome =
      run_isolated([&] { return encode_case_result(run_case_keeping(planned, board, kept)); },
                   {.timeout_s = 120, .log_file = folder_.path() / "log"});
  ASSERT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.log_tail;
  const CaseResult result = decode_case_result(outcome.result);
  const auto bytes_of = [&](const char* folder, const char* ending) {
    const auto found = std::ranges::find(result.artefacts, case_file(folder, planned.name, ending),
                                         &std::pair<std::string, std::string>::first);
    return found == result.artefacts.end() ? std::string() : found->second;
  };
  EXPECT_THAT(bytes_of(kCloudsFolder, ".ply"), HasSubstr("element vertex 3\n"));
  const CloudView view = decode_view(bytes_of(kViewerFolder, ".bin"), "view");
  EXPECT_TRUE(view.is_agreement);
  EXPECT_EQ(view.points.size(), 3u);
  EXPECT_EQ(view.errors, std::vector<std::int8_t>(3, kUnknownAgreement));  // of one grey
}

TEST_F(RecordingScene, WithoutTruthTheCamerasSayWhichUnitCannotBe) {
  use_program(1000);
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason, HasSubstr("if the cloud is not in metres"));
  EXPECT_THAT(record.metrics, testing::IsEmpty());
}

}  // namespace
}  // namespace aqbench
