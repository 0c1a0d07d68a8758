#include "harness/planning/plan_flags.h"

#include <algorithm>
#include <cstdint>

#include "harness/planning/case_protocols.h"

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
  if (!request.suite.empty()) throw Error(ErrorKind::usage, "--suite and --suite-file exclude each other");
  request.own_suite = read_suite_file(value.text);
}

// ---- The tables, in the order of the help ----

const PlanFlag kSelectionFlags[] = {
    {.name = "suite",
     .value_name = "NAME",
     .help = "a registered suite, or one of the project file (aqbench list suites)",
     .place = 1,
     .read = into<&Request::suite>,
     .write = [](const Request& r) { return r.suite.empty() ? Texts{} : Texts{r.suite}; }},
    {.name = "suite-file",
     .value_name = "FILE",
     .help = "a suite of your own, JSON",
     .place = 2,
     .read = read_suite_of_file,
     .write =
         [](const Request& r) {
           return r.own_suite && r.suite.empty() ? Texts{r.own_suite->name + ".json"} : Texts{};
         }},
    {.name = "scene",
     .value_name = "S",
     .help = "scene or pattern, mesh:FILE.ply or dataset:DIR; may be repeated",
     .repeatable = true,
     .place = 3,
     .read = into<&Request::scenes>,
     .write = write_field<&Request::scenes>},
    {.name = "dataset",
     .value_name = "DATASET",
     .help =
         "dataset of the project file, or a folder with images and cameras in any layout; may be repeated",
     .repeatable = true,
     .place = 29,
     .read =
         [](Request& r, const FlagValue& v) {
           const bool has_prefix = v.text.starts_with(kDatasetPrefix);
           r.scenes.push_back(has_prefix ? v.text : std::string(kDatasetPrefix) + v.text);
         },
     .write = [](const Request&) { return Texts{}; }},  // written as scenes
    {.name = "method",
     .value_name = "M",
     .help = "method name or pattern, method:preset for a preset; may be repeated",
     .repeatable = true,
     .place = 4,
     .read = into<&Request::methods>,
     .write = write_field<&Request::methods>},
    {.name = "workload",
     .value_name = "W",
     .help = "workload name or pattern (aqbench list workloads); may be repeated",
     .repeatable = true,
     .place = 5,
     .read = into<&Request::workloads>,
     .write = write_field<&Request::workloads>},
    {.name = "axis",
     .value_name = "AXIS",
     .help = "NAME=a,b,c | NAME=start:stop:step | NAME[pow2]=4:10; NAME is seed, threads, device, replica, "
             "rig, imaging, width, height, frame (of recordings), a parameter of a workload, or "
             "OWNER.PARAMETER",
     .repeatable = true,
     .place = 6,
     .read = append_parsed<&Request::axes, parse_axis>,
     .write = write_field<&Request::axes>},
    {.name = "seed",
     .value_name = "N",
     .help = "first seed (default: the suite's, 42)",
     .place = 8,
     .read = [](Request& r, const FlagValue& v) { r.seed = v.at_least<std::int64_t>(0); },
     .write = write_field<&Request::seed>},
    {.name = "repeat",
     .value_name = "N",
     .help = "number of consecutive seeds",
     .place = 9,
     .read = [](Request& r, const FlagValue& v) { r.repeat = v.at_least<std::int64_t>(1); },
     .write = write_field<&Request::repeat>},
    {.name = "repetitions",
     .value_name = "N",
     .help = "warm runs to time, after the cold one (default: 0 for methods, 10 for workloads)",
     .place = 18,
     .read = into<&Request::timing, &TimingRequest::repetitions>,
     .write = write_field<&Request::timing, &TimingRequest::repetitions>},
    {.name = "warmup",
     .value_name = "N",
     .help = "discarded warm-up runs (default: 1 for methods, 2 for workloads)",
     .place = 19,
     .read = into<&Request::timing, &TimingRequest::warmup>,
     .write = write_field<&Request::timing, &TimingRequest::warmup>},
};

const PlanFlag kCaseFlags[] = {
    {.name = "set",
     .value_name = "NAME=VALUE",
     .help = "OWNER.PARAMETER=VALUE of a scene, method, workload, rig or imaging (aqbench list shows them); "
             "may be repeated",
     .repeatable = true,
     .place = 7,
     .read = append_parsed<&Request::sets, parse_override>,
     .write = write_field<&Request::sets>},
    {.name = "protocol",
     .value_name = "NAME",
     .help = "also score as another benchmark does, NAME or NAME:KNOB=VALUE (docs/protocols.md): its numbers "
             "become metrics; may be repeated",
     .repeatable = true,
     .place = 28,
     .read =
         [](Request& r, const FlagValue& v) {
           parse_protocol(v.text);
           ask_for_protocol(r.sets, v.text);
         },
     .write = [](const Request&) { return Texts{}; }},  // --set protocols.names
    {.name = "rig",
     .value_name = "RIG",
     .help = "cameras of real methods' images (aqbench list rigs; default ring12)",
     .place = 10,
     .read = into<&Request::images, &ImageChoice::rig>,
     .write = write_field<&Request::images, &ImageChoice::rig>},
    {.name = "imaging",
     .value_name = "VARIANT",
     .help = "imaging variant (aqbench list imaging; default: default)",
     .place = 11,
     .read = into<&Request::images, &ImageChoice::imaging>,
     .write = write_field<&Request::images, &ImageChoice::imaging>},
    {.name = "width",
     .value_name = "PX",
     .help = "width of the images, px; alone, the height follows (default: the rig's, 1600)",
     .place = 12,
     .read = read_image_side<&ImageChoice::width_px>,
     .write = write_field<&Request::images, &ImageChoice::width_px>},
    {.name = "height",
     .value_name = "PX",
     .help = "height of the images, px",
     .place = 13,
     .read = read_image_side<&ImageChoice::height_px>,
     .write = write_field<&Request::images, &ImageChoice::height_px>},
    {.name = "threads",
     .value_name = "N",
     .help = "threads per case; changes no metric (default: all processors)",
     .place = 14,
     .read = [](Request& r, const FlagValue& v) { r.threads = v.at_least(1); },
     .write = write_field<&Request::threads>},
    {.name = "device",
     .value_name = "DEVICE",
     .help = "cpu, cuda, opencl or opencl:N (default: cpu)",
     .place = 15,
     .read = into<&Request::device>,
     .write = write_field<&Request::device>},
    {.name = "timeout",
     .value_name = "S",
     .help = "seconds per case (default 600)",
     .place = 16,
     .read = [](Request& r, const FlagValue& v) { r.timeout_s = v.positive(); },
     .write = write_field<&Request::timeout_s>},
    {.name = "memory-limit",
     .value_name = "GIB",
     .help = "GiB of resident memory per case (default: 75 % of the machine)",
     .place = 17,
     .read =
         [](Request& r, const FlagValue& v) {
           const double bytes = v.positive() * 0x1p30;
           if (bytes >= 0x1p63) v.refuse_text("is more memory than a machine can have");
           r.memory_limit_bytes = static_cast<std::uint64_t>(bytes);
         },
     .write =
         [](const Request& r) {
           if (!r.memory_limit_bytes) return Texts{};
           return Texts{fmt::format("{}", static_cast<double>(*r.memory_limit_bytes) / 0x1p30)};
         }},
    {.name = "project",
     .value_name = "FILE",
     .help =
         "the project file with your methods and suites (default: aqbench.json, here or in a folder above)",
     .place = 27,
     .read = into<&Request::project_file>,
     .write = [](const Request& r) { return r.project.dir.empty() ? Texts{} : Texts{kProjectFileName}; }},
    {.name = "inject",
     .value_name = "FAULT",
     .help = "[CASE_GLOB:]STAGE=+5%|20ms|throw|abort|hang|oom|corrupt: injects a fault, for testing",
     .repeatable = true,
     .place = 26,
     .read = append_parsed<&Request::injects, parse_inject>,
     .write = write_field<&Request::injects>},
};

const PlanFlag kTimingFlags[] = {
    {.name = "min-time",
     .value_name = "S",
     .help = "continue until warm runs sum up to S seconds",
     .place = 20,
     .read = into<&Request::timing, &TimingRequest::min_time_s>,
     .write = write_field<&Request::timing, &TimingRequest::min_time_s>},
    {.name = "precision",
     .value_name = "PCT",
     .help = "continue until half the 95 % interval of the median is at most PCT % of it",
     .place = 21,
     .read = [](Request& r, const FlagValue& v) { r.timing.precision = v.number<double>() / 100; },
     .write =
         [](const Request& r) {
           return r.timing.precision ? Texts{fmt::format("{}", 100 * *r.timing.precision)} : Texts{};
         }},
    {.name = "max-repetitions",
     .value_name = "N",
     .help = "maximum number of warm runs (default 1000)",
     .place = 22,
     .read = into<&Request::timing, &TimingRequest::max_repetitions>,
     .write = write_field<&Request::timing, &TimingRequest::max_repetitions>},
    {.name = "blocks",
     .value_name = "N",
     .help = "processes per case, interleaved with those of other cases, for paired comparisons (default 1)",
     .place = 24,
     .read = into<&Request::timing, &TimingRequest::blocks>,
     .write = write_field<&Request::timing, &TimingRequest::blocks>},
    {.name = "max-time",
     .value_name = "S",
     .help = "maximum warm seconds per case (default 60)",
     .place = 23,
     .read = into<&Request::timing, &TimingRequest::max_time_s>,
     .write = write_field<&Request::timing, &TimingRequest::max_time_s>},
};

const PlanFlag kShardFlags[] = {
    {.name = "shard",
     .value_name = "i/n",
     .help = "i/n: the i-th of n parts of the cases",
     .place = 25,
     .read = [](Request& r, const FlagValue& v) { r.shard = parse_shard(v.text); },
     .write = [](const Request& r) { return r.shard.count > 1 ? Texts{to_string(r.shard)} : Texts{}; }},
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
    for (std::string& value : flag->write(request)) {
      words.push_back(std::string("--") + flag->name);
      words.push_back(std::move(value));
    }
  return words;
}

}  // namespace aqbench
