#include "tests/reports/bundle/forged_lies.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "reports/text/summary.h"

namespace aqbench::forging {
namespace {

namespace fs = std::filesystem;

std::string summary_line(int version) { return "<!-- aqbench summary " + std::to_string(version) + " -->"; }

double& metric(Json& record, const char* name) {
  return record.at("metrics").at(name).at("value").get_ref<double&>();
}

// A lie that sets a metric.
Lie metric_lie(const char* name, const char* start, const char* which, double value) {
  return {name,
          [=](ForgedSweep& b) { b.record(start, [&](Json& record) { metric(record, which) = value; }); }};
}

Lie record_lie(const char* name, const char* start, std::function<void(Json&)> lie) {
  return {name, [start, lie = std::move(lie)](ForgedSweep& b) { b.record(start, lie); }};
}

}  // namespace

std::vector<Lie> lies_about_metrics() {
  return {
      metric_lie("precision of 250 %", kSimulated, "precision_2mm_pct", 250),
      metric_lie("completeness of -5 %", kSimulated, "completeness_2mm_pct", -5),
      metric_lie("an F-score of its own", kSimulated, "fscore_2mm_pct", 99),
      metric_lie("rmse below the mean", kSimulated, "accuracy_rmse_mm", 0.001),
      metric_lie("a mean below the bias", kSimulated, "accuracy_mean_mm", 1e-9),
      metric_lie("a p90 below the median", kSimulated, "accuracy_p90_mm", 1e-9),
      metric_lie("a p95 below the p90", kSimulated, "accuracy_p95_mm", 1e-9),
      metric_lie("a maximum below the p95", kSimulated, "accuracy_max_mm", 1e-9),
      metric_lie("a negative median", kSimulated, "accuracy_median_mm", -1),
      metric_lie("half a point", kSimulated, "points", 2849.5),
      metric_lie("fewer points than lie outside", kSimulated, "points", 0),
      metric_lie("a negative count", kSimulated, "points_outside_patch", -1),
      metric_lie("a chamfer distance of its own", kSimulated, "chamfer_l1_mm", 0.001),
      metric_lie("a Hausdorff distance below the p95", kSimulated, "hausdorff_p95_mm", 0),
      metric_lie("outliers of 101 %", kSimulated, "outlier_ratio_pct", 101),
      metric_lie("a worst tile of its own", kSimulated, "tile_worst_abs_bias_mm", 0.001),
      metric_lie("no empty tile", kExternal, "tile_empty_pct", 0),
      metric_lie("depths: rmse below the mean", kDepth, "depth_rmse_mm", 1e-6),
      metric_lie("depths: a mean of its own", kDepth, "depth_mae_mm", 1e-3),
      metric_lie("a density of its own", kSimulated, "point_density_pct", 12),
      metric_lie("normals of another mean", kDepth, "normal_mean_deg", 6),
      metric_lie("depths filled by 120 %", kDepth, "depth_fill_rate_pct", 120),
      metric_lie("depths: no bad ones", kDepth, "depth_bad_1mm_pct", -1),
      metric_lie("holes of 130 %", kDepth, "holes_no_depth_pct", 130),
      metric_lie("holes of another size than in the diagnosis", kDepth, "holes_no_depth_pct", 0.123),
      record_lie("a share that no number of points is", kSimulated,
                 [](Json& record) {
                   const double precise = metric(record, "precision_2mm_pct") -= 0.001;
                   const double complete = metric(record, "completeness_2mm_pct");
                   metric(record, "fscore_2mm_pct") = 2 * precise * complete / (precise + complete);
                 }),
      record_lie("a metric left out", kSimulated,
                 [](Json& record) { record["metrics"].erase("accuracy_p95_mm"); }),
      record_lie("a metric made undefined", kSimulated,
                 [](Json& record) {
                   record["metrics"]["accuracy_max_mm"] = {
                       {"value", nullptr}, {"unit", "mm"}, {"better", "lower"}, {"reason", "too ugly"}};
                 }),
      record_lie("a metric in metres", kSimulated,
                 [](Json& record) { record["metrics"]["accuracy_mean_mm"]["unit"] = "m"; }),
      record_lie("a metric turned round", kSimulated,
                 [](Json& record) { record["metrics"]["accuracy_mean_mm"]["better"] = "higher"; }),
      record_lie("no metrics", kSimulated, [](Json& record) { record["metrics"] = Json::object(); }),
      record_lie("a kernel without its proof", kWorkload,
                 [](Json& record) { record["metrics"] = Json::object(); }),
  };
}

static Json& samples(Json& record) { return record["timing"]["warm_ms"]; }
static Json& stage(Json& record, std::size_t i) { return record["stages"][i]; }
static Json& details(Json& record) { return record["timing"]["details"]; }

std::vector<Lie> lies_about_times() {
  const auto scaled = [](Json& number, double by) { number = by * number.get<double>(); };
  return {
      record_lie("a negative cold time", kSimulated, [](Json& record) { record["timing"]["cold_ms"] = -1; }),
      record_lie("no cold time", kSimulated, [](Json& record) { record["timing"]["cold_ms"] = nullptr; }),
      record_lie("a case longer than the run", kSimulated,
                 [](Json& record) { record["timing"]["cold_ms"] = 1e9; }),
      record_lie("a sample halved", kWorkload, [=](Json& record) { scaled(samples(record)[0], 0.5); }),
      record_lie("all samples halved", kWorkload,
                 [=](Json& record) {
                   for (Json& sample : samples(record)) scaled(sample, 0.5);
                 }),
      record_lie("a sample more", kWorkload, [](Json& record) { samples(record).push_back(1.0); }),
      record_lie("a sample left out", kWorkload, [](Json& record) { samples(record).erase(0); }),
      record_lie("no processor times", kWorkload,
                 [](Json& record) { details(record)["cpu_ms"] = Json::array(); }),
      record_lie("blocks that do not fit", kWorkload,
                 [](Json& record) { details(record)["blocks"][0]["count"] = 1; }),
      record_lie("a disturbed block cleared", kWorkload,
                 [](Json& record) {
                   Json& one = details(record)["blocks"][0]["contaminated"];
                   one = !one.get<bool>();
                 }),
      record_lie("a note of its own", kWorkload,
                 [](Json& record) { details(record)["note"] = "quiet machine"; }),
      record_lie("a precision of its own", kWorkload,
                 [](Json& record) { details(record)["precision"] = 1e-4; }),
      record_lie("a cold call left out", kWorkload,
                 [](Json& record) { details(record)["more_cold_ms"] = Json::array(); }),
      record_lie("a throughput of its own", kWorkload,
                 [=](Json& record) { scaled(record["timing"]["throughput"]["value"], 2); }),
      record_lie("negative rendering", kExternal, [](Json& record) { record["timing"]["dataset_ms"] = -5; }),
      record_lie("an inner stage longer than the outer one", kSimulated,
                 [=](Json& record) { scaled(stage(record, 1)["wall_ms"][0], 1000); }),
      record_lie("more by itself than in all", kSimulated,
                 [=](Json& record) { scaled(stage(record, 0)["self_ms"][0], 1000); }),
      record_lie("a stage halved", kSimulated,
                 [=](Json& record) {
                   scaled(stage(record, 0)["wall_ms"][0], 0.5);
                   scaled(stage(record, 0)["self_ms"][0], 0.5);
                 }),
      record_lie("a stage that was never called", kSimulated,
                 [](Json& record) { stage(record, 0)["calls"] = 0; }),
      record_lie("half a call", kSimulated, [](Json& record) { stage(record, 0)["calls"] = 0.5; }),
      record_lie("a stage of a parent that is not there", kSimulated,
                 [](Json& record) { stage(record, 1)["parent"] = "elsewhere"; }),
      record_lie("stages in a circle", kSimulated,
                 [](Json& record) {
                   stage(record, 1)["parent"] = stage(record, 2)["name"];
                   stage(record, 2)["parent"] = stage(record, 1)["name"];
                 }),
      record_lie("more memory than the machine has", kSimulated,
                 [](Json& record) { record["peak_rss_bytes"] = std::uint64_t{1} << 49; }),
      record_lie("negative memory", kDepth, [](Json& record) { stage(record, 0)["peak_bytes"] = -1; }),
      {"a block without its journal line",
       [](ForgedSweep& b) {
         std::erase_if(b.journal, [](const Json& line) {
           return line.contains("block") && line["block"]["case"].get<std::string>().starts_with(kWorkload);
         });
       }},
      {"a run that ends before it starts",
       [](ForgedSweep& b) { b.run()["finished_utc"] = "2001-01-01T00:00:00Z"; }},
      {"a run in another year",
       [](ForgedSweep& b) {
         b.run()["started_utc"] = b.header()["run"]["started_utc"] = "2001-01-01T00:00:00Z";
         b.run()["finished_utc"] = "2001-01-01T01:00:00Z";
       }},
  };
}

std::vector<Lie> lies_about_cases() {
  const auto to_ok = [](Json& record) {
    record["status"] = "ok";
    record["reason"] = nullptr;
  };
  const auto to_skipped = [](Json& record) {
    record["status"] = "skipped";
    record["reason"] = "there is no CUDA device here";
    record["stages"] = Json::array();
    record["timing"] = {{"cold_ms", nullptr}, {"warm_ms", Json::array()}, {"throughput", nullptr}};
    record["injected"][0]["times"] = 0;
  };
  return {
      record_lie("a failure called ok", kFailed, to_ok),
      record_lie("a failure called skipped", kFailed, to_skipped),
      record_lie("a failure called a timeout", kFailed, [](Json& record) { record["status"] = "timeout"; }),
      record_lie("a failure for another reason", kFailed,
                 [](Json& record) { record["reason"] = "the sun shone"; }),
      record_lie("a reason beside ok", kSimulated, [](Json& record) { record["reason"] = "fine"; }),
      record_lie("no output", kSimulated, [](Json& record) { record["output_sha256"] = nullptr; }),
      record_lie("no fault in the record", kSimulated,
                 [](Json& record) { record["injected"] = Json::array(); }),
      record_lie("another fault", kSimulated, [](Json& record) { record["injected"][0]["effect"] = "1us"; }),
      {"no fault anywhere but in the command",
       [](ForgedSweep& b) {
         for (const char* const start : {kSimulated, kFailed}) {
           b.record(start, [](Json& record) { record["injected"] = Json::array(); });
           b.planned(start, [](Json& planned) { planned["faults"] = Json::array(); });
         }
         b.run()["requested"]["inject"] = b.header()["requested"]["inject"] = Json::array();
       }},
      record_lie("another option", kSimulated,
                 [](Json& record) { record["options"]["roma_like.points"] = 9; }),
      {"another option, also in the plan",
       [](ForgedSweep& b) {
         const auto lie = [](Json& json) { json["options"]["roma_like.points"] = 9; };
         b.record(kSimulated, lie);
         b.planned(kSimulated, lie);
       }},
      record_lie("another seed", kSimulated, [](Json& record) { record["axes"]["seed"] = 7; }),
      record_lie("another number of threads", kSimulated,
                 [](Json& record) { record["axes"]["threads"] = 64; }),
      record_lie("another method", kSimulated, [](Json& record) { record["method"] = "sparse"; }),
      record_lie("another preset", kDepth, [](Json& record) { record["preset"] = "quality"; }),
      record_lie("another scene", kSimulated, [](Json& record) { record["scene"] = "undulating"; }),
      record_lie("truth not seen", kSimulated, [](Json& record) { record["simulated"] = false; }),
      {"truth not seen, also in the plan",
       [](ForgedSweep& b) {
         const auto lie = [](Json& json) { json["simulated"] = false; };
         b.record(kSimulated, lie);
         b.planned(kSimulated, lie);
       }},
      {"a failed case left out", [](ForgedSweep& b) { b.drop(kFailed, false); }},
      {"a failed case left out, the run called interrupted",
       [](ForgedSweep& b) {
         b.drop(kFailed, false);
         b.run()["complete"] = false;
       }},
      {"a failed case left out, also of the plan", [](ForgedSweep& b) { b.drop(kFailed, true); }},
      {"more repetitions planned",
       [](ForgedSweep& b) {
         b.planned(kWorkload, [](Json& planned) { planned["timing"]["repetitions"] = 50; });
       }},
      {"other requests in results.json",
       [](ForgedSweep& b) { b.run()["requested"]["set"] = Json::array({"roma_like.points=9"}); }},
      {"other requests everywhere",
       [](ForgedSweep& b) { b.run()["requested"]["seed"] = b.header()["requested"]["seed"] = 7; }},
      {"another time limit", [](ForgedSweep& b) { b.run()["effective"]["timeout_s"] = 1; }},
      {"an option that nobody planned", [](ForgedSweep& b) { b.run()["effective"]["quality"] = "best"; }},
      {"a name that leads elsewhere",
       [](ForgedSweep& b) { b.run()["id"] = b.header()["run"]["id"] = "../../run"; }},
      {"a merge that was none",
       [](ForgedSweep& b) {
         b.run()["effective"]["merged_from"] = {{{"run", "a"}}, {{"run", "b"}}};
       }},
      {"another suite", [](ForgedSweep& b) { b.run()["suite"] = b.header()["run"]["suite"] = "seed"; }},
      {"another processor in results.json",
       [](ForgedSweep& b) { b.results["environment"]["cpu"]["model"] = "Cray-1"; }},
      {"another architecture in one of two places",
       [](ForgedSweep& b) { b.environment([](Json& json) { json["cpu"]["architecture"] = "pdp11"; }); }},
      {"another commit of the environment",
       [](ForgedSweep& b) {
         b.environment([](Json& json) { json["build"]["commit"] = std::string(40, '0'); });
       }},
      {"another commit of the journal",
       [](ForgedSweep& b) { b.header()["program"]["commit"] = std::string(40, '0'); }},
      {"another program of the journal",
       [](ForgedSweep& b) { b.header()["program"]["sha256"] = std::string(64, '0'); }},
      {"the journal of version 1", [](ForgedSweep& b) { b.header()["schema_version"] = 1; }},
      {"texts of another version", [](ForgedSweep& b) { b.run()["text_version"] = 5; }},
      {"results of version 1",
       [](ForgedSweep& b) {
         b.results["schema_version"] = 1;
         b.run().erase("text_version");
         for (Json& record : b.results["records"]) record.erase("files");
         for (Json& line : b.journal)
           if (line.contains("record")) line["record"].erase("files");
       }},
  };
}

std::vector<Lie> lies_about_files() {
  const auto text_lie = [](const char* name, std::function<void(ForgedSweep&)> lie) {
    return Lie{name, {}, std::move(lie)};
  };
  const auto removed = [&](const char* name, const char* file) {
    return text_lie(name, [file](ForgedSweep& b) { fs::remove(b.folder / file); });
  };
  return {
      {"another tile",
       [](ForgedSweep& b) {
         b.edit(b.file_of(kExternal, "tiles/"), "\n0,0,-250,-150,0", "\n0,0,-250,-150,9");
       }},
      {"tiles left out",
       [](ForgedSweep& b) {
         const std::string file = b.file_of(kExternal, "tiles/");
         fs::remove(b.folder / file);
         b.record(kExternal, [&](Json& record) { record["files"].erase(file); });
       }},
      {"tiles missing", [](ForgedSweep& b) { fs::remove(b.folder / b.file_of(kExternal, "tiles/")); }},
      {"other views", [](ForgedSweep& b) { b.edit(b.file_of(kDepth, "views/"), "\n0,", "\n0,9"); }},
      {"other depths", [](ForgedSweep& b) { b.edit(b.file_of(kDepth, "depth/"), "\ncam00,", "\ncam00,9"); }},
      {"another diagnosis",
       [](ForgedSweep& b) {
         b.edit(b.file_of(kDepth, "diagnosis/"), "holes,no_depth,", "holes,no_depth,9");
       }},
      {"a larger cloud",
       [](ForgedSweep& b) {
         b.edit(b.file_of(kExternal, "clouds/"), "element vertex ", "element vertex 9");
       }},
      text_lie("another cloud",
               [](ForgedSweep& b) { b.edit(b.file_of(kExternal, "clouds/"), "ply", "PLY"); }),
      text_lie("another picture",
               [](ForgedSweep& b) { b.edit(b.file_of(kDepth, "pictures/"), "PNG", "GNP"); }),
      text_lie("another log of a case",
               [](ForgedSweep& b) { b.edit(b.file_of(kExternal, "logs/"), "working", "perfect"); }),
      text_lie("a table of no case",
               [](ForgedSweep& b) { std::ofstream(b.folder / "tiles/best.csv") << "column\n"; }),
      text_lie("a file that no bundle has",
               [](ForgedSweep& b) { std::ofstream(b.folder / "praise.txt") << "!\n"; }),
      text_lie("another log", [](ForgedSweep& b) { b.edit("bench.log", "-- ", "no "); }),
      text_lie("a longer log",
               [](ForgedSweep& b) { std::ofstream(b.folder / "bench.log", std::ios::app) << "well\n"; }),
      {"a log in which nothing failed",
       [](ForgedSweep& b) { b.edit("bench.log", "-- failed", "-- passed"); }},
      {"a log of another case", [](ForgedSweep& b) { b.edit("bench.log", kFailed, "flat_plane/other"); }},
      {"a log of another day", [](ForgedSweep& b) { b.edit("bench.log", "== 20", "== 19"); }},
      text_lie("other benchmarks",
               [](ForgedSweep& b) { b.edit("benchmark.json", "real_time\": ", "real_time\": 9"); }),
      removed("no benchmarks", "benchmark.json"),
      text_lie("a summary without its first line",
               [](ForgedSweep& b) {
                 b.edit("summary.md", summary_line(kSummaryVersion) + "\n", "");
                 b.edit("summary.md", "failed", "passed");
               }),
      text_lie("a summary of another version",
               [](ForgedSweep& b) {
                 b.edit("summary.md", summary_line(kSummaryVersion), summary_line(kSummaryVersion - 1));
               }),
      text_lie("a friendlier summary",
               [](ForgedSweep& b) { std::ofstream(b.folder / "summary.md", std::ios::app) << "Great!\n"; }),
      text_lie("a friendlier report", [](ForgedSweep& b) { b.edit("report.html", "failed", "passed"); }),
      text_lie("a friendlier statement",
               [](ForgedSweep& b) { b.edit("statement.json", "FAILED", "PASSED"); }),
      removed("no summary", "summary.md"),
      removed("no report", "report.html"),
      removed("no statement", "statement.json"),
      removed("no inventory", "inventory.txt"),
      removed("no environment", "env.json"),
      removed("no journal", "journal.jsonl"),
      text_lie("another environment",
               [](ForgedSweep& b) { b.edit("env.json", "\"model\": \"", "\"model\": \"not "); }),
      {"a command that ended well",
       [](ForgedSweep& b) { b.edit("commands.txt", "exit code: 3", "exit code: 0"); }},
      {"a command that took longer",
       [](ForgedSweep& b) { b.edit("commands.txt", "\nreal ", "\nreal 9999"); }},
      {"a command without its faults",
       [](ForgedSweep& b) {
         for (int i = 0; i < 2; ++i) b.edit("commands.txt", " --inject ", " --note ");
       }},
      {"a command of another day",
       [](ForgedSweep& b) { b.edit("commands.txt", "started: 20", "started: 19"); }},
  };
}

}  // namespace aqbench::forging
