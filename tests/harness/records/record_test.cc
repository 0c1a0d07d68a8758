#include "harness/records/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json_members.h"
#include "core/sha256.h"
#include "harness/records/case_name.h"
#include "harness/records/results.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

Record full_record() {
  Record record;
  record.case_name = "undulating/plane_sweep:fast/seed=43/batch=8";
  record.scene = "undulating";
  record.method = "plane_sweep";
  record.preset = "fast";
  record.simulated = true;
  record.axes = {{"seed", std::int64_t{43}},
                 {"threads", std::int64_t{2}},
                 {"device", std::string("cpu")},
                 {"batch", std::int64_t{8}}};
  record.options = {{"undulating.amplitude_m", 0.005},
                    {"undulating.base_depth_m", 2.0},
                    {"plane_sweep.cost", std::string("zncc")},
                    {"plane_sweep.depths", std::int64_t{64}}};
  record.status = Status::failed;
  record.reason = "it said \"no\" \xC3\xA9";
  record.metrics = {{"accuracy_mean_mm", {0.1 + 0.2, "mm", Better::lower, ""}},
                    {"points", {3000.0, "points", Better::equal, ""}},
                    {"tiny", {5e-324, "1", Better::higher, ""}},
                    {"negative_zero", {-0.0, "1", Better::higher, ""}},
                    {"plane_fit_rmse_mm", {std::nullopt, "mm", Better::lower, "fewer than 3 points"}}};
  record.stages = {{"pipeline", "", 1, {12.5, 11.25}, {2.5, 1.0}, std::nullopt, std::nullopt},
                   {"depth_estimation", "pipeline", 3, {10, 10.25}, {10, 10.25}, -5, 1 << 20}};
  record.timing = {12.5, {1.0 / 3, 2}, 1e9 / 3, "px/s"};
  record.peak_rss_bytes = std::uint64_t{5} << 33;
  record.output_sha256 = std::string(64, 'b');
  record.injected = {{"depth_estimation", "+5%", 3}};
  return record;
}

TEST(RecordJson, HasTheDocumentedFieldsInTheirOrder) {
  std::vector<std::string> keys;
  const Json json = to_json(full_record());
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("case", "scene", "method", "preset", "workload", "axes", "status", "reason",
                                "metrics", "stages", "timing", "peak_rss_bytes", "output_sha256", "options",
                                "simulated", "injected", "files"));
  EXPECT_TRUE(json["workload"].is_null());
  EXPECT_EQ(json["axes"].dump(), R"({"seed":43,"threads":2,"device":"cpu","batch":8})");
  EXPECT_EQ(json["metrics"]["accuracy_mean_mm"].dump(),
            R"({"value":0.30000000000000004,"unit":"mm","better":"lower"})");
  EXPECT_EQ(json["metrics"]["plane_fit_rmse_mm"].dump(),
            R"({"value":null,"unit":"mm","better":"lower","reason":"fewer than 3 points"})");
  EXPECT_EQ(json["stages"][0].dump(), R"({"name":"pipeline","parent":null,"calls":1,"wall_ms":[12.5,11.25],)"
                                      R"("self_ms":[2.5,1.0],"net_bytes":null,"peak_bytes":null})");
  EXPECT_EQ(
      json["timing"].dump(),
      R"({"cold_ms":12.5,"warm_ms":[0.3333333333333333,2.0],"throughput":{"value":333333333.3333333,"unit":"px/s"}})");
}

TEST(RecordJson, ReadsBackToTheSameBytes) {
  for (const Record& record : {full_record(), test::quick_result(test::small_plan(1).cases[0]).record}) {
    const std::string text = to_json(record).dump();
    EXPECT_EQ(to_json(record_from_json(parse_strict_json(text, "t", kMessageJson))).dump(), text);
  }
  EXPECT_TRUE(
      std::signbit(*find_metric(record_from_json(to_json(full_record())).metrics, "negative_zero")->value));
}

// Older results have neither, and keep their bytes and digests.
TEST(RecordJson, IsolationAndDatasetStandThereOnlyWhereTheyAreKnown) {
  Record record = full_record();
  EXPECT_FALSE(to_json(record).contains("isolation") || to_json(record).contains("dataset_sha256"));
  EXPECT_EQ(record_from_json(to_json(record)).isolation, "");
  Results results;
  results.records = {record};
  const std::string metrics = metrics_digest(results), root = root_digest(results);
  record.isolation = "landlock ABI 7";
  record.effective = {{"window_px", 7}, {"voxel_m", 0.0005}};
  record.dataset_sha256 = std::string(64, 'a');
  const Record back = record_from_json(to_json(record));
  EXPECT_EQ(back.isolation, record.isolation);
  EXPECT_EQ(back.effective, record.effective);
  EXPECT_EQ(back.dataset_sha256, record.dataset_sha256);
  results.records = {record};
  EXPECT_EQ(metrics_digest(results), metrics);
  EXPECT_NE(root_digest(results), root);
}

TEST(RecordJson, NeverHoldsWhatIsNotFinite) {
  Record record = full_record();
  record.metrics[0].second.value = std::numeric_limits<double>::quiet_NaN();
  record.timing.cold_ms = std::numeric_limits<double>::infinity();
  record.timing.throughput = std::numeric_limits<double>::quiet_NaN();
  const Json json = to_json(record);
  EXPECT_TRUE(json["metrics"]["accuracy_mean_mm"]["value"].is_null());
  EXPECT_EQ(json["metrics"]["accuracy_mean_mm"]["reason"], "the value was not finite");
  EXPECT_TRUE(json["timing"]["cold_ms"].is_null());
  EXPECT_TRUE(json["timing"]["throughput"].is_null());
  record.stages[1].wall_ms[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of(ErrorKind::method, [&] { to_json(record); }), HasSubstr("depth_estimation"));
}

TEST(RecordJson, SaysWhereItIsWrong) {
  const auto message = [](const std::function<void(Json&)>& change) {
    Json json = to_json(full_record());
    change(json);
    return error_of(ErrorKind::input, [&] { record_from_json(json, "r.json"); });
  };
  EXPECT_EQ(message([](Json& j) { j["metrics"]["points"]["value"] = "x"; }),
            "r.json: metrics.points.value: expected a number");
  EXPECT_EQ(message([](Json& j) { j["status"] = "fine"; }),
            "r.json: status: expected ok, failed, crashed, timeout or skipped");
  EXPECT_EQ(message([](Json& j) { j["metrics"]["points"]["better"] = "up"; }),
            "r.json: metrics.points.better: expected lower, higher or equal");
  EXPECT_EQ(message([](Json& j) { j["metrics"]["points"]["reason"] = "none"; }),
            "r.json: metrics.points.reason: is not allowed beside a value");
  EXPECT_EQ(message([](Json& j) { j["stages"][1]["self_ms"] = Json::array(); }),
            "r.json: stages[1].self_ms: must have the length of wall_ms");
  EXPECT_THAT(message([](Json& j) { j["extra"] = 1; }), HasSubstr("r.json: extra: unknown key"));
  EXPECT_EQ(message([](Json& j) { j.erase("timing"); }), "r.json: 'timing' is missing");
  EXPECT_EQ(message([](Json& j) { j["peak_rss_bytes"] = -1; }),
            "r.json: peak_rss_bytes: expected a non-negative integer");
  EXPECT_EQ(message([](Json& j) { j["case"] = ""; }), "r.json: case: is empty");
}

TEST(Status, ReadsBack) {
  for (const Status status : {Status::ok, Status::failed, Status::crashed, Status::timeout, Status::skipped})
    EXPECT_EQ(status_from_string(to_string(status)), status);
  EXPECT_EQ(status_from_string("nearly"), std::nullopt);
}

TEST(Status, AnInvalidCaseIsWrittenAsFailedWithAReason) {
  Record record = full_record();
  record.status = Status::invalid;
  record.reason = invalid_reason("mean is 3, not 4");
  const Json json = to_json(record);
  EXPECT_EQ(json.at("status"), "failed");
  EXPECT_EQ(json.at("reason"), "invalid: mean is 3, not 4");
  EXPECT_EQ(record_from_json(json).status, Status::invalid);
  record.reason = "it gave no points";
  EXPECT_EQ(record_from_json(to_json(record)).status, Status::failed);
}

TEST(CaseResult, TravelsThroughThePipe) {
  CaseResult result{full_record(), {{"tiles/a.csv", std::string("\0\xFF\n", 3)}, {"logs/b.log", ""}}};
  const std::string bytes = encode_case_result(result);
  const CaseResult back = decode_case_result(bytes);
  result.record.files = {{"tiles/a.csv", sha256_hex(std::string("\0\xFF\n", 3))},
                         {"logs/b.log", sha256_hex("")}};
  EXPECT_EQ(to_json(back.record).dump(), to_json(result.record).dump()) << "with the hashes of its files";
  EXPECT_EQ(back.artefacts, result.artefacts);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THROW(decode_case_result(bytes.substr(0, size)), Error) << size;
  EXPECT_EQ(back.unwritten, "");
  result.unwritten = "out/cloud.ply: No space left on device";
  EXPECT_EQ(decode_case_result(encode_case_result(result)).unwritten, result.unwritten);
}

// A file that a case may not write is refused before anything of the result is used.
TEST(CaseResult, FilesOutsideTheFoldersOfCasesAreRefused) {
  CaseResult result{full_record(), {{"tiles/a.csv", "1"}}};
  const std::string good = encode_case_result(result);
  const std::string name = "tiles/a.csv";
  for (const std::string bad : {"/tmp/a.csv0", "../../a.csv", "tiles/../..", "./journal.x", "tiles//a.cs",
                                "other/a.csv", "tiles/a\ncsv"}) {
    ASSERT_EQ(bad.size(), name.size());
    std::string renamed = good, both = good;
    renamed.replace(good.rfind(name), name.size(), bad);  // of the artefact alone
    EXPECT_THAT(error_of(ErrorKind::input, [&] { decode_case_result(renamed, "results/0"); }),
                testing::HasSubstr("results/0: its artefact '"))
        << bad;
    both = renamed;
    both.replace(both.find(name), name.size(), bad);
    EXPECT_THAT(error_of(ErrorKind::input, [&] { decode_case_result(both, "results/0"); }),
                testing::StartsWith("results/0"))
        << bad;
    Json json = to_json(result.record);
    json["files"] = {{bad, std::string(64, '1')}};
    EXPECT_THAT(error_of(ErrorKind::input, [&] { record_from_json(json, "journal"); }),
                testing::HasSubstr("is not a file of a case in a bundle"))
        << bad;
  }
  std::string unnamed = good;
  unnamed.replace(good.rfind(name), name.size(), "tiles/b.csv");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { decode_case_result(unnamed); }),
              testing::HasSubstr("its record does not name its artefact 'tiles/b.csv'"));
}

const std::string kOne(64, '1'), kTwo(64, '2');

TEST(Guest, IsReadBackAsItWasWritten) {
  for (const Guest& guest :
       {Guest{{{"run.py", kOne}, {"gone.bin", ""}}, "venv .venv", "abc", true}, Guest{}}) {
    const Json json = JsonOf<Guest>::write(guest);
    EXPECT_EQ(JsonOf<Guest>::write(from_json<Guest>(JsonPlace(json, "f"))), json);
  }
}

TEST(Guest, DifferencesNameTheFiles) {
  const Guest before{{{"run.py", kOne}, {"weights/", kOne}}, "", "abc", false};
  Guest now = before;
  now.commit = "def";
  EXPECT_TRUE(guest_differences(before, now).empty()) << "the same files ran";
  now.files[0].second = kTwo;
  EXPECT_THAT(guest_differences(before, now), ElementsAre("run.py is 222222222222, was 111111111111"));
  now = before;
  now.files.pop_back();
  now.runs_in = "conda /env";
  EXPECT_THAT(guest_differences(before, now),
              ElementsAre("weights/ is absent, was 111111111111", "runs_in is conda /env, was none"));
}

TEST(Guest, ACommitIsShortAndSaysWhetherFilesHadChanged) {
  EXPECT_EQ(commit_text({{}, "", std::string(40, 'a'), true}), "aaaaaaaaaaaa, changed");
  EXPECT_EQ(commit_text({{}, "", std::string(40, 'a'), false}), "aaaaaaaaaaaa");
  EXPECT_EQ(commit_text({}), "");
}

TEST(CaseName, HasASeedThatCanBeLeftOutAndChanged) {
  EXPECT_EQ(seed_in_name("undulating/roma_like/seed=43/batch=8"), "43");
  EXPECT_EQ(seed_in_name("absorption/variant=fused/seed=7"), "7");
  EXPECT_EQ(seed_in_name("a/my_seed=1"), "");
  EXPECT_EQ(name_without_seed("undulating/roma_like/seed=43/batch=8"), "undulating/roma_like/batch=8");
  EXPECT_EQ(name_without_seed("undulating/roma_like/seed=43"), "undulating/roma_like");
  EXPECT_EQ(name_without_seed("case0"), "case0");
  EXPECT_EQ(name_with_seed("a/b/seed=43/batch=8", "44"), "a/b/seed=44/batch=8");
  EXPECT_EQ(name_with_seed("a/b/seed=43", "44"), "a/b/seed=44");
  EXPECT_EQ(name_with_seed("a/b", "44"), "a/b") << "it has none";
}

TEST(CaseName, HasAMethodThatCanBeLeftOut) {
  EXPECT_EQ(name_without_method("flat_plane/sparse/seed=42"), "flat_plane/seed=42");
  EXPECT_EQ(name_without_method("flat_plane/sparse:fast/seed=42/width=160"), "flat_plane/seed=42/width=160");
  EXPECT_EQ(name_without_method("flat_plane/sparse"), "flat_plane/sparse");
  EXPECT_EQ(name_without_method("case0"), "case0");
}

TEST(CaseName, IsMeantByTheStepsThatTablesShowOrByWildcards) {
  const char* const name = "step/sparse:fast/seed=42/rig=arc6/sparse.window=5";
  for (const char* const given :
       {name, "step/sparse:fast", "sparse:fast/window=5", "rig=arc6", "step/*window=5"})
    EXPECT_TRUE(means_case(given, name)) << given;
  for (const char* const given : {"step/sparse", "sparse:fast/step", "indow=5", "window=6", "step/*window"})
    EXPECT_FALSE(means_case(given, name)) << given;
}

}  // namespace

}  // namespace aqbench
