#include "metrics/protocols/asked_protocols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<ProtocolMetric>& metrics) {
  std::vector<std::string> names;
  for (const ProtocolMetric& metric : metrics) names.push_back(metric.name);
  return names;
}

TEST(AskedProtocols, TheirKnobsAreReadAndStandInTheDefinitions) {
  const auto all =
      parse_protocols("dtu:thinning_m=0.0005 tanks-and-temples:thresholds_m=0.01,0.02:strict=no");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].knobs.thinning_m, 0.0005);
  EXPECT_EQ(all[0].knobs.drop_from_m, 0.02) << "the protocol's own";
  EXPECT_THAT(names_of(metrics_of(all[0])),
              ElementsAre("dtu_accuracy_mean_mm", "dtu_accuracy_median_mm", "dtu_completeness_mean_mm",
                          "dtu_completeness_median_mm", "dtu_overall_mm"));
  EXPECT_THAT(names_of(metrics_of(all[1])),
              ElementsAre("tanks_and_temples_precision_10mm_pct", "tanks_and_temples_precision_20mm_pct",
                          "tanks_and_temples_recall_10mm_pct", "tanks_and_temples_recall_20mm_pct",
                          "tanks_and_temples_f_score_10mm_pct", "tanks_and_temples_f_score_20mm_pct"));
  EXPECT_THAT(metrics_of(all[0])[0].definition,
              testing::AllOf(HasSubstr("accuracy mean by protocol dtu"), HasSubstr("thinning_m=0.0005"),
                             HasSubstr("mask=yes"), HasSubstr("drop_from_m=0.02")));
}

TEST(AskedProtocols, ValuesBecomeMetricsInPercentAndMillimetres) {
  const AskedProtocol dtu = parse_protocol("dtu:thinning_m=0:mask=no");
  const PointCloud cloud{{Vec3(0, 0, 0.001), Vec3(1, 0, 0.003)}, {}, {}};
  CloudTruth truth;
  truth.cloud.points_m = {Vec3(0, 0, 0), Vec3(1, 0, 0)};
  const MetricSet metrics = protocol_metrics(dtu, score_by_protocol(dtu.knobs, cloud, truth));
  EXPECT_NEAR(find_metric(metrics, "dtu_accuracy_mean_mm")->value.value(), 2, 1e-12);
  EXPECT_EQ(find_metric(metrics, "dtu_accuracy_mean_mm")->better, Better::lower);
  const AskedProtocol beams = parse_protocol("eth3d");
  const MetricSet undefined = protocol_metrics(beams, score_by_protocol(beams.knobs, cloud, truth));
  const Metric& precision = *find_metric(undefined, "eth3d_precision_20mm_pct");
  EXPECT_FALSE(precision.value);
  EXPECT_THAT(std::string(precision.reason), HasSubstr("positions of their scanners"));
  EXPECT_NEAR(find_metric(undefined, "eth3d_recall_20mm_pct")->value.value(), 100, 1e-12);
}

TEST(AskedProtocols, NamesAreFoundAgainAtAnyThreshold) {
  EXPECT_EQ(find_protocol_metric("eth3d_recall_7.5mm_pct")->unit, "%");
  EXPECT_EQ(find_protocol_metric("dtu_overall_mm")->better, Better::lower);
  for (const ProtocolMetric& metric : headline_protocol_metrics())
    EXPECT_EQ(find_protocol_metric(metric.name)->title, metric.title);
  for (const char* const other : {"accuracy_mean_mm", "eth3d_recall_mm_pct", "eth3d_overall_mm", "dtu_"})
    EXPECT_FALSE(find_protocol_metric(other)) << other;
}

TEST(AskedProtocols, WhatIsNoneIsRefused) {
  const auto refused = [](const std::string& text) {
    return error_of(ErrorKind::usage, [&] { parse_protocols(text); });
  };
  EXPECT_THAT(refused("eth3"), HasSubstr("unknown protocol 'eth3'; did you mean eth3d"));
  EXPECT_THAT(refused("dtu eth3d dtu"), HasSubstr("protocol dtu is given twice"));
  EXPECT_THAT(refused("dtu:thinning"), HasSubstr("expected NAME:KNOB=VALUE"));
  EXPECT_THAT(refused("dtu:cull=all"), HasSubstr("knob cull: 'all': expected no, cloud, truth or both"));
  EXPECT_THAT(refused("dtu:cull_dilate=disk:1.5"),
              HasSubstr("knob cull_dilate: 'disk:1.5': expected 0, or square:N"));
}

// Of four true points on a line the cameras see those with x < 2.5; of the cloud two lie where none looks.
TEST(Cull, WhatNoCameraSeesGoesFromCloudTruthOrBoth) {
  PointCloud cloud;
  CloudTruth truth;
  for (int x = 0; x < 4; ++x) {
    truth.cloud.points_m.emplace_back(x, 0, 0);
    if (x != 1) cloud.points_m.emplace_back(x, 0, 0.001);
  }
  cloud.points_m.emplace_back(9, 0, 0);
  const auto recall_and_precision = [&](const char* cull) {
    CloudKnobs knobs =
        parse_protocol(std::string("tanks-and-temples:voxel_m=0:cull_dilate=square:-7:cull=") + cull).knobs;
    const CloudDistances distances = measure_distances(knobs, cloud, truth);
    const ProtocolResult result = summarize_distances(knobs, distances);
    return std::pair(find_value(result, "recall", 0.005)->value,
                     find_value(result, "precision", 0.005)->value);
  };
  EXPECT_EQ(recall_and_precision("no"), std::pair(std::optional(0.75), std::optional(0.75)));
  EXPECT_EQ(recall_and_precision("both").first, std::nullopt) << "no camera is known";
  truth.seen = [](std::span<const Vec3> positions_m, const CullRules& rules) {
    EXPECT_EQ(rules.behind_m, 0.01);
    EXPECT_EQ(rules.masks.px, -7);
    std::vector<bool> seen;
    for (const Vec3& position : positions_m) seen.push_back(position.x() < 2.5);
    return seen;
  };
  // 0 1 2 3 of the truth, 0 2 3 9 of the cloud.
  EXPECT_EQ(recall_and_precision("truth"), std::pair(std::optional(2.0 / 3), std::optional(0.5)));
  EXPECT_EQ(recall_and_precision("cloud"), std::pair(std::optional(0.5), std::optional(1.0)));
  EXPECT_EQ(recall_and_precision("both"), std::pair(std::optional(2.0 / 3), std::optional(1.0)));
}

TEST(ProtocolsDocument, TableOfKnobsIsThatOfTheProtocols) {
  std::ifstream file(AQBENCH_SOURCE_DIR "/docs/protocols.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string head = "| knob |";
  for (const CloudProtocol& protocol : cloud_protocols()) head += std::string(" ") + protocol.name + " |";
  EXPECT_NE(text.str().find(head + "\n"), std::string::npos) << head;
  for (const CloudKnob& knob : cloud_knobs()) {
    std::string row = std::string("| `") + knob.name + "` |";
    for (const CloudProtocol& protocol : cloud_protocols()) row += " " + knob.text(protocol.knobs) + " |";
    EXPECT_NE(text.str().find("\n" + row + "\n"), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace aqbench
