// Workloads equirect_views (frames in memory to views in memory) and equirect_pipeline (files to files).
#include <algorithm>
#include <cmath>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/equirect_torch.h"
#include "pipeline/workloads/frame_loader.h"
#include "pipeline/workloads/output_bytes.h"
#include "pipeline/workloads/step_ledger.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

constexpr int kPngLevel = 1, kJpegQuality = 95;
constexpr double kJpegTolerance = 12;  // levels that JPEG may add on the way in and out
constexpr int kSeamReach_px = 2;       // columns on either side of +-180 degrees

struct EquirectOptions {
  ViewGeometry geometry;
  int frames = 8, batch = 4, threads = 1;
  std::uint64_t seed = 42;
  bool fused = true, cached_grid = true, jpeg = false;
  std::string loader = "none", device = "cpu";
  bool uint8_copy = true;
};

CopyWay copy_way(const std::string& loader) {
  if (loader == "pinned") return CopyWay::pinned;
  if (loader == "streams") return CopyWay::streams;
  return loader == "graph" ? CopyWay::graph : CopyWay::plain;
}

EquirectOptions read_equirect_options(const WorkloadInput& input) {
  const Parameters& given = input.parameters;
  EquirectOptions options;
  options.geometry.frame_width_px = static_cast<int>(given.integer("width"));
  options.geometry.view_px = static_cast<int>(given.integer("view"));
  options.geometry.fov_deg = given.number("fov_deg");
  options.frames = static_cast<int>(given.integer("frames"));
  options.batch = static_cast<int>(given.integer("batch"));
  options.fused = given.text("variant") == "fused";
  options.cached_grid = given.text("grid") == "cached";
  options.uint8_copy = given.text("copy") == "uint8";
  options.threads = input.threads;
  options.seed = input.seed;
  options.device = input.device;
  if (options.geometry.frame_width_px % 2 != 0)
    throw Error(ErrorKind::usage, "equirect.width: must be even, the height is half of it");
  return options;
}

// Samples batches of frames, with the grid made once or each time.
class ViewSampler {
 public:
  explicit ViewSampler(const EquirectOptions& options) : options_(options) { make(); }

  std::vector<ColourImage> sample(const std::vector<const ColourImage*>& frames, StepLedger& ledger) {
    if (!options_.cached_grid) ledger.time(Step::sample, [&] { make(); });
    if (torch_) return torch_->sample(frames, ledger);
    return ledger.time(Step::sample, [&] { return sample_fused(options_.geometry, taps_, frames); });
  }

 private:
  void make() {
    const ViewGrid grid = make_view_grid(options_.geometry);
    if (options_.fused)
      taps_ = make_taps(options_.geometry, grid);
    else
      torch_ = std::make_unique<TorchSampler>(
          options_.geometry, grid,
          TorchSamplerOptions{options_.device, options_.uint8_copy, copy_way(options_.loader)});
  }

  EquirectOptions options_;
  TapTable taps_;
  std::unique_ptr<TorchSampler> torch_;
};

// Errors against the formula, over all pixels and over those beside the seam.
struct ViewErrors {
  double worst = 0, worst_at_seam = 0, seam_pixels = 0;
};

void add_view_errors(const EquirectOptions& options, int frame, int view, const ColourImage& image,
                     ViewErrors& errors) {
  constexpr double turn = 6.283185307179586;
  const int side = options.geometry.view_px;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const auto direction = view_direction(options.geometry, view, x, y);
      const auto truth = sphere_colour(options.seed, frame, direction);
      double error = 0;
      for (std::size_t c = 0; c < 3; ++c)
        error =
            std::max(error, std::abs(image.bytes[3 * static_cast<std::size_t>(y * side + x) + c] - truth[c]));
      errors.worst = std::max(errors.worst, error);
      const double from_seam = turn / 2 - std::abs(std::atan2(direction[0], direction[2]));
      if (from_seam * options.geometry.frame_width_px > kSeamReach_px * turn) continue;
      errors.worst_at_seam = std::max(errors.worst_at_seam, error);
      ++errors.seam_pixels;
    }
}

std::vector<Identity> view_identities(const EquirectOptions& options, const std::vector<ColourImage>& views) {
  const auto expected = static_cast<double>(options.frames * options.geometry.views);
  std::vector<Identity> identities = {{"views", static_cast<double>(views.size()), expected, 0}};
  ViewErrors errors;
  const auto per_frame = static_cast<std::size_t>(options.geometry.views);
  // The formula is slow: of many frames, the first and the last are compared pixel by pixel.
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::size_t frame = i / per_frame;
    const auto size = 3 * static_cast<std::size_t>(options.geometry.view_px * options.geometry.view_px);
    if (views[i].bytes.size() != size) {
      identities.push_back(
          {"bytes_of_a_view", static_cast<double>(views[i].bytes.size()), static_cast<double>(size), 0});
      return identities;
    }
    if (frame == 0 || frame + 1 == static_cast<std::size_t>(options.frames))
      add_view_errors(options, static_cast<int>(frame), static_cast<int>(i % per_frame), views[i], errors);
  }
  const double tolerance = sampling_tolerance(options.geometry) + (options.jpeg ? kJpegTolerance : 0);
  identities.push_back({"worst_error_levels", errors.worst, 0, tolerance});
  identities.push_back({"seam_worst_error_levels", errors.worst_at_seam, 0, tolerance});
  return identities;
}

std::string hash_of_views(const std::vector<ColourImage>& views) {
  std::string hashes;
  for (const ColourImage& view : views) hashes += sha256_of_values(view.bytes);
  return sha256_hex(hashes);
}

double view_megapixels(const EquirectOptions& options) {
  return 1e-6 * options.frames * options.geometry.views * options.geometry.view_px * options.geometry.view_px;
}

// ---- In memory ----

class EquirectViewsRun final : public WorkloadRun {
 public:
  explicit EquirectViewsRun(const WorkloadInput& input)
      : options_(read_equirect_options(input)), sampler_(options_) {
    for (int i = 0; i < options_.frames; ++i)
      frames_.push_back(make_frame(options_.seed, i, options_.geometry.frame_width_px));
  }

  void run_once() override {
    StepLedger ledger;
    views_.clear();
    for (int first = 0; first < options_.frames; first += options_.batch) {
      std::vector<const ColourImage*> batch;
      for (int i = first; i < std::min(first + options_.batch, options_.frames); ++i)
        batch.push_back(&frames_[static_cast<std::size_t>(i)]);
      for (ColourImage& view : sampler_.sample(batch, ledger)) views_.push_back(std::move(view));
    }
  }

  std::vector<Identity> identities() override { return view_identities(options_, views_); }
  std::string output_sha256() override { return hash_of_views(views_); }
  void corrupt_output() override { views_.at(0).bytes.at(0) ^= 0x40; }
  WorkloadCost cost() const override { return {view_megapixels(options_), 0, 0}; }

 private:
  EquirectOptions options_;
  ViewSampler sampler_;
  std::vector<ColourImage> frames_, views_;
};

// ---- From disk to disk ----

std::string encode_image(const ColourImage& image, bool jpeg) {
  const cv::Mat pixels(image.height_px, image.width_px, CV_8UC3,
                       const_cast<std::uint8_t*>(image.bytes.data()));
  std::vector<std::uint8_t> bytes;
  const std::vector<int> options = jpeg ? std::vector<int>{cv::IMWRITE_JPEG_QUALITY, kJpegQuality}
                                        : std::vector<int>{cv::IMWRITE_PNG_COMPRESSION, kPngLevel};
  if (!cv::imencode(jpeg ? ".jpg" : ".png", pixels, bytes, options))
    throw Error(ErrorKind::method, "a view cannot be encoded");
  return {bytes.begin(), bytes.end()};
}

void write_plainly(const std::filesystem::path& file, const std::string& bytes) {
  std::FILE* const stream = std::fopen(file.c_str(), "wb");
  const bool written =
      stream != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  const bool closed = stream != nullptr && std::fclose(stream) == 0;
  if (!written || !closed) throw Error(ErrorKind::io, file.string() + ": cannot be written");
}

class EquirectPipelineRun final : public WorkloadRun {
 public:
  explicit EquirectPipelineRun(const WorkloadInput& input) : options_(read_equirect_options(input)) {
    options_.loader = input.parameters.text("loader");
    options_.jpeg = input.parameters.text("format") == "jpeg";
    cv::setNumThreads(options_.threads);
    sampler_ = std::make_unique<ViewSampler>(options_);
    for (int i = 0; i < options_.frames; ++i) {
      files_.push_back(folder_.path() / ("frame" + std::to_string(i) + extension()));
      write_plainly(
          files_.back(),
          encode_image(make_frame(options_.seed, i, options_.geometry.frame_width_px), options_.jpeg));
    }
  }

  void run_once() override {
    StepLedger ledger;
    written_.clear();
    {
      FrameLoader loader(cached_.empty() ? files_ : std::vector<std::filesystem::path>{}, loading(),
                         options_.threads, ledger);
      std::vector<FramePointer> batch;
      for (std::size_t i = 0; i < files_.size(); ++i) {
        batch.push_back(cached_.empty() ? loader.next() : cached_[i]);
        if (batch.size() == static_cast<std::size_t>(options_.batch) || i + 1 == files_.size())
          process(batch, ledger);
      }
      deepest_ = loader.deepest();
    }
    if (options_.loader == "ram_cache") cached_.swap(filling_);
    filling_.clear();
    attribution_ = ledger.finish();
  }

  std::vector<Identity> identities() override {
    std::vector<ColourImage> views;
    for (const auto& file : written_) {
      StepLedger unused;
      views.push_back(*read_frame(file, unused));
    }
    return view_identities(options_, views);
  }

  std::string output_sha256() override {
    std::string hashes;
    for (const auto& file : written_) hashes += sha256_file_hex(file);
    return sha256_hex(hashes);
  }

  void corrupt_output() override {
    ColourImage black{options_.geometry.view_px, options_.geometry.view_px, {}};
    black.bytes.resize(3 * static_cast<std::size_t>(black.width_px) *
                       static_cast<std::size_t>(black.height_px));
    write_plainly(written_.at(0), encode_image(black, options_.jpeg));
  }

  WorkloadCost cost() const override { return {view_megapixels(options_), 0, 0}; }

  std::vector<WorkloadFigure> figures() const override {
    std::vector<WorkloadFigure> figures = figures_of(attribution_);
    if (deepest_ > 0) figures.push_back({"frames_ahead", static_cast<double>(deepest_)});
    return figures;
  }
  std::string verdict() const override { return attribution_.verdict; }

 private:
  std::string extension() const { return options_.jpeg ? ".jpg" : ".png"; }

  Loading loading() const {
    if (options_.loader == "thread_pool") return Loading::thread_pool;
    if (options_.loader == "ring") return Loading::ring;
    return options_.loader == "prefetch" ? Loading::prefetch : Loading::serial;
  }

  // Samples, encodes and writes the frames of a batch, and empties it.
  void process(std::vector<FramePointer>& batch, StepLedger& ledger) {
    std::vector<const ColourImage*> frames;
    for (const FramePointer& frame : batch) frames.push_back(frame.get());
    const std::vector<ColourImage> views = sampler_->sample(frames, ledger);
    std::vector<std::string> encoded(views.size());
    ledger.time(Step::encode, [&] {
      parallel_for(views.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) encoded[i] = encode_image(views[i], options_.jpeg);
      });
    });
    ledger.time(Step::write, [&] {
      for (const std::string& bytes : encoded) {
        written_.push_back(folder_.path() / ("view" + std::to_string(written_.size()) + extension()));
        write_plainly(written_.back(), bytes);
      }
    });
    if (options_.loader == "ram_cache" && cached_.empty())
      filling_.insert(filling_.end(), batch.begin(), batch.end());
    batch.clear();
  }

  EquirectOptions options_;
  ScratchFolder folder_;
  std::unique_ptr<ViewSampler> sampler_;
  std::vector<std::filesystem::path> files_, written_;
  std::vector<FramePointer> cached_, filling_;
  std::size_t deepest_ = 0;
  Attribution attribution_;
};

std::unique_ptr<WorkloadRun> prepare_equirect_views(const WorkloadInput& input) {
  return std::make_unique<EquirectViewsRun>(input);
}

std::unique_ptr<WorkloadRun> prepare_equirect_pipeline(const WorkloadInput& input) {
  return std::make_unique<EquirectPipelineRun>(input);
}

std::string equirect_skip_reason(const WorkloadInput& input) {
  const bool fused = input.parameters.text("variant") == "fused";
  if (input.device != "cpu" && fused) return "variant fused runs on the CPU alone";
  return {};
}

std::string equirect_pipeline_skip_reason(const WorkloadInput& input) {
  const std::string& loader = input.parameters.text("loader");
  const CopyWay way = copy_way(loader);
  if (way != CopyWay::plain) {
    if (input.device == "cpu") return "loader " + loader + " needs a CUDA device (--device cuda)";
    if (const std::string problem = copy_way_problem(way); !problem.empty()) return problem;
  }
  return equirect_skip_reason(input);
}

std::vector<ParameterSpec> equirect_parameters() {
  const ViewGeometry usual;
  return {{"variant",
           "",
           std::string("fused"),
           0,
           0,
           "torch: grid_sample; fused: whole-number weights on bytes",
           {"torch", "fused"}},
          {"width",
           "px",
           std::int64_t{usual.frame_width_px},
           16,
           16384,
           "of a frame; even, the height is half",
           {}},
          {"frames", "1", std::int64_t{8}, 1, 10000, "frames in the sequence", {}},
          {"view", "px", std::int64_t{usual.view_px}, 4, 4096, "width and height of a view", {}},
          {"fov_deg", "deg", usual.fov_deg, 10, 150, "field of view", {}},
          {"batch", "1", std::int64_t{4}, 1, 1024, "frames a call", {}},
          {"grid",
           "",
           std::string("cached"),
           0,
           0,
           "where view pixels lie: made once, or for each batch",
           {"cached", "rebuilt"}},
          {"copy",
           "",
           std::string("uint8"),
           0,
           0,
           "variant torch: what is copied to the device",
           {"uint8", "float"}}};
}

}  // namespace

WorkloadSpec equirect_views_workload() {
  return {.name = "equirect_views",
          .summary = "equirectangular frames to 8 perspective views, in memory",
          .parameters = equirect_parameters(),
          .throughput_unit = "Mpx/s",
          .stages = {"stack", "copy", "sample", "convert"},
          .batches = true,
          .prepare = prepare_equirect_views,
          .skip_reason = equirect_skip_reason};
}

WorkloadSpec equirect_pipeline_workload() {
  std::vector<ParameterSpec> parameters = equirect_parameters();
  parameters.insert(
      parameters.begin(),
      {{"loader",
        "",
        std::string("serial"),
        0,
        0,
        "how frames come from disk; pinned, streams and graph: serial, and how they get to a CUDA device",
        {"serial", "thread_pool", "ring", "prefetch", "ram_cache", "pinned", "streams", "graph"}},
       {"format", "", std::string("png"), 0, 0, "of the files", {"png", "jpeg"}}});
  return {.name = "equirect_pipeline",
          .summary = "equirectangular frames to 8 perspective views, from files to files",
          .parameters = std::move(parameters),
          .throughput_unit = "Mpx/s",
          .stages = step_names(),
          .batches = true,
          .prepare = prepare_equirect_pipeline,
          .skip_reason = equirect_pipeline_skip_reason};
}

}  // namespace aqbench
