// Workloads equirect_views (frames in memory to views in memory) and equirect_pipeline (files to files).
#include <algorithm>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "core/sha256.h"
#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

constexpr int kPngLevel = 1, kJpegQuality = 95;
constexpr double kJpegTolerance = 12;  // levels that JPEG may add on the way in and out

struct EquirectOptions {
  ViewGeometry geometry;
  int frames = 8, batch = 4, threads = 1;
  std::uint64_t seed = 42;
  bool fused = true, cached_grid = true, jpeg = false;
  std::string loader = "none", device = "cpu";
  bool uint8_copy = true;
};

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
    throw usage_error("equirect.width: must be even; the height is half of it");
  return options;
}

// Samples batches of frames, with the grid made once or for each batch.
class ViewSampler {
 public:
  explicit ViewSampler(const EquirectOptions& options) : options_(options) { make(); }

  std::vector<ColourImage> sample(const std::vector<const ColourImage*>& frames, StepLedger& ledger) {
    ++kernel_calls_;
    if (!options_.cached_grid) ledger.time(Step::sample, [&] { make(); });
    if (torch_) return torch_(frames, ledger);
    return ledger.time(Step::sample, [&] { return sample_fused(options_.geometry, taps_, frames); });
  }

  // Returns the table of the variant fused.
  const std::vector<Tap>& taps() const { return taps_; }

  // Returns the calls of sample() since the last query.
  std::int64_t take_kernel_calls() { return std::exchange(kernel_calls_, 0); }

 private:
  void make() {
    const ViewGrid grid = make_view_grid(options_.geometry);
    if (options_.fused)
      taps_ = make_taps(options_.geometry, grid);
    else
      torch_ = torch_sampling(options_.geometry, grid, options_.device, options_.uint8_copy);
  }

  EquirectOptions options_;
  std::vector<Tap> taps_;
  ViewSampling torch_;
  std::int64_t kernel_calls_ = 0;
};

double view_megapixels(const EquirectOptions& options) {
  return 1e-6 * options.frames * options.geometry.views * options.geometry.view_px * options.geometry.view_px;
}

// ---- In memory ----

class EquirectViewsRun final : public WorkloadRun {
 public:
  explicit EquirectViewsRun(const WorkloadInput& input)
      : input_(input), options_(read_equirect_options(input)), sampler_(options_) {
    for (int i = 0; i < options_.frames; ++i)
      frames_.push_back(make_frame(options_.seed, i, options_.geometry.frame_width_px));
  }

  void run_once() override {
    views_.clear();
    if (opencl::is_opencl(options_.device)) return run_on_device();
    StepLedger ledger;
    for (int first = 0; first < options_.frames; first += options_.batch) {
      std::vector<const ColourImage*> batch;
      for (int i = first; i < std::min(first + options_.batch, options_.frames); ++i)
        batch.push_back(&frames_[static_cast<std::size_t>(i)]);
      for (ColourImage& view : sampler_.sample(batch, ledger)) views_.push_back(std::move(view));
    }
    kernel_calls_ = sampler_.take_kernel_calls();
  }

  std::vector<Identity> identities() override {
    return view_identities(options_.geometry, options_.frames, options_.seed, views_, 0);
  }
  std::string output_sha256() override { return hash_of_views(views_); }
  void corrupt_output() override { views_.at(0).bytes.at(0) ^= 0x40; }
  WorkloadCost cost() const override { return {view_megapixels(options_), 0, 0}; }
  std::vector<WorkloadFigure> figures() const override {
    if (job_ != nullptr) return figures_of(*job_);
    return {kernel_calls_figure(kernel_calls_)};
  }

 private:
  // A call does some frames (pipeline/opencl/workloads.cl).
  void run_on_device() {
    const ViewGeometry& geometry = options_.geometry;
    const std::size_t pixels = sampler_.taps().size(), view_bytes = 3 * pixels / geometry.views;
    const std::size_t frame_bytes = frames_.front().bytes.size();
    if (job_ == nullptr)
      job_ = opencl::table().make_job(
          {.kernel = "equirect",
           .defines = {{"VIEW_PIXELS", std::to_string(pixels)}, {"FRAME_BYTES", std::to_string(frame_bytes)}},
           .items = frames_.size(),
           .batch = static_cast<std::size_t>(options_.batch),
           .work_per_item = pixels,
           .constants = {std::as_bytes(std::span(sampler_.taps()))},
           .input_bytes = {frame_bytes},
           .output_bytes = 3 * pixels,
           .options = job_options(input_)});
    std::vector<std::uint8_t> frames, views(frames_.size() * 3 * pixels);
    for (const ColourImage& frame : frames_)
      frames.insert(frames.end(), frame.bytes.begin(), frame.bytes.end());
    job_->run({std::as_bytes(std::span(frames))}, std::as_writable_bytes(std::span(views)));
    for (auto at = views.begin(); at != views.end(); at += static_cast<std::ptrdiff_t>(view_bytes))
      views_.push_back(
          {geometry.view_px, geometry.view_px, {at, at + static_cast<std::ptrdiff_t>(view_bytes)}});
  }

  WorkloadInput input_;
  EquirectOptions options_;
  ViewSampler sampler_;
  std::int64_t kernel_calls_ = 0;
  std::vector<ColourImage> frames_, views_;
  std::unique_ptr<opencl::DeviceJob> job_;
};

// ---- From disk to disk ----

std::string encode_image(const ColourImage& image, bool jpeg) {
  const cv::Mat pixels(image.height_px, image.width_px, CV_8UC3,
                       const_cast<std::uint8_t*>(image.bytes.data()));
  std::vector<std::uint8_t> bytes;
  const std::vector<int> options = jpeg ? std::vector<int>{cv::IMWRITE_JPEG_QUALITY, kJpegQuality}
                                        : std::vector<int>{cv::IMWRITE_PNG_COMPRESSION, kPngLevel};
  if (!cv::imencode(jpeg ? ".jpg" : ".png", pixels, bytes, options))
    throw method_error("cannot encode a view");
  return {bytes.begin(), bytes.end()};
}

void write_plainly(const std::filesystem::path& file, const std::string& bytes) {
  std::FILE* const stream = std::fopen(file.c_str(), "wb");
  const bool written =
      stream != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  const bool closed = stream != nullptr && std::fclose(stream) == 0;
  if (!written || !closed) throw io_error("{}: cannot write", file.string());
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
    kernel_calls_ = sampler_->take_kernel_calls();
  }

  std::vector<Identity> identities() override {
    std::vector<ColourImage> views;
    for (const auto& file : written_) {
      StepLedger unused;
      views.push_back(*read_frame(file, unused));
    }
    return view_identities(options_.geometry, options_.frames, options_.seed, views,
                           options_.jpeg ? kJpegTolerance : 0);
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
    figures.push_back(kernel_calls_figure(kernel_calls_));
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
  std::int64_t kernel_calls_ = 0;
  Attribution attribution_;
};

}  // namespace

std::unique_ptr<WorkloadRun> prepare_equirect_views(const WorkloadInput& input) {
  return std::make_unique<EquirectViewsRun>(input);
}

std::unique_ptr<WorkloadRun> prepare_equirect_pipeline(const WorkloadInput& input) {
  return std::make_unique<EquirectPipelineRun>(input);
}

}  // namespace aqbench
