// `aqbench eval --protocol` of sets of poses in files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

class EvalPoseSets : public Folder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name) << text;
  }

  // A camera that looks along z, with its centre at (x, y, z).
  static std::string row(const char* scene, const char* image, double x, double y, double z) {
    return fmt::format("pool,{},{},1;0;0;0;1;0;0;0;1,{};{};{}\n", scene, image, -x, -y, -z);
  }

  double value(const std::string& command, const std::string& name, double threshold = 0) {
    const nlohmann::json document = document_of(run(words("eval " + command + " --json")));
    for (const auto& value : document.at("protocols").at(0).at("values"))
      if (value.at("name") == name && value.value("threshold", 0.0) == threshold)
        return value.at("value").get<double>();
    return -1;
  }
};

TEST_F(EvalPoseSets, TablesAndFoldersOfModelsAreSets) {
  const std::string header = "dataset,scene,image,rotation_matrix,translation_vector\n";
  const std::string truth = row("a", "1.png", 0, 0, 0) + row("a", "2.png", 1, 0, 0) +
                            row("a", "3.png", 0, 2, 0) + row("a", "4.png", 0, 0, 3) +
                            row("a", "5.png", 1, 1, 4);
  write("truth.csv", header + truth + row("outliers", "6.png", 0, 0, 0));
  write("same.csv", header + truth + "pool,outliers,6.png,nan;nan;nan;nan;nan;nan;nan;nan;nan,nan;nan;nan\n");
  EXPECT_EQ(value("same.csv --truth truth.csv --protocol imc-2025", "score"), 1);
  EXPECT_EQ(value("same.csv --truth truth.csv --protocol imc-2024", "maa"), 1);
  // COLMAP has camera_from_world: three images in one model, two in another: 6 + 2 of 20 pairs.
  const auto line = [](int id, const char* image, double x, double y, double z) {
    return fmt::format("{} 1 0 0 0 {} {} {} 1 {}\n\n", id, -x, -y, -z, image);
  };
  write("models/0/images.txt",
        line(1, "1.png", 0, 0, 0) + line(2, "2.png", 1, 0, 0) + line(3, "3.png", 0, 2, 0));
  write("models/1/images.txt", line(1, "4.png", 0, 0, 3) + line(2, "5.png", 1, 1, 4));
  EXPECT_EQ(value("models --truth truth.csv --protocol pose-sets", "relative_recall", 5), 8.0 / 20);
  EXPECT_EQ(value("models --truth truth.csv --protocol pose-sets", "absolute_recall", 0.05), 5.0 / 6);
  EXPECT_EQ(value("models/0 --truth truth.csv --protocol pose-sets", "relative_recall", 5), 6.0 / 20);
  EXPECT_EQ(value("models --truth models --protocol pose-sets", "relative_recall", 5), 1);
  // Centimetres: 2 cm are 2 m.
  EXPECT_EQ(
      value("models --truth models --unit mm --truth-unit mm --protocol pose-sets", "absolute_auc", 0.02), 1);
  EXPECT_THAT(run("eval models --truth truth.csv --protocol pose-sets").out, HasSubstr("10 deg"));
  write("bad.csv", header + row("a", "1.png", 0, 0, 0) + row("a", "1.png", 0, 0, 0));
  expect_mistake(run("eval bad.csv --truth truth.csv --protocol imc-2025"),
                 "bad.csv: line 3: 1.png comes twice in a");
  write("turned.csv", header + "p,a,1.png,1;0;0;0;1;0;0;0;2,0;0;0\n");
  expect_mistake(run("eval turned.csv --truth truth.csv --protocol imc-2025"),
                 "rotation_matrix: not a rotation");
  write("short.csv", header + "p,a,1.png,1;0;0,0;0;0\n");
  expect_mistake(run("eval short.csv --truth truth.csv --protocol imc-2025"),
                 "short.csv: line 2: rotation_matrix: 3 numbers, expected 9");
  std::filesystem::create_directory(dir_ / "none");
  EXPECT_EQ(value("none --truth truth.csv --protocol pose-sets", "relative_auc", 5), 0);
  expect_mistake(run("eval models --truth none --protocol pose-sets"), "none: holds no model");
  expect_mistake(run("eval models --truth truth.csv --protocol pose-sets --mask m.npy"),
                 "--mask, --confidence");
}

}  // namespace
}  // namespace aqbench::testing
