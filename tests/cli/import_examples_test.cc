// The commands of docs/importing.md, as they stand there, on small files in the layouts of other harnesses.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

class ImportExamples : public UserFolder {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir_ / "bin");
    std::filesystem::create_symlink(AQBENCH_BINARY, dir_ / "bin/aqbench");
  }

  // The block of code of this language after a heading of the document.
  static std::string block(const std::string& heading, const std::string& language) {
    const std::string text = read_file(AQBENCH_SOURCE_DIR "/docs/importing.md");
    const std::string open = "```" + language + "\n";
    const std::size_t begin = text.find(open, text.find(heading)) + open.size();
    return text.substr(begin, text.find("```", begin) - begin);
  }

  // Runs the commands in a shell; returns what they printed.
  std::string shell(const std::string& commands) {
    write("commands.sh", commands);
    const std::string folder = dir_.path().string();
    const std::string line =
        fmt::format("cd '{0}' && PATH='{0}/bin':$PATH PYTHONPATH='{0}' sh commands.sh >printed 2>&1", folder);
    [[maybe_unused]] const int code = std::system(line.c_str());
    return read_file(dir_ / "printed");
  }

  // The values of a metric by case.
  std::map<std::string, double> values(const std::string& bundle, const std::string& metric) {
    std::map<std::string, double> found;
    const auto results = json_file(dir_ / bundle / "results.json");
    for (const auto& record : results.at("records"))
      found[record.at("case").get<std::string>()] = record.at("metrics").at(metric).at("value").get<double>();
    return found;
  }

  static bool has(const char* program) {
    return std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) == 0;
  }
};

TEST_F(ImportExamples, ATableOfMethodsScenesAndSeeds) {
  std::string table = "model,dataset,run,PSNR,LPIPS\n";
  for (int scene = 0; scene < 8; ++scene)
    for (int seed = 1; seed <= 5; ++seed) {
      const double base = 20 + scene + 0.01 * seed;
      table +=
          fmt::format("base,scene{0},{1},{2},0.3\nfine,scene{0},{1},{3},0.2\npoor,scene{0},{1},{4},0.4\n",
                      scene, seed, base, base + 1 + 0.001 * seed, base - 1 - 0.001 * seed);
    }
  write("scores.csv", table);
  const std::string printed = shell(block("# Numbers of another harness", "sh"));
  EXPECT_NEAR(values("scores", "psnr").at("scene3/fine/seed=2"), 24.022, 1e-9) << printed;
  EXPECT_EQ(values("scores", "lpips").at("scene7/poor/seed=5"), 0.4);
  EXPECT_EQ(values("scores", "psnr").size(), 120U);
  EXPECT_THAT(printed,
              ::testing::AllOf(HasSubstr("fine, all scenes"), HasSubstr("BETTER"), HasSubstr("WORSE")));
  EXPECT_THAT(read_file(dir_ / "page.html"), HasSubstr("numbers of scores.csv, sha256 "));
}

// Reports of COLMAP's benchmark, pickled objects of its class Metrics by data set, category and scene.
TEST_F(ImportExamples, ReportsOfColmap) {
  if (!has("python3")) GTEST_SKIP() << "python3 is not installed";
  write("evaluation/__init__.py", "");
  write("evaluation/utils.py", R"(import dataclasses
@dataclasses.dataclass(kw_only=True)
class Metrics:
    recalls: list
    aucs: list
    error_thresholds: list
    error_type: str
    num_images: int = 7
    num_reg_images: int = 7
    num_components: int = 1
    largest_component: int = 7
def get_scores(error_type, metrics):
    return metrics.aucs if error_type.endswith("auc") else metrics.recalls
)");
  write("reports.py", R"(import os, pickle
from evaluation.utils import Metrics
os.makedirs("runs/X")
def metrics(score):
    return Metrics(recalls=[1.0, 2.0], aucs=[score, score + 10], error_thresholds=[0.5, 1.0],
                   error_type="relative_auc")
for label, gain in [("base", 0), ("msac", -3)]:
    for seed in range(5):
        scenes = {name: metrics(start + gain + 0.25 * seed) for name, start in [("door", 60), ("pipes", 40)]}
        scenes["__avg__"] = scenes["__all__"] = metrics(99)
        with open(f"runs/X/{label}_s{seed}.pkl", "wb") as file:
            pickle.dump({"eth3d": {"dslr": scenes}}, file)
)");
  shell("python3 reports.py");
  write("scores.py", block("## COLMAP", "python"));
  const std::string printed = shell(block("## COLMAP", "sh"));
  const auto auc = values("colmap", "auc");
  EXPECT_EQ(auc.size(), 20U) << printed;
  EXPECT_EQ(auc.at("eth3d-dslr-door/base/seed=0"), 60);
  EXPECT_EQ(auc.at("eth3d-dslr-pipes/msac/seed=3"), 37.75);
  EXPECT_THAT(printed, HasSubstr("auc WORSE (-3)"));
}

TEST_F(ImportExamples, ResultsOfNerfBaselines) {
  if (!has("jq")) GTEST_SKIP() << "jq is not installed";
  for (const auto& [method, psnr] : {std::pair("nerfacto", 24.5), {"gaussian-splatting", 27.125}})
    for (const auto& [scene, more] : {std::pair("garden", 0.0), {"bicycle", -2.0}})
      write(fmt::format("results/{}/mipnerf360/{}.json", method, scene),
            fmt::format(R"({{
  "render_datetime": "2026-05-01T10:00:00",
  "render_version": "1.2.6",
  "render_dataset_metadata": {{"id": "mipnerf360", "scene": "{}", "downscale_factor": 4, "type": "object-centric"}},
  "nb_info": {{"method": "{}", "nb_version": "1.2.6", "num_iterations": 30000, "total_train_time": 1394.1,
              "resources_utilization": {{"memory": 9203, "gpu_memory": 11205, "gpu_name": "NVIDIA A100-SXM4-40GB"}}}},
  "evaluate_datetime": "2026-05-01T10:20:00",
  "evaluate_version": "1.2.6",
  "metrics": {{"psnr": {}, "ssim": 0.86123, "lpips": 0.1, "lpips_vgg": 0.2, "mse": 0.002}},
  "metrics_raw": {{"psnr": "AADIQQAA0EE="}},
  "metrics_sha256": "00", "predictions_sha256": "01", "ground_truth_sha256": "02",
  "evaluation_protocol": "nerf"
}}
)",
                        scene, method, psnr + more));
  const std::string printed = shell(block("## NerfBaselines", "sh"));
  const auto psnr = values("nerf", "psnr");
  EXPECT_EQ(psnr.size(), 4U) << printed;
  EXPECT_EQ(psnr.at("garden/gaussian-splatting"), 27.125);
  EXPECT_EQ(psnr.at("bicycle/nerfacto"), 22.5);
  EXPECT_EQ(values("nerf", "ssim").at("garden/nerfacto"), 0.86123);
  EXPECT_EQ(values("nerf", "lpips").at("bicycle/gaussian-splatting"), 0.1);
  EXPECT_THAT(printed, HasSubstr("columns that are not imported: lpips_vgg"));
}

}  // namespace
}  // namespace aqbench::testing
