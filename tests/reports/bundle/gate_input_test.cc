#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(ReadGateInput, ABundleIsVerifiedFirst) {
  const TemporaryDirectory directory;
  Results results = synthetic_results();
  const auto bundle = synthetic_bundle(directory.path(), results);
  const GateInput sealed = read_gate_input(bundle);
  EXPECT_TRUE(sealed.verified);
  EXPECT_EQ(results_text(sealed.results), results_text(results));
  const GateInput bare = read_gate_input(bundle / "results.json");
  EXPECT_FALSE(bare.verified);
  EXPECT_EQ(results_text(bare.results), results_text(results));
  write_file(bundle / "bench.log", "other\n");
  const std::string message = error_of(ErrorKind::verification, [&] { read_gate_input(bundle); });
  EXPECT_NE(message.find("bench.log: does not have the hash"), message.npos) << message;
}

TEST(ReadGateInput, ABareFileGivesTheRightKindOfError) {
  const TemporaryDirectory directory;
  const std::string good = results_text(synthetic_results());
  Json json = Json::parse(good);
  const auto kind_of = [&](const std::string& text) {
    const auto path = directory.file("results.json", text);
    try {
      read_gate_input(path);
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
      return exit_code(error.kind());
    }
    return ExitCode::pass;
  };
  EXPECT_EQ(kind_of(good), ExitCode::pass);
  EXPECT_EQ(kind_of(good.substr(0, good.size() / 2)), ExitCode::usage);
  EXPECT_EQ(kind_of(""), ExitCode::usage);
  std::string nan = good;
  nan.replace(nan.find("21.5"), 4, "NaN");
  EXPECT_EQ(kind_of(nan), ExitCode::usage);
  json["schema_version"] = 5;
  EXPECT_EQ(kind_of(json.dump()), ExitCode::not_comparable);
  json["schema_version"] = 4;
  json["records"][0]["metrics"]["points"]["value"] = "2850";
  EXPECT_EQ(kind_of(json.dump()), ExitCode::usage);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { read_gate_input(directory / "absent"); }),
            (directory / "absent").string() + ": no such file or folder");
}

// As an edit by hand.
TEST(ReadGateInput, AMetricSetToNullFails) {
  const TemporaryDirectory directory;
  const Results results = synthetic_results();
  Json json = to_json(results);
  json["records"][1]["metrics"]["accuracy_mean_mm"]["value"] = nullptr;
  for (const bool with_reason : {false, true}) {
    if (with_reason) json["records"][1]["metrics"]["accuracy_mean_mm"]["reason"] = "edited";
    const auto path = directory.file("results.json", json.dump());
    EXPECT_EQ(gate(read_gate_input(path).results, synthetic_baseline(results)).exit_code(),
              ExitCode::regression);
  }
}

}  // namespace
}  // namespace aqbench
