#include <filesystem>
#include <fstream>
#include <string>

#include "tests/reports/bundle/forged_lies.h"

#include "core/files.h"
#include "core/sha256.h"

namespace aqbench::forging {
namespace {

void scale_metric(Json& record, const char* name, double by) {
  Json& value = record["metrics"][name]["value"];
  value = by * value.get<double>();
}

std::string without_ending(const std::string& csv) { return csv.substr(0, csv.size() - 4); }

}  // namespace

Lies lies_about_sources() {
  const auto tell = [](ForgedSweep& b) {
    const std::string zeros(64, '0');
    Json program;
    b.record(kExternal, [&](Json& record) {
      record["isolation"] = "perfect";
      record["stages"] = Json::array();
      program = record.at("program");
    });
    b.record(kDepth, [&](Json& record) {
      record.erase("isolation");
      record["dataset_sha256"] = zeros;
      record["timing"].erase("dataset_ms");
    });
    const auto add_file = [&b](Json& record, const std::string& file) {
      std::filesystem::create_directories((b.folder / file).parent_path());
      std::ofstream(b.folder / file) << "certified\n";
      record["files"][file] = sha256_hex("certified\n");
    };
    const auto name_of = [&b](const char* start) { return b.file_of(start, "tiles/").substr(6); };
    b.record(kFailed,
             [&](Json& record) { add_file(record, "tiles/flat_plane__lightglue_like__seed=42.csv"); });
    b.record(kDepth,
             [&](Json& record) { add_file(record, "logs/" + without_ending(name_of(kDepth)) + ".log"); });
    b.record(kExternal, [&](Json& record) {
      add_file(record, "pictures/" + without_ending(name_of(kExternal)) + "/depth.png");
      add_file(record, "pictures/" + without_ending(name_of(kExternal)) + "/praise.html");
    });
    b.record(kSimulated, [&](Json& record) {
      add_file(record, "views/" + name_of(kSimulated));
      record["isolation"] = "namespace";
      record["dataset_sha256"] = zeros;
      record["program"] = program;
      record["stages"][2]["name"] = "thinking";
      record["injected"][0]["times"] = 0;
      record["metrics"]["control_rms_mm"] = {{"value", 0.1}, {"unit", "mm"}, {"better", "lower"}};
      record["metrics"]["completeness_3mm_pct"] = {{"value", 100.0}, {"unit", "%"}, {"better", "higher"}};
      record["timing"]["throughput"] = {{"value", 1e9}, {"unit", "points/s"}};
      record["timing"]["dataset_ms"] = 12.5;
      record["stages"][0]["device_ms"] = {1.0};
      std::ofstream(b.folder / "logs" / "approved.log") << "fine\n";
      record["files"]["logs/approved.log"] = sha256_hex("fine\n");
    });
    b.record(kWorkload, [](Json& record) {
      for (auto& [name, metric] : record["metrics"].items()) metric["better"] = "higher";
      record["timing"]["throughput"]["unit"] = "Gpx/s";
      record["timing"]["details"]["stopped"] = "approved";
      record["timing"]["details"]["figures"]["gflop"] = -1.0;
      record["timing"]["details"]["figures"].erase("peak_gflops");
    });
    b.environment([](Json& json) {
      json["build"]["compiler"] = json["comparability"]["compiler"] = "MIPSpro 7";
      json["comparability"]["cpu_model"] = "Cray-1";
      json["comparability"]["cores"] = 4096;
      json["comparability"]["memory"] = "0 to 1 GiB";
      json["libraries"]["fmt"] = "99";
      json["device"] = json["comparability"]["device"] = "cuda";
      json["dtype"] = json["comparability"]["dtype"] = "float8";
    });
  };
  return {tell,
          {"isolation 'perfect': is none",
           "isolation '': is none",
           "'namespace': a real method alone",
           "looks at the same dataset",
           "it looks at no dataset",
           "dataset_ms: is missing",
           "program: it runs none",
           "roma_like has no stage thinking",
           "stages: are missing",
           "no fault struck in stage simulation",
           "control_rms_mm, which such a case has not",
           "completeness_3mm_pct is none",
           "as a workload alone has",
           "dataset_ms: it looks at no dataset",
           "device_ms: a device was not asked for",
           "'logs/approved.log' is no file of this case",
           "praise.html' is no file of this case",
           "has pictures of depths, and no table of them",
           "files: 'views/flat_plane__roma_like__seed=42.csv', which such a case has not",
           "files: 'tiles/flat_plane__lightglue_like__seed=42.csv', which such a case has not",
           "files: 'logs/flat_plane__dense_flow__",
           "is no identity of a workload",
           "throughput.unit: is 'Gpx/s'",
           "'approved' is no reason",
           "figures.gflop: is -1",
           "hold a part of the roofline",
           "environment.build.compiler is not",
           "environment.comparability.cpu_model is not",
           "environment.comparability.cores are not",
           "environment.comparability.memory is not",
           "environment.libraries.fmt is not",
           "environment.device is \"cuda\"",
           "environment.dtype is \"float8\""}};
}

Lies lies_about_errors() {
  const auto tell = [](ForgedSweep& b) {
    b.record(kSimulated, [](Json& record) {
      scale_metric(record, "bias_mean_mm", 0.9);
      scale_metric(record, "bias_median_mm", 5);
      scale_metric(record, "accuracy_rmse_mm", 0.95);
      scale_metric(record, "accuracy_p90_mm", 0.3);
      scale_metric(record, "accuracy_max_mm", 3);
      scale_metric(record, "completeness_median_mm", 0.01);
      record["metrics"]["elegance_pct"] = {{"value", 100.0}, {"unit", "%"}, {"better", "higher"}};
      record["metrics"]["completeness_1mm_pct"] = {
          {"value", nullptr}, {"unit", "%"}, {"better", "higher"}, {"reason", "too shy"}};
    });
    b.record(kExternal, [](Json& record) { record["metrics"].erase("completeness_seen2_5mm_pct"); });
    // A case with all causes of holes, cameras and normals.
    b.record(kDepth, [](Json& record) {
      for (const char* const cause : {"holes_not_visible_pct", "holes_no_depth_pct", "holes_wrong_depth_pct",
                                      "holes_filtered_pct", "holes_fused_pct"})
        record["metrics"][cause] = {{"value", 1.0}, {"unit", "%"}, {"better", "lower"}};
      for (const char* const left_out :
           {"camera_worst_bias_mm", "normal_mean_deg", "normal_median_deg", "normal_within_5deg_pct",
            "normal_within_11.25deg_pct", "normal_within_22.5deg_pct"})
        record["metrics"].erase(left_out);
    });
  };
  return {tell,
          {"gives bias_mean_mm", "gives bias_median_mm", "gives accuracy_rmse_mm", "gives accuracy_p90_mm",
           "gives accuracy_max_mm", "completeness_median_mm is", "elegance_pct is none",
           "completeness_1mm_pct has no value", "holes and completeness_2mm_pct sum up to",
           "completeness_seen2_5mm_pct is missing", "camera_worst_bias_mm is missing",
           "and the record has no camera_worst_bias_mm", "normal_mean_deg is missing"}};
}

Lies lies_about_commands() {
  const auto tell = [](ForgedSweep& b) {
    b.edit("commands.txt", " --threads 1", " --threads 8 --baseline seed.json");
    const std::string commands = read_file(b.folder / "commands.txt");
    const std::size_t real = commands.find("\nreal ") + 1;
    b.edit("commands.txt", commands.substr(real, commands.find('\n', real) - real), "real 0.001 s");
    b.edit("commands.txt", "\nuser ", "\nuser 99999");
    b.run()["requested"]["timeout_s"] = b.header()["requested"]["timeout_s"] = 5;
    std::ofstream(b.folder / "notes.txt") << "checked by two people\n";
    std::ofstream(b.folder / "tests.log") << "exit code: 0\n";
  };
  return {tell,
          {"says --threads 8", "asks for baseline.json, which is missing", "real 0.001 s, in which",
           " s in 0.001 s on ", "lacks --timeout", "has no flag for notes.txt", "has no flag for tests.log"}};
}

}  // namespace aqbench::forging
