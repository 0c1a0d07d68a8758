// `aqbench eval --protocol` of depth maps and point maps in files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"
#include "tests/scenes/images/small_png.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class EvalMaps : public Folder {
 protected:
  void write_npy(const char* name, const std::string& shape, std::span<const float> values,
                 const std::string& type = "<f4") const {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    std::ofstream file(dir_ / name, std::ios::binary);
    file << std::string("\x93NUMPY\x01\0v\0", 10) << header << '\n';
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
  }
};

TEST_F(EvalMaps, AStackOfDepthMapsScoresAsAFolderOfThem) {
  const std::vector<float> truth = {2, 4, 3, 6}, predicted = {1, 2, 1, 2};
  write_npy("truth.npy", "2, 1, 2", truth);
  write_npy("predicted.npy", "2, 1, 2", predicted);
  for (const char* const folder : {"t", "p"}) std::filesystem::create_directory(dir_ / folder);
  write_npy("t/a.npy", "1, 2", std::span(truth).first(2));
  write_npy("t/b.npy", "1, 2", std::span(truth).last(2));
  write_npy("p/a.npy", "1, 2", std::span(predicted).first(2));
  write_npy("p/b.npy", "1, 2", std::span(predicted).last(2));
  const auto values = [&](const char* command) {
    return document_of(run(words(fmt::format("eval {} --json", command)))).at("protocols").at(0).at("values");
  };
  const json of_stack = values("predicted.npy --truth truth.npy --protocol robustmvd");
  EXPECT_EQ(of_stack.at(0).at("value"), 0);  // each map by its own median
  EXPECT_EQ(of_stack, values("p --truth t --protocol robustmvd"));
  // One scale for both: the medians are 3.5 and 1.5.
  const json whole = values("p --truth t --protocol robustmvd --knob per=sequence");
  EXPECT_NEAR(whole.at(0).at("value").get<double>(), ((7.0 / 6 - 1) + (1 - 7.0 / 9)) / 2, 1e-12);
  write_npy("t/c.npy", "1, 2", std::span(truth).last(2));
  const ProgramResult fewer = run("eval p --truth t --protocol robustmvd");
  EXPECT_THAT(fewer.out, HasSubstr("1 of the 3 files in t have no prediction and do not count"));
  write_npy("p/d.npy", "1, 2", std::span(truth).last(2));
  expect_mistake(run("eval p --truth t --protocol robustmvd"), "t: has no file called d");
  expect_mistake(run("eval p --truth truth.npy --protocol eigen"), "p is a folder, truth.npy is not");
}

TEST_F(EvalMaps, PointMapsAreArraysOfViews) {
  std::vector<float> truth, predicted;  // a tent, and the same twice as large
  for (int i = 0; i < 24; ++i)
    for (const int coordinate : {i % 6, i / 6, std::abs(i % 6 - 2) + 5}) {
      truth.push_back(static_cast<float>(coordinate));
      predicted.push_back(2 * truth.back());
    }
  write_npy("truth.npy", "2, 3, 4, 3", truth);
  write_npy("predicted.npy", "2, 3, 4, 3", predicted);
  write_npy("one_view.npy", "6, 4, 3", predicted);
  const json values =
      document_of(run("eval predicted.npy --truth truth.npy --unit mm --truth-unit mm --protocol "
                      "point-maps --json"))
          .at("protocols")
          .at(0)
          .at("values");
  EXPECT_NEAR(values.at(0).at("value").get<double>(), 0, 1e-9);
  expect_mistake(run("eval one_view.npy --truth truth.npy --protocol point-maps"),
                 "one_view.npy: 1 x 6 x 4 x 3 values where truth.npy has 2 x 3 x 4 x 3");
  for (const char* const more : {"", " --out b"})
    expect_mistake(run(words(fmt::format("eval truth.npy --truth truth.npy --protocol point-map{}", more))),
                   "unknown protocol 'point-map'; did you mean point-maps");
  expect_mistake(run("eval truth.npy --truth truth.npy --protocol point-maps --knob min_confidence=1"),
                 "min_confidence: needs --confidence");
}

TEST_F(EvalMaps, ImagesAreComparedByNameAndMask) {
  const std::vector<float> truth(2 * 2 * 3, 0.5F);
  std::vector<float> predicted = truth;
  predicted[0] = predicted[1] = predicted[2] = 0.75F;
  for (const char* const folder : {"t", "p", "m"}) std::filesystem::create_directory(dir_ / folder);
  write_npy("t/a.npy", "2, 2, 3", truth);
  write_npy("p/a.npy", "2, 2, 3", predicted);
  write_npy("m/a.npy", "2, 2", std::vector<float>{1, 1, 0, 0});
  write_npy("depth.npy", "2, 2", std::vector<float>{1, 2, 3, 4});
  const auto mse = [&](const std::string& command) {
    return document_of(run(words(fmt::format("eval p --truth t --protocol {} --json", command))))
        .at("protocols")
        .at(0)
        .at("values")
        .at(2)
        .at("value")
        .get<double>();
  };
  EXPECT_NEAR(mse("images"), 0.0625 / 4, 1e-9);
  EXPECT_NEAR(mse("images --mask m"), 0.0625 / 2, 1e-9);
  EXPECT_NEAR(mse("images-nerfbaselines --mask m --knob eight_bit=no"), 0.0625 / 4, 1e-9);
  for (const char* const type : {"|b1", "|u1"}) {  // of 0 and 1
    write_npy("m/a.npy", "2, 2", std::vector<float>{std::bit_cast<float>(0x0101)}, type);
    EXPECT_NEAR(mse("images-nerfbaselines --mask m --knob eight_bit=no"), 0.0625 / 4, 1e-9);
  }
  expect_mistake(run("eval depth.npy --truth t/a.npy --protocol images"),
                 "depth.npy: 2 x 2 x 1 values: expected rows x columns x 3");
  write_npy("mask.npy", "2, 2", std::vector<float>{1, 0, 0, 0});
  const json masked =
      document_of(run("eval depth.npy --truth depth.npy --protocol depth --mask mask.npy --json"));
  EXPECT_EQ(masked.at("protocols").at(0).at("values").back().at("value"), 1);  // pixels
}

TEST_F(EvalMaps, DepthMapsOfAnotherShapeOrOfIntegersAreRefused) {
  const std::vector<float> depths(6, 1.5F);
  write_npy("truth.npy", "2, 3", depths);
  write_npy("same.npy", "2, 3, 1", depths);
  write_npy("turned.npy", "3, 2", depths);
  write_npy("counts.npy", "2, 3", depths, "<i4");
  const auto scored = [&](const char* name) {
    return run("eval {} --protocol depth --truth truth.npy", name);
  };
  succeeded(scored("same.npy"));
  expect_mistake(scored("turned.npy"), "turned.npy: 3 x 2 values where ");
  write_npy("colours.npy", "1, 2, 3", depths);
  expect_mistake(scored("colours.npy"), "colours.npy: 1 x 2 x 3 values are colours or points");
  expect_mistake(scored("counts.npy"), "counts.npy: holds counts: give --depth-scale");
}

// KITTI's depths are counts of 1/256 m; COLMAP's are metres.
TEST_F(EvalMaps, DepthMapsOfOtherProgramsCountInMetres) {
  std::ofstream(dir_ / "counts.png", std::ios::binary) << small_png();  // 1, 256, 1000, 65535
  const std::vector<float> metres = {1 / 256.0F, 1, 1000 / 256.0F, 65535 / 256.0F};
  std::ofstream colmap(dir_ / "metres.bin", std::ios::binary);
  colmap << "2&2&1&";
  colmap.write(reinterpret_cast<const char*>(metres.data()), 16);
  colmap.close();
  const char* const command = "eval counts.png --truth metres.bin --protocol depth --json";
  expect_mistake(run(command), "counts.png: holds counts: give --depth-scale METRES");
  const json value = document_of(run(with(words(command), {"--depth-scale", "0.00390625"})))
                         .at("protocols")
                         .at(0)
                         .at("values")
                         .at(0);
  EXPECT_EQ(value.at("name"), "abs_rel");
  EXPECT_EQ(value.at("value").get<double>(), 0);
}

}  // namespace
}  // namespace aqbench::testing
