#pragma once
// What one case gave; a line of the journal and an element of results.json (schema:
// harness/records/results.schema.json).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "metrics/metric.h"

namespace aqbench {

enum class Status { ok, failed, crashed, timeout, skipped };
std::string to_string(Status status);
std::optional<Status> status_from_string(std::string_view text);

// One stage of a run. Samples are per repetition of the whole run; repeated calls within it are summed.
struct StageRecord {
  std::string name;
  std::string parent;  // empty at the top
  std::uint64_t calls = 0;
  std::vector<double> wall_ms = {};            // inclusive
  std::vector<double> self_ms = {};            // without nested stages
  std::optional<std::int64_t> net_bytes = {};  // tensor memory; nullopt where it was not measured
  std::optional<std::int64_t> peak_bytes = {};
  // What only a profile measures.
  std::vector<double> cpu_ms = {};     // inclusive, over all threads; empty where it was not measured
  std::vector<double> device_ms = {};  // inclusive, on the GPU; empty where there is none
  std::optional<std::int64_t> resident_peak_bytes =
      {};                     // growth of the process's peak; nullopt: not measured
  bool other_thread = false;  // ran beside the main thread: its time is no part of the run's sum
};

// Samples taken one after the other, and what the machine did meanwhile. Undefined where it cannot be seen.
struct TimedBlock {
  std::uint64_t first = 0, count = 0;  // of warm_ms
  std::uint64_t process = 0;           // which of the case's processes, from 0
  std::optional<double> load_1m;       // before
  std::optional<double> others_cpus;   // processors that other programs used, on average
  std::optional<double> steal_cpus;    // processors that the hypervisor took away, on average
  std::optional<double> cpu_mhz;
  bool contaminated = false;  // others were in the way of these samples
};

// The one of the same name, parent and kind of thread; nullptr if there is none.
const StageRecord* find_stage(const std::vector<StageRecord>& stages, const StageRecord& like);

struct Timing {
  std::optional<double> cold_ms;  // first call in a fresh process
  std::vector<double> warm_ms;
  std::optional<double> throughput;
  std::string throughput_unit;
  // Of warm runs, empty without:
  std::vector<double> more_cold_ms = {};  // cold calls of further processes
  std::vector<double> cpu_ms = {};        // of the whole process, for each of warm_ms
  std::vector<TimedBlock> blocks = {};
  std::string stopped = {};  // why there are no more samples: "repetitions", "precision", "max_time"
  std::optional<double> precision = {};  // half the 95 % interval of the median, as a share of it
  std::string note = {};                 // what speaks against these times, one line
  std::vector<std::pair<std::string, std::int64_t>> threads = {};  // of each library, as it answered
  std::vector<std::pair<std::string, double>> figures = {};        // measured beside: "roofline_share", ...
  std::string verdict = {};                                        // a workload's own, one line
  std::optional<double> dataset_ms = {};  // before: rendering the images, or finding them in the cache
};

// What a fault injected with --inject did.
struct InjectedFault {
  std::string stage, effect;  // as given: "+5%", "20ms", "throw", ...
  std::uint64_t times = 0;
};

struct Record {
  std::string case_name;
  std::string scene, method, preset, workload;  // empty = null in JSON
  bool simulated = false;
  std::vector<std::pair<std::string, ParameterValue>> axes;  // seed, threads, device and the swept ones
  std::vector<std::pair<std::string, ParameterValue>>
      options;  // effective, "scene.name" / "method.name" keys
  Status status = Status::failed;
  std::string reason;  // empty = null; one line
  MetricSet metrics;
  std::vector<StageRecord> stages;
  Timing timing;
  std::optional<std::uint64_t> peak_rss_bytes;
  std::string output_sha256;  // of the reconstruction's bytes; empty = null
  std::vector<InjectedFault> injected;
};

// {"NAME": {"value": 0.79, "unit": "mm", "better": "lower"}, ...}; "reason" where the value is null.
Json to_json(const MetricSet& metrics);
MetricSet metrics_from_json(const Json& json, const std::string& source);

// Keys in a fixed order, so that one record has one text and reading it back gives the same bytes. What is
// not finite becomes null (a metric with its reason); in a list of samples it throws Error(method).
Json to_json(const Record& record);

// Throws Error(input) "SOURCE: metrics.points.value: expected a number" for what is missing, unknown or of
// the wrong type.
Record record_from_json(const Json& json, const std::string& source = "record");

}  // namespace aqbench
