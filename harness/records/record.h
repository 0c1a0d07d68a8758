#pragma once
// The result of one case: a line of the journal and an element of results.json.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/interned_text.h"
#include "core/json.h"
#include "core/members.h"
#include "core/parameters.h"
#include "core/stage_scope.h"
#include "metrics/metric.h"

namespace aqbench {

// Named parameters in a fixed order. Names are interned, since most are shared by all cases.
using NamedValues = std::vector<std::pair<InternedText, ParameterValue>>;

// Returns the value with this name, or nullptr.
inline const ParameterValue* find_value(const NamedValues& values, std::string_view name) {
  for (const auto& [known, value] : values)
    if (known == name) return &value;
  return nullptr;
}

// The identity of a program of the user, as it was before it ran.
struct Guest {
  // Name and SHA-256 of program, script, files and folders that it reads, lock file and image; names in its
  // project are relative to that, and those of folders end in "/". A missing file has no hash.
  std::vector<std::pair<std::string, std::string>> files;
  std::string runs_in;          // "venv .venv"; empty: as aqbench itself
  std::string commit;           // of the repository around its project; empty: it is in none
  std::optional<bool> changed;  // whether that has changes of its files that are not committed

  template <class Row>
  static void members(const Row& row) {
    row("files", &Guest::files, kOrNull,
        "SHA-256 of program, script, files and folders that it reads, lock file and image.");
    row("runs_in", &Guest::runs_in, kOrNull, "Its environment: venv .venv.");
    row("commit", &Guest::commit, kOrNull, "Of the repository around its project.");
    row("changed", &Guest::changed, 0,
        "Whether files of that repository had changes that were not committed.");
  }
};

// Returns one line for each file that differs: "run.py is SHA, was SHA". The commit is no difference: it says
// where files came from, not what ran.
std::vector<std::string> guest_differences(const Guest& before, const Guest& now);

// Returns "3f2a9c01d4e5, changed", the short commit of the repository; "" if there is none.
std::string commit_text(const Guest& guest);

// Consecutive samples of one process, and the state of the machine meanwhile. Values are missing where the
// system does not report them.
struct TimedBlock {
  std::uint64_t first = 0, count = 0;  // a range of warm_ms
  std::uint64_t process = 0;           // index of the case's process, from 0
  std::optional<double> load_1m;       // load average over 1 minute, before the first sample
  std::optional<double> others_cpus;   // processors used by other programs, on average
  std::optional<double> steal_cpus;    // processors stolen by the hypervisor, on average
  std::optional<double> cpu_mhz;
  bool contaminated = false;  // other programs disturbed these samples

  template <class Row>
  static void members(const Row& row) {
    row("first", &TimedBlock::first, 0, "Index into warm_ms.");
    row("count", &TimedBlock::count);
    row("process", &TimedBlock::process);
    row("load_1m", &TimedBlock::load_1m);
    row("others_cpus", &TimedBlock::others_cpus, 0, "Processors that other programs used, on average.");
    row("steal_cpus", &TimedBlock::steal_cpus);
    row("cpu_mhz", &TimedBlock::cpu_mhz);
    row("contaminated", &TimedBlock::contaminated);
  }
};

// Times of all runs of a case. Everything after throughput_unit belongs to warm runs and is empty without
// them.
struct Timing {
  std::optional<double> cold_ms;  // the first call in a fresh process
  std::vector<double> warm_ms;
  std::optional<double> throughput;
  std::string throughput_unit;
  std::vector<double> more_cold_ms = {};  // cold calls of additional processes
  std::vector<double> cpu_ms = {};        // CPU time of the whole process, for each of warm_ms
  std::vector<TimedBlock> blocks = {};
  std::string stopped = {};              // why sampling ended: "repetitions", "precision", "max_time"
  std::optional<double> precision = {};  // half the 95 % interval of the median, as a share of the median
  std::string note = {};                 // doubts about these times, one line
  std::vector<std::pair<std::string, std::int64_t>> threads = {};  // of each library, as reported by it
  std::vector<std::pair<std::string, double>> figures = {};  // additional figures: "roofline_share", ...
  std::string verdict = {};                                  // a workload's verdict, one line
  std::optional<double> dataset_ms = {};  // time to render the images or find them in the cache

  template <class Row>
  static void members(const Row& row) {
    row("cold_ms", &Timing::cold_ms, kNotNegative);
    row("warm_ms", &Timing::warm_ms, kNotNegative);
    row.group("throughput", kOrNull, "", [](const auto& inside) {
      inside("value", &Timing::throughput, kNotNegative | kNotEmpty);
      inside("unit", &Timing::throughput_unit, kNotEmpty);
    });
    row.group("details", kLeftOut, "Beside warm runs: how they came about.", [](const auto& inside) {
      inside("cpu_ms", &Timing::cpu_ms, kNotNegative, "Processor time of the process in each of warm_ms.");
      inside("more_cold_ms", &Timing::more_cold_ms, kNotNegative | kOrNull);
      inside("blocks", &Timing::blocks);
      inside("stopped", &Timing::stopped, kOrNull, "Why there are no more samples.");
      inside("precision", &Timing::precision, kNotNegative,
             "Half the 95 % interval of the median, as a share of it.");
      inside("note", &Timing::note, kOrNull, "What speaks against these times.");
      inside("threads", &Timing::threads, 0, "Of each library, as it answered.");
      inside("figures", &Timing::figures, kOrNull);
      inside("verdict", &Timing::verdict, kOrNull);
    });
    row("dataset_ms", &Timing::dataset_ms, kNotNegative | kLeftOut,
        "Rendering the images or finding them in the cache, before the run.");
  }

  // Checks that the blocks are within warm_ms.
  void after_reading(const JsonPlace& place) const;
};

// How a case ended. `invalid` is a failure, too: the case ran, but its output is provably wrong. In files and
// on screen such a case is "failed" with a reason that begins with "invalid: "; only status_from_string()
// knows this.
enum class Status { ok, failed, crashed, timeout, skipped, invalid };
constexpr auto json_values(Status) {
  return std::array{Status::ok, Status::failed, Status::crashed, Status::timeout, Status::skipped};
}

// Returns whether a case ended badly: neither ok nor skipped.
inline bool is_failure(Status status) { return status != Status::ok && status != Status::skipped; }

// Returns the status for files and screens: "failed" for failed and invalid.
std::string to_string(Status status);

// Parses to_string()'s text together with the record's reason. nullopt for an unknown text.
std::optional<Status> status_from_string(std::string_view text, std::string_view reason = {});

// Returns the reason of an invalid record: "invalid: WHY".
std::string invalid_reason(std::string_view why);

// Thrown if an output is provably wrong: Error(method) with the text invalid_reason(why).
class InvalidOutput final : public Error {
 public:
  explicit InvalidOutput(std::string_view why) : Error(ErrorKind::method, invalid_reason(why)) {}
};

// One stage of a run. Each sample belongs to one repetition of the whole run; its calls are summed.
struct StageRecord {
  std::string name;
  std::string parent;  // empty at the top
  std::uint64_t calls = 0;
  std::vector<double> wall_ms = {};            // inclusive
  std::vector<double> self_ms = {};            // without nested stages
  std::optional<std::int64_t> net_bytes = {};  // tensor memory; nullopt if not measured
  std::optional<std::int64_t> peak_bytes = {};
  // Measured only by profiles:
  std::vector<double> cpu_ms = {};     // inclusive, over all threads; empty if not measured
  std::vector<double> device_ms = {};  // inclusive, on the GPU; empty without one
  // Growth of the process's peak of resident memory; nullopt: not measured.
  std::optional<std::int64_t> resident_peak_bytes = {};
  bool other_thread = false;  // ran beside the main thread: its time is not part of the run's sum

  template <class Row>
  static void members(const Row& row) {
    row("name", &StageRecord::name, kNotEmpty | kAlways);
    row("parent", &StageRecord::parent, kOrNull);
    row("calls", &StageRecord::calls);
    row("wall_ms", &StageRecord::wall_ms, kNotNegative);
    row("self_ms", &StageRecord::self_ms);
    row("net_bytes", &StageRecord::net_bytes);
    row("peak_bytes", &StageRecord::peak_bytes);
    row("cpu_ms", &StageRecord::cpu_ms, kLeftOut | kNotNegative);
    row("device_ms", &StageRecord::device_ms, kLeftOut | kNotNegative);
    row("resident_peak_bytes", &StageRecord::resident_peak_bytes, kLeftOut);
    row("other_thread", &StageRecord::other_thread, kLeftOut);
  }
};

// Returns the stage of the same name, parent and kind of thread; nullptr if there is none.
const StageRecord* find_stage(const std::vector<StageRecord>& stages, const StageRecord& like);

// The strikes of an injected fault.
struct InjectedFault {
  std::string stage, effect;  // as given: "+5%", "20ms", "throw", ...
  std::uint64_t times = 0;

  template <class Row>
  static void members(const Row& row) {
    row("stage", &InjectedFault::stage);
    row("effect", &InjectedFault::effect);
    row("times", &InjectedFault::times);
  }
};

// A file written into the bundle by the process of a case, and its hash.
struct CaseFile {
  std::string path;  // relative to the bundle: "tiles/NAME.csv"
  std::string sha256;
};

// The sides of a comparison (`aqbench ab`): two programs, methods or commands, or two values of a variant.
enum class AbSide { a, b };
constexpr auto json_values(AbSide) { return std::array{AbSide::a, AbSide::b}; }

// Returns "a" or "b".
std::string to_string(AbSide side);
// Returns 0 for A and 1 for B.
constexpr std::size_t index_of(AbSide side) { return side == AbSide::a ? 0 : 1; }

// Values of one outcome in the runs of one unit: "cpu_ms", "accuracy_rmse_mm".
struct OutcomeSamples {
  std::string name;
  std::vector<double> values;
};

// The place of a unit in a comparison, and what only units have. With the case it is the record's key.
struct UnitOfRecord {
  std::size_t case_index = 0;  // into the comparison's cases; in no file
  AbSide side = AbSide::a;
  int look = 1;            // number of the planned look that asked for it, from 1; 0 in a confirmation
  std::uint64_t pair = 0;  // number of the pair within its case, among looks or confirmations
  bool scored = false;     // the record has metrics, perhaps none
  std::optional<std::uint64_t> layout = {};  // number of the drawn code layout (--layouts)
  std::vector<OutcomeSamples> outcomes = {};

  // Returns whether its pair was measured to confirm a flag with fresh pairs.
  bool confirms() const { return look == 0; }

  template <class Row>
  static void members(const Row& row) {
    row("side", &UnitOfRecord::side);
    row("look", &UnitOfRecord::look, kNotNegative, "The planned look that asked for it; 0: a confirmation.");
    row("pair", &UnitOfRecord::pair, 0, "Within the case, among looks or confirmations.");
    row("scored", &UnitOfRecord::scored, kLeftOut);
    row("layout", &UnitOfRecord::layout, kLeftOut, "Number of the drawn code layout.");
    row("outcomes", &UnitOfRecord::outcomes, kLeftOut | kNotEmpty);
  }

  // Checks the number of the look.
  void after_reading(const JsonPlace& place) const;
};

// Everything known about one case, or about one unit of a comparison. An empty text is null in JSON.
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
  std::optional<Guest> guest;         // of a program or model of the user; absent in records of older builds
  std::optional<ProgramUse> program;  // of the external program that was the method, in the cold run
  std::string output_sha256;          // of the reconstruction's bytes
  std::vector<InjectedFault> injected;
  // Only for real methods, and absent in records of older builds.
  std::string isolation;       // how its process was sandboxed (core/sandbox/sandbox.h), or "none: REASON"
  std::string dataset_sha256;  // of the dataset and its truth, as found by the case
  std::vector<std::pair<std::string, double>> effective = {};  // Reconstruction::effective of a real method
  std::vector<CaseFile> files = {};
  std::optional<UnitOfRecord> unit = {};  // nullopt: the record of a sweep, with one side and one round

  template <class Row>
  static void members(const Row& row) {
    row("case", &Record::case_name, kNotEmpty | kAlways);
    row("scene", &Record::scene, kOrNull);
    row("method", &Record::method, kOrNull);
    row("preset", &Record::preset, kOrNull);
    row("workload", &Record::workload, kOrNull);
    row("axes", &Record::axes);
    row("status", &Record::status, kAlways);
    row("reason", &Record::reason, kOrNull);
    row("metrics", &Record::metrics);
    row("stages", &Record::stages, kShortInside);
    row("timing", &Record::timing, kShortInside);
    row("peak_rss_bytes", &Record::peak_rss_bytes);
    row("output_sha256", &Record::output_sha256, kOrNull | kSha256, "Of the reconstruction's bytes.");
    row("options", &Record::options, 0,
        "Effective parameters, \"owner.name\", that differ from their defaults or have none.");
    row("simulated", &Record::simulated, 0, "The method saw the truth and drew its points from it.");
    row("injected", &Record::injected, 0, "Faults put in with --inject.");
    row("defaults", &Record::defaults, kLeftOut, "Effective parameters that have their default values.");
    row("guest", &Record::guest, kLeftOut, "Who ran as a program of the user, as it was before it ran.");
    row("program", &Record::program, kLeftOut,
        "Resources used by an external program and its children in the cold run.");
    row("isolation", &Record::isolation, kLeftOut | kNotEmpty,
        "How the process of a real method was kept from truth, cache, other cases and bundle; \"none: "
        "REASON\" where it was not. A simulated method sees the truth and has none.");
    row("dataset_sha256", &Record::dataset_sha256, kLeftOut | kSha256,
        "Of the dataset that the case saw: of its lines \"HASH  NAME\", as sha256sum prints them, sorted by "
        "name.");
    row("effective", &Record::effective, kLeftOut,
        "What a real method made of its options and of the images, with units in the names: window_px, "
        "voxel_m.");
    row("files", &Record::files, kSha256, "Hashes of what the case's process wrote into the bundle.");
    row("unit", &Record::unit, kLeftOut, "Side and round of one unit of a comparison.");
  }

  // Distinguishes invalid cases from failed ones, and checks the stages.
  void after_reading(const JsonPlace& place);
};

// Returns {"NAME": {"value": 0.79, "unit": "mm", "better": "lower"}, ...}; "reason" where the value is null.
Json to_json(const MetricSet& metrics);

// Reads what to_json() wrote. Throws Error(input) naming `source` and the place.
MetricSet metrics_from_json(const Json& json, const std::string& source);

// Returns the name of what a record is of: the case, or the case with side and round of a unit.
std::string record_key(const Record& record);

// Returns the record with its keys in a fixed order, so that a record has one text and reading it back gives
// the same bytes. That of a unit leaves out empty members: 200 000 may stand in one file. Non-finite numbers
// become null (a metric then gets a reason); in a list of samples they throw Error(method).
Json to_json(const Record& record);

// Reads what to_json() wrote. Throws Error(input) "SOURCE: metrics.points.value: expected a number" for a
// member that is missing, unknown or of the wrong type.
Record record_from_json(const JsonPlace& place);
Record record_from_json(const Json& json, const std::string& source = "record");

// Returns the schema of a record, of a sweep or of a unit.
Json record_schema(bool of_unit);

}  // namespace aqbench
