#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/datasets/project_datasets.h"
#include "harness/running/progress.h"
#include "scenes/dataset/board_stills.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/dataset_cache.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/optics/port_file.h"

namespace aqbench::cli {
namespace {

struct RenderRequest {
  DatasetRequest dataset;
  std::optional<std::filesystem::path> out;  // required
  std::optional<std::filesystem::path> poses;
  std::optional<int> threads;
  bool cache = true;
  bool json = false;
};

template <auto kSide>
constexpr auto read_side = [](RenderRequest& request, const FlagValue& value) {
  const auto pixels = value.number<int>();
  if (pixels < 1) value.refuse(pixels, "must be positive");
  request.dataset.*kSide = pixels;
};

void read_mesh_pitch(RenderRequest& request, const FlagValue& value) {
  const auto pitch_mm = value.number<double>();
  if (!(pitch_mm >= 0.1 && pitch_mm <= 100)) value.refuse(pitch_mm, "must be from 0.1 to 100");
  request.dataset.mesh_pitch_m = pitch_mm / 1000;
}

const Flag<RenderRequest> kRenderFlags[] = {
    {"out", "DIR", "the dataset's folder; must be new or empty", into<&RenderRequest::out>},
    {"rig", "RIG", "cameras: a name (aqbench list rigs) or a FILE (docs/rig.md)",
     into<&RenderRequest::dataset, &DatasetRequest::rig>, usually("ring12")},
    {"imaging", "VARIANT", "lens and sensor (aqbench list imaging)",
     into<&RenderRequest::dataset, &DatasetRequest::imaging>, usually("default")},
    {"width", "PX", "image width, px; alone, it keeps the rig's ratio (1600)",
     read_side<&DatasetRequest::width_px>},
    {"height", "PX", "image height, px; alone, it keeps the ratio (1200)",
     read_side<&DatasetRequest::height_px>},
    {"seed", "N", "seed of texture, sensor noise, gains and the rig's jitter",
     into<&RenderRequest::dataset, &DatasetRequest::seed>, usually("42")},
    {"set", "NAME=VALUE",
     "SCENE.PARAMETER=VALUE, RIG.PARAMETER=VALUE or imaging.PARAMETER=VALUE, may be repeated",
     [](RenderRequest& r, const FlagValue& v) { r.dataset.overrides.push_back(parse_override(v.text)); },
     repeated()},
    {"poses", "FILE", "one still of a board for each pose of a JSON list (docs/water.md)",
     into<&RenderRequest::poses>},
    {"mesh-pitch-mm", "MM", "vertex spacing of truth/surface.ply, mm, 0.1 to 100", read_mesh_pitch,
     usually("1")},
    {"threads", "N", "threads; changes no byte (default: all processors)", into<&RenderRequest::threads>},
    {"no-cache", nullptr, "neither read nor write the cache", turn_off<&RenderRequest::cache>},
    {"json", nullptr, "print a description of the dataset as JSON", into<&RenderRequest::json>},
};

CommandLine<RenderRequest> render_command_line() {
  return {
      "aqbench render SCENE --out DIR [OPTION]...",
      "Renders a scene through water for every camera of a rig and writes a dataset: "
      "images,\ncalibration.json (AquaCal's format), and separately the truth (depth maps along the "
      "refracted rays,\nthe surface). DIR appears once it is complete. The same request gives the same "
      "bytes; it is rendered\nonce and then copied from the cache (aqbench cache).\n\n"
      "  aqbench render undulating --out data/undulating\n"
      "  aqbench render mound --rig sparse4 --width 800 --imaging clean --out data/mound\n"
      "  aqbench render undulating --rig sparse/0 --set rig.water_below_m=0.4 --out data/own\n"
      "  aqbench render flat_plane --set ring12.n_water=1 --out data/dry    without water, for COLMAP too",
      {std::begin(kRenderFlags), std::end(kRenderFlags)},
      {{{.name = "SCENE"}, into<&RenderRequest::dataset, &DatasetRequest::scene>}}};
}

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int) { g_interrupted = 1; }

// During its lifetime, SIGINT, SIGTERM and SIGHUP (unless ignored) are noted instead of ending the process,
// so that nothing is left half done. One at a time.
class CatchInterrupts {
 public:
  CatchInterrupts() : before_{} {
    g_interrupted = 0;
    struct sigaction note {};
    note.sa_handler = note_interrupt;  // without SA_RESTART: waiting for a lock is interrupted
    for (int i = 0; i < 3; ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN)
        ::sigaction(kSignals[i], &note, nullptr);  // nohup ignores SIGHUP on purpose
    }
  }
  ~CatchInterrupts() {
    for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

  // Throws Error(interrupted) once a signal has come. Safe from any thread.
  static void throw_if_interrupted() {
    if (g_interrupted != 0) throw Error(ErrorKind::interrupted, "interrupted");
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3];
};

// Writes the model that the refractive COLMAP reads, for a rig that looks through water and that it can hold.
void write_for_refractive_colmap(const Rig& rig, const std::filesystem::path& dir) {
  if (is_dry(rig) || std::ranges::any_of(rig.cameras, [](const Camera& camera) {
        return level_water(camera) != nullptr && !port_through(camera);
      }))
    return;
  std::filesystem::create_directory(dir);
  write_colmap_model(dir, rig, "000000.png");
}

// Calls `produce`, showing its progress on a terminal, until a signal comes. Returns whether it reported any.
bool show_progress(const std::function<void(const RenderProgress& progress)>& produce) {
  const CatchInterrupts interrupts;
  const auto options = SweepDisplay::options_for_stderr();
  SweepDisplay display(options);
  const auto start = SteadyClock::now();
  double next_s = 0.1;
  bool rendered = false;
  const RenderProgress progress = [&](std::size_t done, std::size_t work, const std::string& camera) {
    CatchInterrupts::throw_if_interrupted();
    rendered = true;
    const double elapsed_s = seconds_since(start),
                 share = static_cast<double>(done) / static_cast<double>(work);
    if (!options.live || elapsed_s < next_s) return;
    next_s = elapsed_s + 0.1;
    display.show(elapsed_s, [&](int columns) {
      return one_line(fmt::format("rendering {:.0f} % {}, {} left  {}", 100 * share, clock_text(elapsed_s),
                                  clock_text(elapsed_s * (1 / share - 1)), camera),
                      static_cast<std::size_t>(std::max(columns, 20)));
    });
  };
  produce(progress);
  return rendered;
}

// Returns whether the dataset was rendered; false if it came from the cache.
bool produce_dataset(const RenderRequest& request, const DatasetPlan& plan) {
  const bool rendered = show_progress([&](const RenderProgress& progress) {
    if (!request.cache) return write_dataset(plan, *request.out, progress);
    const CachedDataset cached = cached_dataset(plan, cache_options_from_environment(), progress);
    CatchInterrupts::throw_if_interrupted();
    copy_dataset(cached.dir(), *request.out);
  });
  write_for_refractive_colmap(plan.rig, *request.out / "colmap_underwater");
  return rendered;
}

std::uintmax_t folder_bytes(const std::filesystem::path& dir) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

std::vector<std::string> cameras_without_scene(const DatasetPlan& plan) {
  constexpr double kPitch_m = 0.005;
  return blind_cameras(plan.rig, plan.scene.truth.surface->mesh(kPitch_m));
}

Json render_json(const RenderRequest& request, const DatasetPlan& plan, bool rendered, double wall_s) {
  Json cameras = Json::array();
  for (const Camera& camera : plan.rig.cameras) cameras.push_back(camera.name);
  return {{"dir", request.out->string()},
          {"cameras", cameras},
          {"width", plan.rig.cameras.front().intrinsics.width_px},
          {"height", plan.rig.cameras.front().intrinsics.height_px},
          {"bytes", folder_bytes(*request.out)},
          {"from_cache", !rendered},
          {"wall_s", wall_s},
          {"threads", thread_count()},
          {"cameras_that_see_nothing", cameras_without_scene(plan)},
          {"dataset", parse_strict_json(dataset_record(plan), "dataset")}};
}

// One still of a board for each of its poses.
ExitCode render_stills(const RenderRequest& request) {
  const std::vector<DatasetPlan> stills = plan_board_stills(request.dataset, *request.poses);
  require_free_folder(*request.out);
  const auto start = SteadyClock::now();
  show_progress([&](const RenderProgress& progress) { write_board_stills(stills, *request.out, progress); });
  const double wall_s = seconds_since(start);
  const DatasetPlan& first = stills.front();
  std::vector<std::size_t> unseen;
  for (std::size_t i = 0; i < stills.size(); ++i)
    if (cameras_without_scene(stills[i]).size() == first.rig.cameras.size()) unseen.push_back(i);
  if (request.json) {
    Json json = render_json(request, first, true, wall_s);
    json.erase("cameras_that_see_nothing");
    json["stills"] = stills.size();
    json["poses_that_no_camera_sees"] = unseen;
    print_json(json.dump(2) + "\n");
    return ExitCode::pass;
  }
  fmt::print("{}: {} of {} seen by {} ({}, {}), {:.1f} MB, rendered in {:.1f} s\n",
             printable(request.out->string()), counted(stills.size(), "pose"), printable(first.scene.name),
             printable(request.dataset.rig), counted(first.rig.cameras.size(), "camera"),
             request.dataset.imaging, static_cast<double>(folder_bytes(*request.out)) / 1e6, wall_s);
  for (const std::size_t pose : unseen) fmt::print("pose {}: no camera sees the board\n", pose);
  return ExitCode::pass;
}

}  // namespace

ExitCode render_command(const Arguments& arguments) {
  RenderRequest request = parse(render_command_line(), arguments);
  if (!request.out) throw usage_error("--out DIR is missing");
  if (request.threads) set_thread_count(*request.threads);
  request.dataset.generator_version = AQBENCH_VERSION;
  use_current_rigs(request.dataset.rig);
  if (request.poses) return render_stills(request);
  const DatasetPlan plan = plan_dataset(request.dataset);
  require_free_folder(*request.out);  // refuses an occupied folder before rendering
  const auto start = SteadyClock::now();
  const bool rendered = produce_dataset(request, plan);
  const double wall_s = seconds_since(start);
  if (request.json) {
    print_json(render_json(request, plan, rendered, wall_s).dump(2) + "\n");
    return ExitCode::pass;
  }
  const Intrinsics& lens = plan.rig.cameras.front().intrinsics;
  fmt::print("{}: {} seen by {} ({} cameras, {} x {}, {}), {:.1f} MB, {} {:.1f} s\n",
             printable(request.out->string()), printable(plan.scene.name), printable(request.dataset.rig),
             plan.rig.cameras.size(), lens.width_px, lens.height_px, request.dataset.imaging,
             static_cast<double>(folder_bytes(*request.out)) / 1e6,
             rendered ? "rendered in" : "from the cache in", wall_s);
  for (const std::string& blind : tell_blind_cameras(plan.rig, *plan.scene.truth.surface))
    fmt::print("{}\n", printable(blind));
  if (!plan.mesh_sha256.empty())
    fmt::print(
        "flat faces are about {:.3g} mm from a smooth surface through their corners (95 % of the area)\n",
        1e3 * plan.facet_error_m);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
