#include "reports/bundle/ab_tiles_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/files.h"
#include "core/sha256.h"
#include "harness/ab/pair_journal.h"
#include "harness/ab/report_json.h"
#include "harness/ab/tiles.h"
#include "reports/bundle/ab_bundle.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/text/ab_summary.h"
#include "tests/harness/ab/documents.h"
#include "tests/reports/bundle/ab_commands.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kFileOfA = "tiles/waves__x.a.csv";
constexpr const char* kFileOfB = "tiles/waves__x.b.csv";

// Two tiles, of 10 and 30 points, with this mean error in the second and none in the first.
std::string tiles_with(const char* error_mm) {
  return std::string(
             "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,"
             "x_max_mm,y_max_mm\n") +
         "0,0,0,0,10,0,0,100,10,10\n1,0,10,0,30," + error_mm + ",0,100,20,10\n";
}

// Two methods that are compared by their bias, 0.75 mm and 1.5 mm in every unit: 30 of 40 points are off by 1
// and by 2 mm.
struct AbTiles : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(20, 1.0));
    document.settings.outcomes = {{.name = "bias_mean_mm",
                                   .kind = AbOutcome::Kind::metric,
                                   .unit = "mm",
                                   .better = Better::equal,
                                   .margin = 0.1,
                                   .margin_absolute = true}};
    document.run.paired_over = "seeds";
    document.run.warm_runs = 1;
    document.run.started_utc = "2026-11-21T12:00:00Z";
    document.run.finished_utc = "2026-11-21T12:30:00Z";
    for (AbUnit& unit : document.samples.units) {
      const bool is_a = unit.side == AbSide::a;
      unit.outcomes = {{"bias_mean_mm", {is_a ? 0.75 : 1.5}}};
      if (unit.pair == 0) unit.tiles_sha256 = sha256_hex(is_a ? tiles_with("1") : tiles_with("2"));
    }
    std::filesystem::create_directories(folder / "tiles");
    write_file(folder / kFileOfA, tiles_with("1"));
    write_file(folder / kFileOfB, tiles_with("2"));
    document.run.exec = true;
  }

  AbUnit& first_unit(AbSide side) { return *std::ranges::find(document.samples.units, side, &AbUnit::side); }

  // Writes the bundle as it is, with its hashes, and returns what verify says of it, a line each.
  std::string findings() {
    PairJournalHeader header;
    header.started_utc = document.run.started_utc;
    header.program_a = subject_of(document.a);
    header.program_b = subject_of(document.b);
    header.cases = document.samples.cases;
    header.environment = document.environment;
    header.arguments = ab_arguments(document);
    write_ab_commands(folder.path(), document);
    std::filesystem::remove(folder / kPairJournalFile);
    PairJournal journal = PairJournal::create(folder.path(), header);
    for (std::size_t i = 0; i < document.samples.units.size(); i += 2)
      journal.append(0, std::span(document.samples.units).subspan(i, 2), {});
    const AbReport report = judge_ab(document);
    finalise_ab_bundle(folder.path(), {kAbFile, ab_text(document, report),
                                       render_ab_summary(document, report), document.environment, true});
    std::string all;
    for (const Finding& finding : verify_bundle(folder.path()).findings)
      all += finding.file + ": " + finding.what + "\n";
    return all;
  }

  TemporaryDirectory folder;
  AbDocument document;
};

TEST_F(AbTiles, AreBoundToTheirUnitsAndVerify) {
  EXPECT_EQ(findings(), "");
  const AbSamples back = ab_samples_from_json(to_json(document.samples), "x");
  EXPECT_EQ(back.units[0].tiles_sha256, document.samples.units[0].tiles_sha256);
  EXPECT_THAT(read_ab_tiles(folder.path(), back),
              ElementsAre(std::pair<const std::string, std::string>(kFileOfA, tiles_with("1")),
                          std::pair<const std::string, std::string>(kFileOfB, tiles_with("2"))));
}

TEST_F(AbTiles, OfAnOldComparisonThereAreNone) {
  std::filesystem::remove_all(folder / "tiles");
  for (AbUnit& unit : document.samples.units) unit.tiles_sha256.clear();
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(to_json(document.samples).dump().find("tiles"), std::string::npos);
}

TEST_F(AbTiles, ThatAreNotTheirUnitsAreNamed) {
  write_file(folder / kFileOfB, tiles_with("1.5"));
  EXPECT_THAT(findings(), HasSubstr(std::string(kFileOfB) + ": is not what samples.units["));
  EXPECT_EQ(read_ab_tiles(folder.path(), document.samples).count(kFileOfB), 0u);
  std::filesystem::remove(folder / kFileOfB);
  EXPECT_THAT(findings(), HasSubstr(std::string(kFileOfB) + ": is missing"));
  write_file(folder / kFileOfB, tiles_with("2"));
  write_file(folder / "tiles/other.csv", tiles_with("2"));
  EXPECT_EQ(findings(), "tiles/other.csv: belongs to no unit of the samples\n");
}

// Hashes, samples and journal made anew.
TEST_F(AbTiles, ThatTellAnotherMetricThanTheUnitAreNamed) {
  write_file(folder / kFileOfB, tiles_with("0.5"));
  first_unit(AbSide::b).tiles_sha256 = sha256_hex(tiles_with("0.5"));
  EXPECT_THAT(findings(), AllOf(HasSubstr(kFileOfB), HasSubstr("bias_mean_mm")));
}

TEST_F(AbTiles, ThatAqbenchCannotHaveWrittenAreNamed) {
  const std::string good = tiles_with("2"), header = good.substr(0, good.find('\n') + 1);
  for (const std::string& text :
       {std::string(), header, std::string("<script>") + '\0', tiles_with("nan"), tiles_with(""),
        header + "0,0,0,0,-10,0,0,100\n", header + "0,0,0,0,1.5,0,0,100\n", header + "0,0,0,0,10,0\n"}) {
    write_file(folder / kFileOfB, text);
    first_unit(AbSide::b).tiles_sha256 = sha256_hex(text);
    EXPECT_NE(findings(), "") << text;
  }
}

// A version without tiles has none, whatever its hashes say.
TEST_F(AbTiles, OfAnOlderVersionAreNone) {
  document.schema_version = kAbSchemaVersionWithTiles - 1;
  EXPECT_THAT(findings(), HasSubstr("has tiles, which version 3 does not have"));
}

// An error of a tile that is larger than all the errors of its points.
TEST_F(AbTiles, ThatNeedLargerErrorsThanTheUnitHasAreNamed) {
  for (AbUnit& unit : document.samples.units) unit.outcomes.front().name = "accuracy_rmse_mm";
  document.settings.outcomes.front().name = "accuracy_rmse_mm";
  EXPECT_THAT(findings(), HasSubstr("gives accuracy_rmse_mm 1.73205 to inf, the record says 1.5"));
}

// Without --metric the outputs hold the metrics: those of B told as A's.
TEST_F(AbTiles, ThatTellAnotherMetricThanTheScoredOutputAreNamed) {
  const auto worst = [](double mm) {
    return MetricSet{{"tile_worst_abs_bias_mm", {mm, "mm", Better::lower, ""}},
                     {"tile_empty_pct", {0, "%", Better::lower, ""}}};
  };
  document.settings.outcomes.clear();
  for (AbUnit& unit : document.samples.units) unit.outcomes.clear();
  document.samples.outputs = {{0, AbSide::a, "same", worst(1)}, {0, AbSide::b, "same", worst(2)}};
  const std::vector<std::string> files = {kFileOfA, kFileOfB};
  const auto said = [&] {
    std::string all;
    for (const Finding& finding : check_ab_tiles(folder.path(), document, files, true))
      all += finding.file + ": " + finding.what + "\n";
    return all;
  };
  EXPECT_EQ(said(), "");
  EXPECT_EQ(check_calibration_tiles(folder.path(), {&document.samples}, files).size(), 0u);
  document.samples.outputs[1].metrics = worst(1);
  EXPECT_THAT(said(), HasSubstr("gives tile_worst_abs_bias_mm 2, the record says 1"));
  EXPECT_EQ(check_calibration_tiles(folder.path(), {&document.samples}, files).size(), 1u);
  first_unit(AbSide::a).tiles_sha256.clear();
  EXPECT_THAT(said(), HasSubstr("has tile_empty_pct, and no tiles"));
}

TEST_F(AbTiles, OfALaterPairAreNone) {
  document.samples.units[2].tiles_sha256 = sha256_hex(tiles_with("1"));
  EXPECT_THAT(findings(), HasSubstr("ab.json: samples.units[2]: has tiles"));
}

}  // namespace
}  // namespace aqbench
