// Lies about a sweep, each with all hashes made right again: verify must find every one.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "core/stop_signals.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/planning/plan.h"
#include "harness/planning/plan_flags.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/text/summary.h"
#include "tests/reports/bundle/forger.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using forging::ForgedSweep;

constexpr const char* kSimulated = "flat_plane/roma_like";
constexpr const char* kFailed = "flat_plane/lightglue_like";
constexpr const char* kExternal = "flat_plane/external";
constexpr const char* kDepth = "flat_plane/dense_flow";
constexpr const char* kWorkload = "absorption";

// Three points on the plane, and a line for the log of the case.
constexpr const char* kProgram =
    "echo working\n"
    "printf 'ply\\nformat ascii 1.0\\nelement vertex 3\\nproperty float x\\nproperty float y\\nproperty "
    "float "
    "z\\nend_header\\n0 0 1.179\\n0.1 0 1.179\\n0 0.1 1.179\\n' > \"$2/cloud.ply\"\n";

PlanRequest request_of(const fs::path& folder) {
  const fs::path script = folder / "program.sh";
  std::ofstream(script) << kProgram;
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like", "lightglue_like", "external", "dense_flow"};
  request.workloads = {"absorption"};
  request.images = {"single_pair", "clean", 64, 48};
  request.sets = {parse_override("external.command=/bin/sh " + script.string() + " {dataset} {output}"),
                  parse_override("absorption.size=64"), parse_override("absorption.variant=loop")};
  request.injects = {parse_inject("*roma_like*:simulation=2ms"),
                     parse_inject("*lightglue_like*:simulation=throw")};
  request.timing.repetitions = 2;
  request.timing.warmup = 0;
  request.timing.blocks = 2;
  request.threads = 1;
  return request;
}

// Stands in for a method with depth maps, which takes longer than a test may: the external program's cloud,
// with depths and a diagnosis by formula.
CaseResult run_with_depths(const SweepPlan& plan, const Case& planned, CaseBoard& board) {
  Case external = *std::ranges::find(plan.cases, "external", &Case::method);
  external.name = planned.name;
  CaseResult result = run_case_keeping(external, board, {.cloud = true, .pictures = true});
  Record& record = result.record;
  record.method = planned.method;
  record.options = planned.options;
  const auto add = [&](const char* name, double value, const char* unit, Better better) {
    record.metrics.emplace_back(name, Metric{value, unit, better, ""});
  };
  add("depth_mae_mm", 2, "mm", Better::lower);
  add("depth_rmse_mm", 3, "mm", Better::lower);
  add("depth_bad_1mm_pct", 40, "%", Better::lower);
  add("depth_bad_2mm_pct", 20, "%", Better::lower);
  add("depth_fill_rate_pct", 80, "%", Better::higher);
  add("holes_no_depth_pct", 12.5, "%", Better::lower);
  const std::string name = file_name_of(planned.name);
  result.artefacts.emplace_back("depth/" + name + ".csv",
                                "camera,depth_mae_mm,depth_rmse_mm,depth_bad_1mm_pct,depth_bad_2mm_pct,"
                                "depth_fill_rate_pct\ncam00,1,2,30,10,70\ncam01,3,4,50,30,90\n");
  result.artefacts.emplace_back("diagnosis/" + name + ".csv",
                                "quantity,of,value,unit\nholes,no_depth,12.5,%\n");
  result.artefacts.emplace_back("pictures/" + name + "/depth.png", "\x89PNG of depths");
  result.artefacts.emplace_back("pictures/" + name + "/pictures.csv",
                                "depth.png,depth,cam00,m,0.2,0.3,1,80,0\n");
  return result;
}

// Runs a small sweep as the command does.
fs::path honest_sweep(const fs::path& folder) {
  const SweepPlan plan = plan_sweep(request_of(folder));
  const Json environment = environment_json({1, "cpu"});
  const fs::path bundle = create_bundle_dir(folder / "out", std::chrono::system_clock::now());
  const RunClock clock;
  Journal journal = Journal::create(bundle, plan, bundle.filename().string(), utc_now(), environment);
  std::vector<std::string> words = plan_words(plan.request);
  words.insert(words.begin(), {"aqbench", "sweep"});
  begin_command(bundle, utc_now(), read_git_state("."), words);
  run_sweep(plan, journal, {}, [&](const Case& planned, CaseBoard& board) {
    if (planned.method == "dense_flow") return run_with_depths(plan, planned, board);
    return run_case_keeping(planned, board, {.cloud = true, .pictures = true});
  });
  for (const Record& record : journal.records())
    EXPECT_EQ(record.status == Status::ok, !record.case_name.starts_with(kFailed))
        << record.case_name << ": " << record.reason;
  Results results;
  results.run.id = journal.header().run_id;
  results.run.started_utc = journal.header().started_utc;
  results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  results.run.text_version = kSummaryVersion;
  results.run.requested = requested_json(plan.request);
  results.run.effective = effective_json(plan);
  results.environment = environment;
  results.records = journal.records();
  end_command(bundle, utc_now(), read_git_state("."), 3, clock.elapsed());
  finalise_bundle(bundle, results);
  return bundle;
}

// A lie about the data, after which everything that follows is made right; or about the texts, after which
// only the hashes are.
struct Lie {
  const char* name;
  std::function<void(ForgedSweep&)> about_data;
  std::function<void(ForgedSweep&)> about_texts = {};
};

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

Json& samples(Json& record) { return record["timing"]["warm_ms"]; }
Json& stage(Json& record, std::size_t i) { return record["stages"][i]; }
Json& details(Json& record) { return record["timing"]["details"]; }

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
      {"other views", [](ForgedSweep& b) { b.edit(b.file_of(kDepth, "views/"), "\n0,", "\n2,"); }},
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
                 b.edit("summary.md", "<!-- aqbench summary 6 -->\n", "");
                 b.edit("summary.md", "failed", "passed");
               }),
      text_lie("a summary of another version",
               [](ForgedSweep& b) {
                 b.edit("summary.md", "<!-- aqbench summary 6 -->", "<!-- aqbench summary 5 -->");
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

class ForgedSweepTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryDirectory;
    ::setenv("AQBENCH_CACHE_DIR", (folder_->path() / "cache").c_str(), 1);
    honest_ = honest_sweep(folder_->path());
  }
  static void TearDownTestSuite() {
    ::unsetenv("AQBENCH_CACHE_DIR");
    delete folder_;
  }

  // Returns the verdict on a copy of the honest bundle with this lie.
  static VerifyReport verdict_on(const Lie& lie) {
    const fs::path copy = folder_->path() / "forged";
    fs::remove_all(copy);
    fs::copy(honest_, copy, fs::copy_options::recursive);
    ForgedSweep forged(copy);
    if (lie.about_data) {
      lie.about_data(forged);
      forged.seal();
    }
    if (lie.about_texts) {
      lie.about_texts(forged);
      forging::rehash(copy);
    }
    return verify_bundle(copy);
  }
  static void expect_all_found(const std::vector<Lie>& lies) {
    for (const Lie& lie : lies) EXPECT_NE(verdict_on(lie).verdict(), VerifyVerdict::verified) << lie.name;
  }

  static TemporaryDirectory* folder_;
  static fs::path honest_;
};
TemporaryDirectory* ForgedSweepTest::folder_ = nullptr;
fs::path ForgedSweepTest::honest_;

TEST_F(ForgedSweepTest, TheHonestBundleVerifiesAndAForgerWhoLiesNothingToo) {
  const VerifyReport report = verify_bundle(honest_);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_EQ(report.records, 5u);
  const VerifyReport again = verdict_on({"nothing", [](ForgedSweep&) {}, [](ForgedSweep&) {}});
  EXPECT_TRUE(again.ok()) << render_verify(again);
  EXPECT_EQ(again.root_digest, report.root_digest);
}

TEST_F(ForgedSweepTest, EveryLieAboutMetricsIsFound) { expect_all_found(lies_about_metrics()); }
TEST_F(ForgedSweepTest, EveryLieAboutTimesIsFound) { expect_all_found(lies_about_times()); }
TEST_F(ForgedSweepTest, EveryLieAboutCasesIsFound) { expect_all_found(lies_about_cases()); }
TEST_F(ForgedSweepTest, EveryLieAboutFilesIsFound) { expect_all_found(lies_about_files()); }

TEST_F(ForgedSweepTest, ThereAreManyLies) {
  EXPECT_GE(lies_about_metrics().size() + lies_about_times().size() + lies_about_cases().size() +
                lies_about_files().size(),
            100u);
}

// What another version may have written is neither called forged nor verified.
TEST_F(ForgedSweepTest, AnotherVersionHasAVerdictOfItsOwn) {
  const VerifyReport report =
      verdict_on({"texts of version 5", [](ForgedSweep& b) { b.run()["text_version"] = 5; }});
  EXPECT_EQ(report.verdict(), VerifyVerdict::other_version) << render_verify(report);
  EXPECT_EQ(static_cast<int>(exit_code(report.verdict())), 7);
  EXPECT_NE(render_verify(report).find("NOT VERIFIED BY THIS VERSION"), std::string::npos);
  EXPECT_EQ(render_verify(report).find("\nverified"), std::string::npos);
}

// Nothing but a signature finds these: they are told the same way in every place (docs/evidence.md).
TEST_F(ForgedSweepTest, WhatOnlyASignatureFinds) {
  const VerifyReport report = verdict_on({"a warning taken out of the log", [](ForgedSweep& b) {
                                            b.edit("bench.log", "rendering cam00\n", "");
                                          }});
  EXPECT_TRUE(report.ok()) << render_verify(report);
}

}  // namespace
}  // namespace aqbench
