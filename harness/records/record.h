#pragma once
// What one case gave; a line of the journal and an element of results.json (schema:
// harness/records/results.schema.json).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/program_report.h"
#include "harness/records/case_timing.h"
#include "harness/records/named_values.h"
#include "metrics/metric.h"

namespace aqbench {

// How a case ended. `invalid` is a failure, too: the case ran, but its output is proved wrong. In files and
// on screen such a case is "failed" with a reason that begins with "invalid: "; status_from_string() alone
// knows this.
enum class Status { ok, failed, crashed, timeout, skipped, invalid };

// Returns the status as files and screens show it: "failed" for failed and invalid.
std::string to_string(Status status);

// Reads back what to_string() wrote beside the record's reason. nullopt for an unknown text.
std::optional<Status> status_from_string(std::string_view text, std::string_view reason = {});

// Returns the reason of an invalid record: "invalid: WHY".
std::string invalid_reason(std::string_view why);

// Thrown where an output is proved wrong: Error(method) with the text invalid_reason(why).
class InvalidOutput final : public Error {
 public:
  explicit InvalidOutput(std::string_view why) : Error(ErrorKind::method, invalid_reason(why)) {}
};

// One stage of a run. Each sample belongs to one repetition of the whole run; the calls within it are summed.
struct StageRecord {
  std::string name;
  std::string parent;  // empty at the top
  std::uint64_t calls = 0;
  std::vector<double> wall_ms = {};            // inclusive
  std::vector<double> self_ms = {};            // without nested stages
  std::optional<std::int64_t> net_bytes = {};  // tensor memory; nullopt where it was not measured
  std::optional<std::int64_t> peak_bytes = {};
  // Only a profile measures the following.
  std::vector<double> cpu_ms = {};     // inclusive, over all threads; empty where it was not measured
  std::vector<double> device_ms = {};  // inclusive, on the GPU; empty where there is none
  // Growth of the process's peak of resident memory; nullopt: not measured.
  std::optional<std::int64_t> resident_peak_bytes = {};
  bool other_thread = false;  // ran beside the main thread: its time is no part of the run's sum
};

// Returns the stage of the same name, parent and kind of thread; nullptr if there is none.
const StageRecord* find_stage(const std::vector<StageRecord>& stages, const StageRecord& like);

// What a fault injected with --inject did.
struct InjectedFault {
  std::string stage, effect;  // as given: "+5%", "20ms", "throw", ...
  std::uint64_t times = 0;
};

// A file that the process of a case wrote into the bundle, and its hash.
struct CaseFile {
  std::string path;  // relative to the bundle: "tiles/NAME.csv"
  std::string sha256;
};

// All that is known of one case. An empty text is null in JSON.
struct Record {
  std::string case_name;
  std::string scene, method, preset, workload;
  bool simulated = false;
  NamedValues axes;               // seed, threads, device and the swept ones
  NamedValues options, defaults;  // as in Case
  Status status = Status::failed;
  std::string reason;  // one line
  MetricSet metrics;
  std::vector<StageRecord> stages;
  Timing timing;
  std::optional<std::uint64_t> peak_rss_bytes;
  std::optional<ProgramUse> program;  // of somebody else's program that was the method, in the cold run
  std::string output_sha256;          // of the reconstruction's bytes
  std::vector<InjectedFault> injected;
  // Of a real method alone, and in no record of builds before these were known: then the JSON has no such
  // member.
  std::string isolation;       // how its process was shut in (core/sandbox/sandbox.h), or "none: REASON"
  std::string dataset_sha256;  // of the dataset, with its truth, as the case found it
  std::vector<std::pair<std::string, double>> effective = {};  // Reconstruction::effective of a real method
  std::optional<std::vector<CaseFile>> files = std::vector<CaseFile>{};  // nullopt: of results.json 1
};

// Returns {"NAME": {"value": 0.79, "unit": "mm", "better": "lower"}, ...}; "reason" where the value is null.
Json to_json(const MetricSet& metrics);

// Reads what to_json() wrote. Throws Error(input) naming `source` and the place.
MetricSet metrics_from_json(const Json& json, const std::string& source);

// Returns the record with its keys in a fixed order, so that one record has one text and reading it back
// gives the same bytes. A number that is not finite becomes null (a metric then gets a reason); in a list of
// samples it throws Error(method).
Json to_json(const Record& record);

// Reads what to_json() wrote. Throws Error(input) "SOURCE: metrics.points.value: expected a number" for a
// member that is missing, unknown or of the wrong type.
Record record_from_json(const Json& json, const std::string& source = "record");

}  // namespace aqbench
