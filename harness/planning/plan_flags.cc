#include "harness/planning/plan_flags.h"

#include <algorithm>
#include <cstdint>

#include "harness/planning/case_options.h"

namespace aqbench {
namespace {

using Request = PlanRequest;
using Texts = std::vector<std::string>;

std::string flag_text(const std::string& text) { return text; }
std::string flag_text(const Inject& inject) { return to_string(inject); }
std::string flag_text(const Axis& axis) {
  return fmt::format("{}={}", axis.name, fmt::join(axis.values, ","));
}
std::string flag_text(const Override& set) { return override_text(set); }

Texts flag_texts(const std::string& text) { return text.empty() ? Texts{} : Texts{text}; }
template <class Value>
Texts flag_texts(const std::optional<Value>& value) {
  return value ? Texts{fmt::format("{}", *value)} : Texts{};
}
template <class Value>
Texts flag_texts(const std::vector<Value>& values) {
  Texts texts;
  for (const Value& value : values) texts.push_back(flag_text(value));
  return texts;
}

// Writes the request's field at a path of members.
template <auto... kPath>
constexpr auto write_field = [](const Request& request) { return flag_texts((request.*....*kPath)); };

// A flag that fills the request's field at a path of members; a list takes several.
template <auto... kPath>
PlanFlag field(int place, const char* name, const char* value_name, const char* help,
               std::function<void(Request&, const FlagValue&)> read = into<kPath...>) {
  constexpr bool is_list = requires(Request request) { (request.*....*kPath).emplace_back(); };
  return {{name, value_name, help, std::move(read), {.repeatable = is_list}}, place, write_field<kPath...>};
}

// Reads one more element of a list with its parser.
template <auto kList, auto kParse>
constexpr auto append_parsed =
    [](Request& request, const FlagValue& value) { (request.*kList).push_back(kParse(value.text)); };

template <auto kSide>
constexpr auto read_image_side = [](Request& request, const FlagValue& value) {
  const auto pixels = value.at_least<std::int64_t>(1);
  if (pixels > kMaxImageSide_px) value.refuse(pixels, fmt::format("must be at most {}", kMaxImageSide_px));
  request.images.*kSide = static_cast<int>(pixels);
};

void read_suite_of_file(Request& request, const FlagValue& value) {
  if (!request.suite.empty()) throw usage_error("--suite and --suite-file exclude each other");
  request.own_suite = read_suite_file(value.text);
}

// ---- The tables, in the order of the help ----

const PlanFlag kSelectionFlags[] = {
    field<&Request::suite>(1, "suite", "NAME",
                           "a registered suite, or one of the project file (aqbench list suites)"),
    {{"suite-file", "FILE", "a suite of your own, JSON", read_suite_of_file},
     2,
     [](const Request& r) {
       return r.own_suite && r.suite.empty() ? Texts{r.own_suite->name + ".json"} : Texts{};
     }},
    field<&Request::scenes>(3, "scene", "S",
                            "scene or pattern, mesh:FILE.ply or dataset:DIR; may be repeated"),
    {{"dataset", "DATASET",
      "dataset of the project file, or a folder with images and cameras in any layout; may be repeated",
      [](Request& r, const FlagValue& v) {
        const bool has_prefix = v.text.starts_with(kDatasetPrefix);
        r.scenes.push_back(has_prefix ? v.text : std::string(kDatasetPrefix) + v.text);
      },
      repeated()},
     28},  // written as scenes
    field<&Request::methods>(4, "method", "M",
                             "method name or pattern, method:preset for a preset; may be repeated"),
    field<&Request::workloads>(5, "workload", "W",
                               "workload name or pattern (aqbench list workloads); may be repeated"),
    field<&Request::axes>(
        6, "axis", "AXIS",
        "NAME=a,b,c | NAME=start:stop:step | NAME[pow2]=4:10; NAME is seed, threads, device, replica, "
        "rig, imaging, width, height, frame (of recordings), a parameter of a workload, or "
        "OWNER.PARAMETER",
        append_parsed<&Request::axes, parse_axis>),
    field<&Request::seed>(8, "seed", "N", "first seed (default: the suite's, 42)",
                          [](Request& r, const FlagValue& v) { r.seed = v.at_least<std::int64_t>(0); }),
    field<&Request::repeat>(9, "repeat", "N", "number of consecutive seeds",
                            [](Request& r, const FlagValue& v) { r.repeat = v.at_least<std::int64_t>(1); }),
    field<&Request::timing, &TimingRequest::repetitions>(
        18, "repetitions", "N",
        "warm runs to time, after the cold one (default: 0 for methods, 10 for workloads)"),
    field<&Request::timing, &TimingRequest::warmup>(
        19, "warmup", "N", "discarded warm-up runs (default: 1 for methods, 2 for workloads)"),
};

const PlanFlag kCaseFlags[] = {
    field<&Request::sets>(
        7, "set", "NAME=VALUE",
        "OWNER.PARAMETER=VALUE of a scene, method, workload, rig or imaging (aqbench list shows them); "
        "may be repeated",
        append_parsed<&Request::sets, parse_override>),
    {{"protocol", "NAME",
      "also score as another benchmark does, NAME or NAME:KNOB=VALUE (docs/protocols.md): its numbers become "
      "metrics; may be repeated",
      [](Request& r, const FlagValue& v) {
        parse_protocols(v.text);
        parse_file_protocols(v.text);
        ask_for_protocol(r.sets, v.text);
      },
      repeated()},
     27},  // written as --set protocols.names
    field<&Request::images, &ImageChoice::rig>(
        10, "rig", "RIG",
        "cameras of images: a name (aqbench list rigs) or a FILE of your own (default ring12)"),
    field<&Request::images, &ImageChoice::imaging>(
        11, "imaging", "VARIANT", "imaging variant (aqbench list imaging; default: default)"),
    field<&Request::images, &ImageChoice::width_px>(
        12, "width", "PX", "width of the images, px; alone, the height follows (default: the rig's, 1600)",
        read_image_side<&ImageChoice::width_px>),
    field<&Request::images, &ImageChoice::height_px>(13, "height", "PX", "height of the images, px",
                                                     read_image_side<&ImageChoice::height_px>),
    field<&Request::threads>(14, "threads", "N",
                             "threads per case; changes no metric (default: all processors)",
                             [](Request& r, const FlagValue& v) { r.threads = v.at_least(1); }),
    field<&Request::device>(15, "device", "DEVICE", "cpu, cuda, opencl or opencl:N (default: cpu)"),
    field<&Request::timeout_s>(16, "timeout", "S", "seconds per case (default 600)",
                               [](Request& r, const FlagValue& v) { r.timeout_s = v.positive(); }),
    {{"memory-limit", "GIB", "GiB of resident memory per case (default: 75 % of the machine)",
      [](Request& r, const FlagValue& v) {
        const double bytes = v.positive() * 0x1p30;
        if (bytes >= 0x1p63) v.refuse_text("is more memory than a machine can have");
        r.memory_limit_bytes = static_cast<std::uint64_t>(bytes);
      }},
     17,
     [](const Request& r) {
       if (!r.memory_limit_bytes) return Texts{};
       return Texts{fmt::format("{}", static_cast<double>(*r.memory_limit_bytes) / 0x1p30)};
     }},
    {{"project", "FILE",
      "the project file with your methods and suites (default: aqbench.json, here or in a folder above)",
      into<&Request::project_file>},
     26,
     [](const Request& r) { return r.project.dir.empty() ? Texts{} : Texts{kProjectFileName}; }},
    field<&Request::injects>(
        25, "inject", "FAULT",
        "[CASE_GLOB:]STAGE=+5%|20ms|throw|abort|hang|oom|corrupt: injects a fault, for testing",
        append_parsed<&Request::injects, parse_inject>),
};

const PlanFlag kTimingFlags[] = {
    field<&Request::timing, &TimingRequest::min_time_s>(20, "min-time", "S",
                                                        "continue until warm runs sum up to S seconds"),
    {{"precision", "PCT", "continue until half the 95 % interval of the median is at most PCT % of it",
      [](Request& r, const FlagValue& v) { r.timing.precision = v.number<double>() / 100; }},
     21,
     [](const Request& r) {
       return r.timing.precision ? Texts{fmt::format("{}", 100 * *r.timing.precision)} : Texts{};
     }},
    field<&Request::timing, &TimingRequest::max_repetitions>(22, "max-repetitions", "N",
                                                             "maximum number of warm runs (default 1000)"),
    field<&Request::timing, &TimingRequest::max_time_s>(23, "max-time", "S",
                                                        "maximum warm seconds per case (default 60)"),
};

const PlanFlag kShardFlags[] = {
    {{"shard", "i/n", "i/n: the i-th of n parts of the cases",
      [](Request& r, const FlagValue& v) { r.shard = parse_shard(v.text); }},
     24,
     [](const Request& r) { return r.shard.count > 1 ? Texts{to_string(r.shard)} : Texts{}; }},
};

}  // namespace

std::span<const PlanFlag> selection_flags() { return kSelectionFlags; }
std::span<const PlanFlag> case_flags() { return kCaseFlags; }
std::span<const PlanFlag> timing_flags() { return kTimingFlags; }
std::span<const PlanFlag> shard_flags() { return kShardFlags; }

std::vector<std::string> plan_words(const PlanRequest& request) {
  std::vector<const PlanFlag*> flags;
  for (const auto& table : {selection_flags(), case_flags(), timing_flags(), shard_flags()})
    for (const PlanFlag& flag : table) flags.push_back(&flag);
  std::ranges::sort(flags, {}, &PlanFlag::place);
  std::vector<std::string> words;
  for (const PlanFlag* const flag : flags)
    for (std::string& value : flag->write ? flag->write(request) : Texts{}) {
      words.push_back(std::string("--") + flag->name);
      words.push_back(std::move(value));
    }
  return words;
}

}  // namespace aqbench
