#include "harness/scoring/photographs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"
#include "harness/scoring/depth_pictures.h"
#include "scenes/images/image_file.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

class Photographs : public ::testing::Test {
 protected:
  Photographs() {
    result_.record.case_name = "tank/sparse/seed=1";
    subject_.depths_dir = folder_.path();
    subject_.rig.emplace();
  }

  // A camera whose image has one grey.
  void add_camera(const std::string& name, std::uint16_t grey, bool is_auxiliary = false) {
    Camera& camera = subject_.rig->cameras.emplace_back();
    camera.name = name;
    camera.is_auxiliary = is_auxiliary;
    std::filesystem::create_directories(folder_ / "images" / name);
    write_file(folder_ / "images" / name / "000000.png",
               encode_png(512, 4, 8, std::vector<std::uint16_t>(512 * 4, grey)));
  }

  void add_file(const char* folder, const char* ending, std::string bytes) {
    result_.artefacts.emplace_back(case_file(folder, result_.record.case_name, ending), std::move(bytes));
  }

  std::string file(const std::string& name) {
    const std::string path = case_file(kPicturesFolder, result_.record.case_name, "/") + name;
    const auto found = std::ranges::find(result_.artefacts, path, &PictureFiles::value_type::first);
    return found == result_.artefacts.end() ? "" : found->second;
  }

  TemporaryDirectory folder_;
  Subject subject_;
  CaseResult result_;
};

TEST_F(Photographs, StandBesideThePicturesOfDepths) {
  add_camera("cam00", 10);
  add_camera("helper", 20, true);
  add_camera("cam01", 30);
  add_file(kViewerFolder, ".bin", "view");
  add_file(kPicturesFolder, "/pictures.csv",
           kPictureListHeader + std::string("depth.png,depth,cam00,m,1,2,1,80,\n"));
  keep_photographs(subject_, result_);
  EXPECT_EQ(file("pictures.csv"),
            "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\n"
            "depth.png,depth,cam00,m,1,2,1,80,\n"
            "photograph.jpg,photograph,cam00,,0,255,1,,\n"
            "photograph_1.jpg,photograph,cam01,,0,255,1,,\n");
  const RgbImage second = decode_rgb_jpeg(file("photograph_1.jpg"), "photograph_1.jpg");
  EXPECT_EQ(second.width, 512);
  EXPECT_EQ(second.height, 4);
  EXPECT_NEAR(second.bytes[0], 30, 2);
  EXPECT_EQ(file("photograph_2.jpg"), "");
}

TEST_F(Photographs, AreNotKeptWithoutAViewOrWithoutImages) {
  add_camera("cam00", 10);
  keep_photographs(subject_, result_);
  EXPECT_THAT(result_.artefacts, ::testing::IsEmpty());
  add_file(kViewerFolder, ".bin", "view");
  subject_.depths_dir.clear();
  keep_photographs(subject_, result_);
  EXPECT_THAT(result_.artefacts, ::testing::SizeIs(1));
}

TEST_F(Photographs, OfManyCamerasAreChosenEvenly) {
  for (int i = 0; i < 130; ++i) add_camera(fmt::format("cam{:03}", i), 10);
  add_file(kViewerFolder, ".bin", "view");
  keep_photographs(subject_, result_);
  EXPECT_EQ(result_.artefacts.size(), 2 + 44u);  // each third camera
  EXPECT_THAT(file("pictures.csv"), ::testing::HasSubstr("photograph_129.jpg,photograph,cam129,"));
}

}  // namespace
}  // namespace aqbench
