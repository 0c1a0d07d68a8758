#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/running/progress.h"
#include "scenes/dataset/dataset_cache.h"
#include "scenes/optics/rig.h"

namespace aqbench::cli {
namespace {

struct RenderRequest {
  DatasetRequest dataset;
  std::filesystem::path out;
  bool cache = true;
  bool json = false;
};

CommandLine render_command_line() {
  CommandLine line{
      "aqbench render SCENE --out DIR [OPTION]...",
      "Renders a scene through water as every camera of a rig sees it and writes a dataset: images,\n"
      "calibration.json (AquaCal's format), and apart from them the truth (depth maps along the refracted\n"
      "rays, the surface). DIR appears when it is whole. The same request gives the same bytes; it is\n"
      "rendered once and copied from the cache afterwards (aqbench cache).\n\n"
      "  aqbench render undulating --out data/undulating\n"
      "  aqbench render mound --rig sparse4 --width 800 --imaging clean --out data/mound\n"
      "  aqbench render flat_plane --set ring12.n_water=1 --out data/dry    without water, for COLMAP too",
      make_options(),
      {"SCENE"}};
  line.options.add_options()("out", po::value<std::string>()->value_name("DIR"),
                             "the dataset's folder; must not be there or be empty")(
      "rig", po::value<std::string>()->value_name("RIG")->default_value("ring12"),
      "cameras (aqbench list rigs)")(
      "imaging", po::value<std::string>()->value_name("VARIANT")->default_value("default"),
      "lens and sensor (aqbench list imaging)")("width", po::value<int>()->value_name("PX"),
                                                "image width, px; alone, it keeps the rig's ratio (1600)")(
      "height", po::value<int>()->value_name("PX"), "image height, px; alone, it keeps the ratio (1200)")(
      "seed", po::value<std::uint64_t>()->value_name("N")->default_value(42),
      "of texture, sensor noise, gains and the rig's jitter")(
      "set", po::value<Strings>()->composing()->value_name("NAME=VALUE"),
      "SCENE.PARAMETER=VALUE, RIG.PARAMETER=VALUE or imaging.PARAMETER=VALUE, may be repeated")(
      "mesh-pitch-mm", po::value<double>()->value_name("MM")->default_value(1.0),
      "distance of the vertices of truth/surface.ply, mm, 0.1 to 100")(
      "threads", po::value<int>()->value_name("N"), "threads; changes no byte (default: all processors)")(
      "no-cache", "neither look into the cache nor add to it")("json", "print what was written as JSON");
  return line;
}

std::optional<int> positive_pixels(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return std::nullopt;
  const int value = values[name].as<int>();
  if (value < 1) throw Error(ErrorKind::usage, fmt::format("--{} {}: must be positive", name, value));
  return value;
}

RenderRequest read_render_request(const po::variables_map& values) {
  RenderRequest request;
  DatasetRequest& dataset = request.dataset;
  dataset.scene = values["SCENE"].as<std::string>();
  dataset.rig = values["rig"].as<std::string>();
  dataset.imaging = values["imaging"].as<std::string>();
  dataset.width_px = positive_pixels(values, "width");
  dataset.height_px = positive_pixels(values, "height");
  dataset.seed = values["seed"].as<std::uint64_t>();
  for (const std::string& set : strings(values, "set")) dataset.overrides.push_back(parse_override(set));
  const double pitch_mm = values["mesh-pitch-mm"].as<double>();
  if (!(pitch_mm >= 0.1 && pitch_mm <= 100))
    throw Error(ErrorKind::usage, fmt::format("--mesh-pitch-mm {}: must be 0.1 to 100", pitch_mm));
  dataset.mesh_pitch_m = pitch_mm / 1000;
  dataset.generator_version = AQBENCH_VERSION;
  if (values.count("out") == 0) throw Error(ErrorKind::usage, "--out DIR is missing");
  request.out = values["out"].as<std::string>();
  if (values.count("threads") != 0) set_thread_count(values["threads"].as<int>());
  request.cache = values.count("no-cache") == 0;
  request.json = values.count("json") != 0;
  return request;
}

// The line on stderr that shows how far it is; nothing where stderr is no terminal.
class RenderDisplay {
 public:
  RenderDisplay()
      : options_(SweepDisplay::options_for_stderr()), start_(SteadyClock::now()), shown_(start_) {}
  ~RenderDisplay() { clear(); }
  RenderDisplay(const RenderDisplay&) = delete;
  RenderDisplay& operator=(const RenderDisplay&) = delete;

  void show(std::size_t done, std::size_t work, const std::string& camera) {
    const auto now = SteadyClock::now();
    if (!options_.live || now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double elapsed_s = std::chrono::duration<double>(now - start_).count();
    const double share = static_cast<double>(done) / static_cast<double>(work);
    const std::string text =
        fmt::format("rendering {:.0f} % {}, {} left  {}", 100 * share, clock_text(elapsed_s),
                    clock_text(elapsed_s * (1 / share - 1)), camera);
    write("\r\x1b[K" + one_line(text, static_cast<std::size_t>(std::max(options_.columns - 1, 20))));
    any_ = true;
  }

 private:
  void clear() {
    if (any_) write("\r\x1b[K");
  }
  void write(const std::string& text) const {
    [[maybe_unused]] const ssize_t ignored = ::write(options_.descriptor, text.data(), text.size());
  }

  SweepDisplay::Options options_;
  SteadyClock::time_point start_, shown_;
  bool any_ = false;
};

// False if the dataset came from the cache.
bool produce_dataset(const RenderRequest& request, const DatasetPlan& plan) {
  const CatchInterrupts interrupts;
  RenderDisplay display;
  bool rendered = false;
  const RenderProgress progress = [&](std::size_t done, std::size_t work, const std::string& camera) {
    interrupts.throw_if_interrupted();
    rendered = true;
    display.show(done, work, camera);
  };
  if (request.cache) {
    const CachedDataset cached = cached_dataset(plan, cache_options_from_environment(), progress);
    interrupts.throw_if_interrupted();
    copy_dataset(cached.dir(), request.out);
  } else {
    write_dataset(plan, request.out, progress);
  }
  return rendered;
}

std::uintmax_t folder_bytes(const std::filesystem::path& dir) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

Json render_json(const RenderRequest& request, const DatasetPlan& plan, bool rendered, double wall_s) {
  Json cameras = Json::array();
  for (const Camera& camera : plan.rig.cameras) cameras.push_back(camera.name);
  return {{"dir", request.out.string()},
          {"cameras", cameras},
          {"width", plan.rig.cameras.front().intrinsics.width_px},
          {"height", plan.rig.cameras.front().intrinsics.height_px},
          {"bytes", folder_bytes(request.out)},
          {"from_cache", !rendered},
          {"wall_s", wall_s},
          {"threads", thread_count()},
          {"dataset", Json::parse(dataset_record(plan))}};
}

}  // namespace

ExitCode run_render(const Arguments& arguments) {
  const auto values = parse(render_command_line(), arguments);
  if (!values) return ExitCode::pass;
  const RenderRequest request = read_render_request(*values);
  const DatasetPlan plan = plan_dataset(request.dataset);
  require_free_folder(request.out);  // said before rendering, not after
  const auto start = SteadyClock::now();
  const bool rendered = produce_dataset(request, plan);
  const double wall_s = seconds_since(start);
  if (request.json) {
    fmt::print("{}\n", render_json(request, plan, rendered, wall_s).dump(2));
    return ExitCode::pass;
  }
  const Intrinsics& lens = plan.rig.cameras.front().intrinsics;
  fmt::print("{}: {} seen by {} ({} cameras, {} x {}, {}), {:.1f} MB, {} {:.1f} s\n", request.out.string(),
             plan.scene.name, request.dataset.rig, plan.rig.cameras.size(), lens.width_px, lens.height_px,
             request.dataset.imaging, static_cast<double>(folder_bytes(request.out)) / 1e6,
             rendered ? "rendered in" : "from the cache in", wall_s);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
