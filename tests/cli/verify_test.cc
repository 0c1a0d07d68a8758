// Bundles of ordinary and unusual commands verify.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

struct Honest {
  const char* name;
  Arguments arguments;
  int exit_code = 0;
};

void PrintTo(const Honest& honest, std::ostream* stream) { *stream << honest.name; }

// Words in which a test's folder takes the place of DIR.
Arguments placed(Arguments words, const std::string& dir) {
  for (std::string& word : words)
    for (std::size_t at = 0; (at = word.find("DIR", at)) != std::string::npos; at += dir.size())
      word.replace(at, 3, dir);
  return words;
}

// A dataset whose truth is its depth maps, scored by lengths of its own in a part of the view, and a cloud
// for it: the true surface.
void make_recording(const std::filesystem::path& dir, const std::string& truth) {
  const std::filesystem::path dataset = dir / "tank";
  const auto rendered =
      run_program({"render", "flat_plane", "--rig", "single_pair", "--width", "48", "--imaging",
                   "textureless", "--mesh-pitch-mm", "20", "--out", dataset.string()});
  ASSERT_EQ(rendered.exit_code, 0) << rendered.err;
  std::filesystem::rename(dataset / "truth/surface.ply", dir / "cloud.ply");
  std::filesystem::remove(dataset / "truth/scene.json");
  std::ofstream(dataset / "truth/truth.json") << truth;
}

class HonestBundles : public ::testing::TestWithParam<Honest> {
 protected:
  TemporaryDir dir_;
};

TEST_P(HonestBundles, Verify) {
  if (std::ranges::find(GetParam().arguments, "dataset:tank") != GetParam().arguments.end()) {
    ASSERT_NO_FATAL_FAILURE(make_recording(
        dir_.path(), R"({"surface": {"depths": true, "thresholds_mm": [3, 17.5], "outlier_mm": 33,
                                              "spacing_mm": 4, "tile_mm": 40, "crop": "z:0.5,5"}})"));
  }
  Arguments arguments = placed(GetParam().arguments, dir_.path().string());
  arguments.insert(arguments.end(), {"--out", (dir_ / "out").string()});
  ProgramOptions options;
  options.working_dir = dir_.path();
  const auto ran = run_program(arguments, options);
  ASSERT_EQ(ran.exit_code, GetParam().exit_code) << ran.out << ran.err;
  const auto verified = run_program({"verify", only_bundle(dir_ / "out").string()});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, ::testing::HasSubstr("verified: "));
}

INSTANTIATE_TEST_SUITE_P(
    Of, HonestBundles,
    ::testing::Values(
        Honest{"ARecordingWithLengthsOfItsOwn",
               {"sweep", "--scene", "dataset:tank", "--method", "external", "--set",
                "external.command=/bin/cp DIR/cloud.ply {output}/cloud.ply"}},
        Honest{"ACommandOfSeveralLinesThatFails",
               {"sweep", "--scene", "dataset:tank", "--method", "external", "--set",
                "external.command=/bin/sh -c 'true\nfalse {output}\n# twice'"},
               3},
        Honest{"ASamplingOfItsOwn",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--set", "scoring.spacing_mm=3"}},
        Honest{"TolerancesOfItsOwn",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--set",
                "scoring.thresholds_mm=0.5,30", "--set", "scoring.outlier_mm=7"}},
        Honest{"ANoteOfSeveralLines",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--note",
                "one\ntwo\t\u00fc\n# three"}},
        Honest{"AnInjectedFailure",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--inject", "noise=throw"},
               3},
        Honest{"ADelayAndALoss",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--inject", "noise=20ms",
                "--inject", "*=corrupt"}},
        Honest{"NumbersOfThreads",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--axis", "threads=1,3"}},
        Honest{"AMemoryLimit",
               {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--memory-limit", "1"}},
        Honest{"AProfileThatFails", {"profile", "roma_like", "--inject", "noise=throw"}, 3}),
    [](const auto& honest) { return std::string(honest.param.name); });

}  // namespace
}  // namespace aqbench::testing
