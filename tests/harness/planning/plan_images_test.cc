#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "harness/planning/case_options.h"
#include "harness/planning/scene_choice.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "tests/harness/planning/plan_support.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::case_names;
using test::option;
using test::plan;
using test::usage_message;
using test::with;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

PlanRequest real_request() { return test::request_for({"flat_plane"}, {"plane_sweep"}); }

TEST(PlanImages, OnlyRealMethodsHaveThem) {
  PlanRequest request = real_request();
  request.methods = {"plane_sweep", "roma_like"};
  const SweepPlan given = plan(request);
  ASSERT_THAT(given.cases, SizeIs(2));
  ASSERT_TRUE(given.cases[0].images.has_value());
  EXPECT_EQ(given.cases[0].images->rig, "ring12");
  EXPECT_EQ(std::get<std::string>(option(given.cases[0], "dataset.imaging")), "default");
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[0], "ring12.width")), 1600);
  EXPECT_EQ(std::get<double>(option(given.cases[0], "imaging.texture_contrast")), 0.15);
  EXPECT_FALSE(given.cases[1].images.has_value());
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/plane_sweep/seed=42", "flat_plane/roma_like/seed=42"));
}

TEST(PlanImages, WhatIsNotTheDefaultStandsInTheName) {
  PlanRequest request = real_request();
  request.methods = {"plane_sweep", "roma_like"};
  request.images = {"sparse4", "clean", 480, 360};
  request.axes = {parse_axis("plane_sweep.depths=64,128")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=480/height=360/"
                          "plane_sweep.depths=64",
                          "flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=480/height=360/"
                          "plane_sweep.depths=128",
                          "flat_plane/roma_like/seed=42"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[0], "sparse4.height")), 360);
  EXPECT_THAT(given.cases[0].axes, SizeIs(5));
  request.images = {"ring12", "default", std::nullopt, std::nullopt};
  request.axes.clear();
  EXPECT_EQ(plan(request).cases[0].name, "flat_plane/plane_sweep/seed=42") << "the defaults, said aloud";
}

TEST(PlanImages, AxesVaryThemForRealMethodsAlone) {
  PlanRequest request = real_request();
  request.methods = {"plane_sweep", "roma_like"};
  request.axes = {parse_axis("rig=ring12,sparse4"), parse_axis("width=240,480")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given), ElementsAre("flat_plane/plane_sweep/seed=42/rig=ring12/width=240",
                                             "flat_plane/plane_sweep/seed=42/rig=ring12/width=480",
                                             "flat_plane/plane_sweep/seed=42/rig=sparse4/width=240",
                                             "flat_plane/plane_sweep/seed=42/rig=sparse4/width=480",
                                             "flat_plane/roma_like/seed=42"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[3], "sparse4.height")), 360) << "the rig's ratio";
  request.axes = {parse_axis("imaging.noise_sigma=0,0.01"), parse_axis("ring12.radius_m=0.5,0.6")};
  const SweepPlan parameters = plan(request);
  ASSERT_THAT(parameters.cases, SizeIs(4 + 1));
  EXPECT_EQ(std::get<double>(option(parameters.cases[3], "ring12.radius_m")), 0.6);
  EXPECT_EQ(parameters.cases[3].name,
            "flat_plane/plane_sweep/seed=42/imaging.noise_sigma=0.01/ring12.radius_m=0.6");
}

TEST(PlanImages, SetsReachRigAndImaging) {
  PlanRequest request = real_request();
  request.sets = {parse_override("ring12.radius_m=0.5"), parse_override("imaging.noise_sigma=0")};
  const Case planned = plan(request).cases[0];
  EXPECT_EQ(planned.name, "flat_plane/plane_sweep/seed=42");
  EXPECT_EQ(std::get<double>(option(planned, "ring12.radius_m")), 0.5);
  EXPECT_EQ(std::get<double>(option(planned, "imaging.noise_sigma")), 0);
  request.sets = {parse_override("perturb.water_z_m=0.002")};
  request.axes = {parse_axis("perturb.n_water=0,0.001")};
  EXPECT_EQ(plan(request).cases[1].name, "flat_plane/plane_sweep/seed=42/perturb.n_water=0.001");
  EXPECT_EQ(std::get<double>(option(plan(request).cases[1], "perturb.water_z_m")), 0.002);
  request.axes.clear();
  request.images.imaging = "clean";
  request.sets = {parse_override("imaging.noise_sigma=0.02")};
  EXPECT_EQ(std::get<double>(option(plan(request).cases[0], "imaging.noise_sigma")), 0.02) << "--set wins";
}

TEST(PlanImages, MistakesAreNamed) {
  const auto error_with = [](const std::function<void(PlanRequest&)>& change) {
    PlanRequest request = real_request();
    change(request);
    return usage_message(request);
  };
  EXPECT_THAT(error_with([](auto& r) { r.images.rig = "ring13"; }), HasSubstr("did you mean ring12"));
  EXPECT_THAT(error_with([](auto& r) { r.images.imaging = "cleen"; }), HasSubstr("did you mean clean"));
  EXPECT_THAT(error_with([](auto& r) { r.axes = {parse_axis("rig=nope")}; }),
              HasSubstr("unknown rig 'nope'"));
  EXPECT_THAT(error_with([](auto& r) { r.axes = {parse_axis("width=1.5")}; }), HasSubstr("--axis width"));
  EXPECT_THAT(error_with([](auto& r) {
                r.images.width_px = 480;
                r.axes = {parse_axis("width=240,480")};
              }),
              HasSubstr("--axis width excludes --width"));
  EXPECT_THAT(error_with([](auto& r) {
                r.images.width_px = 480;
                r.sets = {parse_override("ring12.width=640")};
              }),
              HasSubstr("width 480: ring12.width=640 contradicts it"));
  EXPECT_THAT(error_with([](auto& r) {
                r.axes = {parse_axis("rig=ring12,sparse4"), parse_axis("ring12.radius_m=1")};
              }),
              HasSubstr("excludes --axis rig"));
  EXPECT_THAT(error_with([](auto& r) { r.sets = {parse_override("sparse4.radius_m=1")}; }),
              HasSubstr("workload of this sweep 'sparse4'"));
  EXPECT_THAT(error_with([](auto& r) {
                r.methods = {"roma_like"};
                r.images.height_px = 100;
              }),
              HasSubstr("--height: no method of this sweep uses images"));
}

TEST(PlanImages, AMeshIsRenderedUnlessTheCommandAsksForNoDataset) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.ply";
  std::ofstream(file) << "ply";
  PlanRequest request = real_request();
  request.scenes = {"mesh:" + file.string()};
  EXPECT_TRUE(plan(request).cases.at(0).images);
  request.methods = {"external"};
  const auto with_command = [&](const std::string& command) {
    request.sets = {parse_override("external.command=" + command)};
    return plan_sweep(request).cases.at(0).images.has_value();
  };
  request.axes.clear();
  EXPECT_TRUE(with_command("./mine {dataset} {output}"));
  EXPECT_FALSE(with_command("./mine {output}"));
}

TEST(PlanImages, ASuitesChoiceIsTheDefaultOfTheFlags) {
  PlanRequest request;
  request.own_suite =
      Suite{"mine", "d", {"flat_plane"}, {"plane_sweep"}, {42}, {}, {}, {}, {"sparse4", "clean", 480, 360}};
  EXPECT_EQ(plan(request).cases[0].name,
            "flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=480/height=360");
  request.images.width_px = 240;
  request.images.rig = "ring12";
  EXPECT_EQ(plan(request).cases[0].name, "flat_plane/plane_sweep/seed=42/imaging=clean/width=240")
      << "a size is one choice";
  const Json json = requested_json(request);
  const PlanRequest same = request_from_json(json, "test");
  EXPECT_EQ(requested_json(same), json);
  EXPECT_EQ(plan(same).sha256, plan(request).sha256);
  request.images = {};
  request.axes = {parse_axis("width=240,800")};
  EXPECT_EQ(plan(request).cases[1].name,
            "flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=800");
}

TEST(PlanImages, TheHashStandsForThem) {
  std::set<std::string> hashes;
  for (const char* variant : {"default", "clean", "low_contrast"}) {
    PlanRequest request = real_request();
    request.images.imaging = variant;
    hashes.insert(plan(request).sha256);
  }
  EXPECT_THAT(hashes, SizeIs(3));
}

// What asks for {dataset} in any place looks at it; depth maps are scored against rendered ones.
TEST(RendersImages, ForAllButProgramsThatDoNotLook) {
  Case planned;
  planned.method = "sparse";
  EXPECT_FALSE(renders_images(planned)) << "a case without images";
  planned.images = CaseImages();
  EXPECT_TRUE(renders_images(planned));
  planned.method = "external";
  planned.options = {{"external.command", std::string("x {output}")}};
  EXPECT_FALSE(renders_images(planned));
  planned.options = {{"external.command", std::string("x {dataset} {output}")}};
  EXPECT_TRUE(renders_images(planned));
  const auto declared = [&](const char* text) {
    planned.method = "mine";
    planned.declaration = Json::parse(text);
    return renders_images(planned);
  };
  EXPECT_FALSE(declared(R"({"name": "mine", "command": "x {output} {{dataset}}"})"));
  EXPECT_TRUE(declared(R"({"name": "mine", "command": "x {output} {dataset}"})"));
  EXPECT_TRUE(declared(R"({"name": "mine", "command": "x {output}", "env": {"DATA": "{dataset}"}})"));
  EXPECT_TRUE(declared(R"({"name": "mine", "command": "x {output}", "depth_maps": "depth"})"));
}

namespace fs = std::filesystem;

// Makes a recording of one frame.
void make_recording(const fs::path& dir) {
  const Rig rig =
      make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
  fs::create_directories(dir);
  write_calibration(dir / "calibration.json", rig, {"d", "s", "h"});
  for (const Camera& camera : rig.cameras) {
    fs::create_directories(dir / camera.name);
    write_file(dir / camera.name / "0.png", encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, 100)));
  }
}

// A method of one case would find the truth of another in a folder that it may read.
TEST(SceneChoice, TruthsOfAllRecordingsAreHiddenAlsoWhereALinkLeads) {
  const test::TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  for (const char* const name : {"first", "second"}) make_recording(root / name);
  fs::create_directories(root / "first/truth");
  fs::create_directories(root / "kept/elsewhere");
  fs::create_directory_symlink(root / "kept/elsewhere", root / "second/truth");
  choose_recording("dataset:" + (root / "first").string());
  choose_recording("dataset:" + (root / "second").string());
  for (const char* const hidden : {"first/truth", "second/truth", "kept/elsewhere"})
    EXPECT_THAT(hidden_of_recordings(), Contains(root / hidden));
}

}  // namespace
}  // namespace aqbench
