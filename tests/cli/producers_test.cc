// Whatever makes results, every command that reads results takes them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/eval/eval.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

struct Producer {
  const char* name;
  const char* line;  // leaves a bundle in {}, or below {}.d
};

constexpr Producer kProducers[] = {
    {"eval", "eval cloud.xyz --scene flat_plane --out {}"},
    {"truth", "eval cloud.xyz --truth scan.xyz --max-distance 20mm --out {}"},
    {"given", "eval r/{method}/{scene}/seed{seed}.xyz --out {}"},
    {"depth", "eval --depth data/truth/cam00/depth.npy --camera cam00 --dataset data --out {}"},
    {"depth_maps", "eval p.npy --truth t.npy --protocol video-depth --out {}"},
    {"edges", "eval p.npy --truth t.npy --protocol moge-affine --knob no_edge=zero --out {}"},
    {"point_maps", "eval pm.npy --truth pt.npy --protocol point-maps --knob icp_m=0 --out {}"},
    {"normed", "eval pm.npy --truth pt.npy --protocol point-maps-normed --out {}"},
    {"images", "eval pi.npy --truth ti.npy --protocol images-3dgs --out {}"},
    {"poses", "eval e.txt --truth w.txt --protocol poses --knob relative=vggt --out {}"},
    {"pose_sets", "eval e.csv --truth w.csv --protocol pose-sets --out {}"},
    {"challenge", "eval e.csv --truth w.csv --protocol imc-2025 --out {}"},
    {"sweep", "sweep --scene flat_plane --method roma_like --out {}.d"},
    {"run", "run copy --dataset data --out {}"},
    {"import", "import {}.csv --metric psnr:dB:higher --metric lpips:1:lower --out {}"},
};

class Producers : public UserFolder, public ::testing::WithParamInterface<Producer> {
 protected:
  void SetUp() override {
    std::string plane;
    for (int i = 0; i <= 20; ++i)
      for (int k = 0; k <= 20; ++k)
        plane += fmt::format("{} {} {}\n", -0.2 + 0.02 * i, -0.1 + 0.01 * k, 1.178 - 0.001);
    std::filesystem::create_directories(dir_ / "r/mine/flat_plane");
    write("cloud.xyz", plane);
    write("scan.xyz", plane);
    write("r/mine/flat_plane/seed1.xyz", plane);
    if (std::string_view(GetParam().line).find("data") != std::string_view::npos)
      succeeded(run(words("render flat_plane --rig single_pair --width 48 --mesh-pitch-mm 50 --out data")));
    if (GetParam().name == std::string("run")) {
      write("plane.ply",
            "ply\nformat ascii 1.0\nelement vertex 441\nproperty float x\nproperty float y\nproperty float "
            "z\nend_header\n" +
                plane);
      write("aqbench.json", R"({"version": 1, "methods": [{"name": "copy",
            "command": "cp plane.ply {output}/cloud.ply"}]})");
    }
    if (std::string_view(GetParam().line).find(" --truth ") != std::string_view::npos) write_files();
    for (const char* const name : {"a.csv", "b.csv"})
      write(name,
            "method,scene,seed,psnr,lpips\n"
            "ours,garden,1,27.5,0.11\nours,garden,2,27.7,0.12\nbase,garden,1,26.1,0.2\nbase,garden,2,26.3,0."
            "21\n");
  }

  // Depth maps, point maps, images and poses, and true ones of the same names with t or w.
  void write_files() {
    std::vector<float> values[2], points[2], colours[2];
    std::string poses[2], sets[2];
    for (const int truth : {0, 1}) {
      sets[truth] = "scene,image,rotation_matrix,translation_vector\n";
      for (int i = 0; i < 16 * 16; ++i) {
        const float depth = 2 + 0.1F * static_cast<float>(i % 7) + 0.2F * static_cast<float>(i / 100);
        const float noise = truth == 1 ? 0 : 0.01F * static_cast<float>(i % 5);
        values[truth].push_back(depth + noise);
        for (const float x :
             {0.1F * static_cast<float>(i % 16), 0.1F * static_cast<float>(i / 16), depth + noise})
          points[truth].push_back(x);
        for (int c = 0; c < 3; ++c) colours[truth].push_back((depth + noise) / 4);
      }
      for (int i = 0; i < 6; ++i) {
        const double shift = truth == 1 ? 0 : 0.01 * (i % 3);
        poses[truth] += fmt::format("{} {} {} {} 0 0 0 1\n", i, i + shift, i * i, i % 2);
        sets[truth] += fmt::format("a,{}.png,1;0;0;0;1;0;0;0;1,{};{};{}\n", i, i + shift, i * i, i % 2);
      }
    }
    write("p.npy", npy("16, 16", values[0]));
    write("t.npy", npy("16, 16", values[1]));
    write("pm.npy", npy("1, 16, 16, 3", points[0]));
    write("pt.npy", npy("1, 16, 16, 3", points[1]));
    write("pi.npy", npy("16, 16, 3", colours[0]));
    write("ti.npy", npy("16, 16, 3", colours[1]));
    write("e.txt", poses[0]);
    write("w.txt", poses[1]);
    write("e.csv", sets[0]);
    write("w.csv", sets[1]);
  }

  static std::string npy(const std::string& shape, const std::vector<float>& values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\0v\0", 10) + header + '\n' +
           std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  }

  std::string make(const std::string& name) {
    std::string line = GetParam().line;
    for (std::size_t at = 0; (at = line.find("{}")) != line.npos;) line.replace(at, 2, name);
    Arguments arguments;
    for (const std::string_view word : split(line)) arguments.emplace_back(word);
    succeeded(run(arguments));
    return std::filesystem::exists(dir_ / name) ? name : only_bundle(dir_ / (name + ".d")).string();
  }

  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      words.push_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
  }
};

TEST_P(Producers, LeaveWhatEveryReaderTakes) {
  const std::string a = make("a"), b = make("b");
  for (const std::string& bundle : {a, b}) succeeded(run({"verify", bundle}));
  succeeded(run({"accept", a, "--baseline", "f.json", "--leave-out-undefined"}));
  for (const Arguments& reader : std::vector<Arguments>{{"gate", b, "--baseline", "f.json"},
                                                        {"compare", a, b},
                                                        {"report", b, "--out", "page.html"},
                                                        {"trend", a, b},
                                                        {"export", b, "--csv"},
                                                        {"export", b, "--latex"},
                                                        {"site", a, b, "--out", "site"}})
    EXPECT_EQ(run(reader).exit_code, 0) << reader[0] << run(reader).err;
  EXPECT_NE(run({"export", b, "--latex"}).out.find("begin{tabular}"), std::string::npos);
  // A bare results.json, too, where no evidence is asked for.
  const std::string bare = (std::filesystem::path(b) / "results.json").string();
  succeeded(run({"gate", bare, "--baseline", "f.json"}));
  succeeded(run({"compare", a, bare}));
}

class BareResults : public UserFolder {
 protected:
  void SetUp() override { std::filesystem::current_path(dir_.path()); }
  void TearDown() override { std::filesystem::current_path(before_); }

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

// What `eval --json` prints, and what a library returns: readers without need of evidence take it, the others
// say in one line what they need.
TEST_F(BareResults, AreReadOrAnsweredInOneLine) {
  write("cloud.xyz", "0 0 1.177\n0.01 0 1.177\n0 0.01 1.177\n0.01 0.01 1.177\n");
  const Arguments arguments = words("cloud.xyz --scene flat_plane --max-distance 20mm --json");
  succeeded(run(words("eval cloud.xyz --scene flat_plane --max-distance 20mm --out bundle")));
  succeeded(run(words("accept bundle --baseline f.json --leave-out-undefined")));
  write("program.json", run(with({"eval"}, arguments)).out);
  write("library.json", eval_answer(eval_request(arguments), arguments, {}).json);
  for (const std::string file : {"program.json", "library.json"}) {
    succeeded(run({"gate", file, "--baseline", "f.json"}));
    succeeded(run({"compare", "bundle", file}));
    for (const Arguments& reader : std::vector<Arguments>{{"verify", file},
                                                          {"accept", file, "--baseline", "f.json"},
                                                          {"report", file},
                                                          {"trend", file},
                                                          {"export", file, "--csv"},
                                                          {"site", file, "--out", "site"}}) {
      const ProgramResult refused = run(reader);
      EXPECT_EQ(refused.exit_code, 2) << reader[0];
      EXPECT_EQ(refused.err,
                "aqbench: error: " + file +
                    ": is a file; a bundle is a folder, as eval and run leave it with --out DIR\n");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Producers, ::testing::ValuesIn(kProducers),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace aqbench::testing
