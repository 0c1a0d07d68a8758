#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgcodecs.hpp>

#include "core/error.h"
#include "core/files.h"
#include "pipeline/workloads/equirect.h"

namespace aqbench {
namespace {

constexpr double kBoundShare = 0.5;

double sum_of(const std::array<double, kSteps>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double at(const std::array<double, kSteps>& seconds, Step step) {
  return seconds[static_cast<std::size_t>(step)];
}

std::string verdict_of(const Attribution& times) {
  const double io_share = 1 - times.io_free_s / times.wall_s;
  std::array<double, kSteps> seconds = times.main_s;
  // Work of other threads delays the main thread only while it waits for a frame.
  const double ahead_s = sum_of(times.ahead_s);
  for (std::size_t i = 0; i < kSteps && ahead_s > 0; ++i)
    seconds[i] += times.queue_wait_s * times.ahead_s[i] / ahead_s;
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
  const bool io_is_largest =
      largest == static_cast<std::size_t>(Step::load) || largest == static_cast<std::size_t>(Step::write);
  if (io_share >= kBoundShare || io_is_largest)
    return fmt::format("I/O-bound: {:.0f} % of the time goes to reading and writing", 100 * io_share);
  return fmt::format("{}-bound: {:.0f} % of the time; reading and writing {:.0f} %", kStepNames[largest],
                     100 * seconds[largest] / times.wall_s, 100 * io_share);
}

constexpr std::size_t kRingDepth = 4, kDeepestRing = 8, kFarthestPrefetch = 16;

std::size_t count_workers(Loading loading, int threads) {
  if (loading == Loading::serial) return 0;
  return loading == Loading::ring ? 1 : static_cast<std::size_t>(std::max(threads, 1));
}

}  // namespace

void StepLedger::add(Step step, double seconds) {
  const std::lock_guard lock(mutex_);
  auto& times = std::this_thread::get_id() == main_ ? times_.main_s : times_.ahead_s;
  times[static_cast<std::size_t>(step)] += seconds;
}

Attribution StepLedger::finish() {
  const std::lock_guard lock(mutex_);
  Attribution times = times_;
  times.wall_s = std::max(seconds_since(start_), 1e-9);
  const double main_s = sum_of(times.main_s), ahead_s = sum_of(times.ahead_s);
  times.unattributed_s = std::max(0.0, times.wall_s - main_s - times.queue_wait_s);
  times.overlap_s = std::clamp(ahead_s - times.queue_wait_s, 0.0, main_s);
  // A wait for a frame counts as reading and decoding, in proportion.
  const double load_share = ahead_s > 0 ? at(times.ahead_s, Step::load) / ahead_s : 0;
  times.io_free_s = times.wall_s - at(times.main_s, Step::load) - at(times.main_s, Step::write) -
                    load_share * times.queue_wait_s;
  times.verdict = verdict_of(times);
  return times;
}

std::vector<WorkloadFigure> figures_of(const Attribution& times) {
  std::vector<WorkloadFigure> figures;
  for (std::size_t i = 0; i < kSteps; ++i) {
    figures.push_back({fmt::format("{}_ms", kStepNames[i]), 1e3 * (times.main_s[i] + times.ahead_s[i])});
    if (times.ahead_s[i] > 0)
      figures.push_back({fmt::format("{}_ahead_ms", kStepNames[i]), 1e3 * times.ahead_s[i]});
  }
  figures.push_back({"wall_ms", 1e3 * times.wall_s});
  figures.push_back({"queue_wait_ms", 1e3 * times.queue_wait_s});
  figures.push_back({"overlap_ms", 1e3 * times.overlap_s});
  figures.push_back({"unattributed_ms", 1e3 * times.unattributed_s});
  figures.push_back({"unattributed_share", times.unattributed_s / times.wall_s});
  figures.push_back({"io_free_ms", 1e3 * times.io_free_s});
  return figures;
}

FramePointer read_frame(const std::filesystem::path& file, StepLedger& ledger) {
  const std::string bytes = ledger.time(Step::load, [&] { return read_file(file); });
  return ledger.time(Step::decode, [&] {
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
    const cv::Mat decoded = cv::imdecode(encoded, cv::IMREAD_COLOR);
    if (decoded.empty()) throw input_error("{}: not a decodable image", file.string());
    return std::make_shared<const ColourImage>(
        ColourImage{decoded.cols, decoded.rows, {decoded.data, decoded.data + decoded.total() * 3}});
  });
}

FrameLoader::FrameLoader(std::vector<std::filesystem::path> files, Loading loading, int threads,
                         StepLedger& ledger)
    : files_(std::move(files)),
      loading_(loading),
      ledger_(ledger),
      worker_count_(count_workers(loading, threads)),
      ring_depth_(kRingDepth),
      last_taken_(SteadyClock::now()) {
  for (std::size_t i = 0; i < worker_count_; ++i) workers_.emplace_back([this] { work(); });
}

FrameLoader::~FrameLoader() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::size_t FrameLoader::window() const {
  switch (loading_) {
    case Loading::ring:
      return ring_depth_;
    case Loading::prefetch: {
      // While one frame is used, produce / consume others can be read; one more absorbs variation.
      if (produced_ == 0 || taken_ < 2) return 2 + worker_count_;
      const double ahead = (produce_s_ / static_cast<double>(produced_)) /
                           std::max(consume_s_ / static_cast<double>(taken_ - 1), 1e-6);
      return std::clamp<std::size_t>(static_cast<std::size_t>(std::min(std::ceil(ahead), 64.0)) + 1, 2,
                                     kFarthestPrefetch);
    }
    default:
      return files_.size();
  }
}

void FrameLoader::work() {
  for (;;) {
    std::size_t mine = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return stopped_ || failure_ || begun_ == files_.size() || begun_ < taken_ + window();
      });
      if (stopped_ || failure_ || begun_ == files_.size()) return;
      deepest_ = std::max(deepest_, std::min(window(), files_.size()));
      mine = begun_++;
    }
    const auto start = SteadyClock::now();
    FramePointer frame;
    std::exception_ptr failure;
    try {
      frame = read_frame(files_[mine], ledger_);
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      produce_s_ += seconds_since(start);
      ++produced_;
      if (failure)
        failure_ = failure;
      else
        ready_.emplace(mine, std::move(frame));
    }
    changed_.notify_all();
  }
}

FramePointer FrameLoader::next() {
  if (taken_ == files_.size()) return nullptr;
  if (loading_ == Loading::serial) return read_frame(files_[taken_++], ledger_);
  FramePointer frame;
  {
    std::unique_lock lock(mutex_);
    consume_s_ += taken_ > 0 ? seconds_since(last_taken_) : 0;
    if (taken_ > 0 && !ready_.contains(taken_)) ring_depth_ = std::min(ring_depth_ + 1, kDeepestRing);
    changed_.notify_all();  // the ring may have grown
    ledger_.wait([&] { changed_.wait(lock, [&] { return failure_ || ready_.contains(taken_); }); });
    if (!ready_.contains(taken_)) std::rethrow_exception(failure_);
    frame = std::move(ready_.extract(taken_).mapped());
    ++taken_;
    last_taken_ = SteadyClock::now();
  }
  changed_.notify_all();
  return frame;
}

}  // namespace aqbench
