#pragma once
// Perspective views out of equirectangular frames, and the pipeline from files to files. Pixel centres at
// half integers: column x of W is longitude 2 pi ((x + 0.5) / W - 0.5), row y of H latitude pi (0.5 - (y +
// 0.5) / H). Columns wrap at
// +-180 degrees.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// The steps of a pipeline.
enum class Step { load, decode, stack, copy, sample, convert, encode, write };

// How many steps there are.
inline constexpr std::size_t kSteps = 8;

// The names of the steps, also those of their StageScopes.
inline constexpr std::array<const char*, kSteps> kStepNames = {"load",   "decode",  "stack",  "copy",
                                                               "sample", "convert", "encode", "write"};

// Where the time of one run went.
struct Attribution {
  double wall_s = 0;
  std::array<double, kSteps> main_s{}, ahead_s{};  // on the main thread; on others
  double queue_wait_s = 0;                         // time the main thread waited for frames
  double unattributed_s = 0;                       // wall without the main thread's steps and waits
  double overlap_s = 0;                            // work of other threads while the main thread was busy
  double io_free_s = 0;                            // wall time if reading and writing were free
  std::string verdict;                             // "I/O-bound: ..." or the limiting step
};

// Records the times of one run. Create and finish it on the main thread.
class StepLedger {
 public:
  StepLedger() : main_(std::this_thread::get_id()), start_(SteadyClock::now()) {}

  // Runs `body` as a step, on any thread. Includes the time of stage observers (an injected fault, a
  // profiler).
  template <class Body>
  auto time(Step step, Body&& body) {
    const Entry entry(*this, step);
    const StageScope scope(kStepNames[static_cast<std::size_t>(step)]);
    return body();
  }

  // Runs `body`, in which the main thread waits for a frame.
  template <class Body>
  void wait(Body&& body) {
    const auto start = SteadyClock::now();
    body();
    times_.queue_wait_s += seconds_since(start);
  }

  // Ends the run's wall time and returns where it went.
  Attribution finish();

 private:
  struct Entry {
    Entry(StepLedger& ledger, Step step) : ledger_(ledger), step_(step) {}
    ~Entry() { ledger_.add(step_, seconds_since(start_)); }
    StepLedger& ledger_;
    Step step_;
    SteadyClock::time_point start_ = SteadyClock::now();
  };
  void add(Step step, double seconds);

  std::thread::id main_;
  SteadyClock::time_point start_;
  std::mutex mutex_;
  Attribution times_;
};

// Returns the figures "load_ms", ..., "queue_wait_ms", "overlap_ms", "unattributed_ms", "unattributed_share",
// "io_free_ms".
std::vector<WorkloadFigure> figures_of(const Attribution& attribution);

// An image of 8 bits with three interleaved channels [y][x][channel].
struct ColourImage {
  int width_px = 0, height_px = 0;
  std::vector<std::uint8_t> bytes;
};

// The size of frames and views, and where the views look.
struct ViewGeometry {
  int frame_width_px = 1024;  // the height is half of it
  int view_px = 256;          // width and height of a view
  int views = 8;              // yaw 360 / views degrees apart
  double fov_deg = 110;
};

// The position in a frame of each pixel of the views, [view][y][x], in pixels (0 is the centre of the first
// one); columns are in [-0.5, W - 0.5).
struct ViewGrid {
  std::vector<float> column_px, row_px;
};

// Computes the positions of a ViewGrid.
ViewGrid make_view_grid(const ViewGeometry& geometry);

// Makes a whole frame: waves over the sphere without a seam, by formula.
ColourImage make_frame(std::uint64_t seed, int frame, int width_px);

// ---- Sampling: frames -> [frame][view], bilinear, rounded ----

// The four frame pixels that a pixel of the views is sampled from, and their weights as whole numbers.
struct Tap {
  std::int32_t top_left, top_right, bottom_left, bottom_right;  // byte offsets
  std::int16_t right_weight, bottom_weight;                     // of 2048
};

// Makes the taps of a grid.
std::vector<Tap> make_taps(const ViewGeometry& geometry, const ViewGrid& grid);

// Samples views [frame][view] from frames, bilinear and rounded.
std::vector<ColourImage> sample_fused(const ViewGeometry& geometry, const std::vector<Tap>& taps,
                                      const std::vector<const ColourImage*>& frames);

// Samples views [frame][view] from frames. Records the steps stack, copy, sample and convert in the ledger.
using ViewSampling = std::function<std::vector<ColourImage>(const std::vector<const ColourImage*>& frames,
                                                            StepLedger& ledger)>;

// Makes a sampling by LibTorch's grid_sample on one device, which gets the grid once. `uint8_copy`: frames
// are copied as bytes and become floats there; else they become floats first.
ViewSampling torch_sampling(const ViewGeometry& geometry, const ViewGrid& grid,
                            const std::string& device = "cpu", bool uint8_copy = true);

// Returns the identities of views [frame][view]: their number, and their worst error against the formula,
// over all pixels and beside the seam, in levels. `more_tolerance` levels are allowed beyond
// sampling_tolerance(). The formula is slow: only the first and last frame are compared completely.
std::vector<Identity> view_identities(const ViewGeometry& geometry, int frames, std::uint64_t seed,
                                      const std::vector<ColourImage>& views, double more_tolerance);

// Returns the SHA-256 of the views' own hashes, in order.
std::string hash_of_views(const std::vector<ColourImage>& views);

// The ways to read frames: how far ahead, and on how many threads.
enum class Loading {
  serial,       // reads and decodes on demand
  thread_pool,  // all threads, as far ahead as there are frames
  ring,         // one thread, a bounded ring whose depth grows from 4 to 8 while it runs empty
  prefetch,     // all threads, as far ahead as the measured pace requires
};

// A frame that several batches may share.
using FramePointer = std::shared_ptr<const ColourImage>;

// Reads and decodes one file, as steps of the ledger. Throws Error(input) naming it.
FramePointer read_frame(const std::filesystem::path& file, StepLedger& ledger);

// Returns the frames in order. The loading mode changes when a frame is read, never its content.
class FrameLoader {
 public:
  FrameLoader(std::vector<std::filesystem::path> files, Loading loading, int threads, StepLedger& ledger);
  ~FrameLoader();  // joins its threads
  FrameLoader(const FrameLoader&) = delete;
  FrameLoader& operator=(const FrameLoader&) = delete;

  FramePointer next();  // throws errors of reading; nullptr after the last

  std::size_t deepest() const { return deepest_; }  // largest number of frames allowed ahead

 private:
  void work();
  std::size_t window() const;  // number of frames beyond those taken that may be started

  const std::vector<std::filesystem::path> files_;
  const Loading loading_;
  StepLedger& ledger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, FramePointer> ready_;
  std::exception_ptr failure_;
  const std::size_t worker_count_;  // workers_ itself still grows while the first of them run
  std::size_t begun_ = 0, taken_ = 0, ring_depth_ = 4, deepest_ = 0;
  bool stopped_ = false;
  double produce_s_ = 0, consume_s_ = 0;  // sums, for the pace
  std::size_t produced_ = 0;
  SteadyClock::time_point last_taken_;
  std::vector<std::thread> workers_;
};

}  // namespace aqbench
