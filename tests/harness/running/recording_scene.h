#pragma once
// A recording of two cameras and three frames, and a program that reconstructs it.

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/processes/isolate.h"
#include "harness/planning/scene_choice.h"
#include "scenes/cloud/npy.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/harness/support.h"

namespace aqbench {

class RecordingScene : public testing::Test {
 protected:
  RecordingScene() {
    const Rig rig =
        make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
    make(dir_ / "truth");
    write_calibration(dir_ / "calibration.json", rig, {"d", "s", "h"});
    const std::vector<std::uint16_t> grey(16 * 12, 100);
    for (const Camera& camera : rig.cameras)
      for (const char* const frame : {"0.png", "1.png", "2.png"}) {
        make(dir_ / camera.name);
        write_file(dir_ / camera.name / frame, encode_png(16, 12, 8, grey));
      }
    request_.scenes = {"dataset:" + dir_.string()};
    request_.methods = {"external"};
    request_.threads = 1;
    use_program(1);
  }
  static void make(const std::filesystem::path& folder) { std::filesystem::create_directories(folder); }

  // A square of 0.24 m at z = 1.178 m, in millimetres.
  void add_scan() const {
    write_file(
        dir_ / "truth/scan.ply",
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
        "z\nelement "
        "face 2\nproperty list uchar int vertex_indices\nend_header\n-120 -120 1178\n120 -120 1178\n120 120 "
        "1178\n-120 120 1178\n3 0 1 2\n3 0 2 3\n");
    write_file(dir_ / "truth/truth.json", R"({"surface": {"file": "scan.ply", "unit": "mm"}})");
  }
  // A program that sees no truth and writes points at z = 1.179 m times `scale`.
  void use_program(double scale) {
    std::ofstream(folder_.path() / "script.sh")
        << "cat " << (dir_ / "truth/truth.json").string() << " 2>/dev/null && exit 9\n"
        << "test -e $1/truth && exit 8\ntest -e $1/images/cam00/000000.png || exit 7\n"
        << "printf 'ply\\nformat ascii 1.0\\nelement vertex 3\\nproperty float x\\nproperty float "
           "y\\nproperty "
           "float z\\nend_header\\n0 0 "
        << 1.179 * scale << "\\n"
        << 0.1 * scale << " 0 " << 1.179 * scale << "\\n0 " << 0.1 * scale << " " << 1.179 * scale
        << "\\n' > \"$2/cloud.ply\"\n";
    request_.sets = {parse_override("external.command=/bin/sh " + (folder_.path() / "script.sh").string() +
                                    " {dataset} {output}")};
  }
  Record run_in_child(const Case& planned) const {
    CaseBoard board;
    const IsolateOutcome outcome = run_isolated([&] { return encode_case_result(run_case(planned, board)); },
                                                {.timeout_s = 120, .log_file = folder_.path() / "log"});
    EXPECT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.log_tail;
    return decode_case_result(outcome.result).record;
  }

  test::TemporaryFolder folder_;
  std::filesystem::path dir_ = folder_.path() / "tank";
  PlanRequest request_;
};

}  // namespace aqbench
