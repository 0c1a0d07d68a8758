#include "pipeline/workloads/frame_loader.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>

#include "core/error.h"
#include "core/files.h"

namespace aqbench {
namespace {

constexpr std::size_t kRingDepth = 4, kDeepestRing = 8, kFarthestPrefetch = 16;

std::size_t count_workers(Loading loading, int threads) {
  if (loading == Loading::serial) return 0;
  return loading == Loading::ring ? 1 : static_cast<std::size_t>(std::max(threads, 1));
}

}  // namespace

FramePointer read_frame(const std::filesystem::path& file, StepLedger& ledger) {
  const std::string bytes = ledger.time(Step::load, [&] { return read_file(file); });
  return ledger.time(Step::decode, [&] {
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
    const cv::Mat decoded = cv::imdecode(encoded, cv::IMREAD_COLOR);
    if (decoded.empty()) throw Error(ErrorKind::input, file.string() + ": not a decodable image");
    auto image = std::make_shared<ColourImage>();
    image->width_px = decoded.cols;
    image->height_px = decoded.rows;
    image->bytes.assign(decoded.data, decoded.data + decoded.total() * 3);
    return FramePointer(std::move(image));
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

void FrameLoader::note_wait(bool empty) {
  if (empty && taken_ > 0) ring_depth_ = std::min(ring_depth_ + 1, kDeepestRing);
}

FramePointer FrameLoader::next() {
  if (taken_ == files_.size()) return nullptr;
  if (loading_ == Loading::serial) return read_frame(files_[taken_++], ledger_);
  FramePointer frame;
  {
    std::unique_lock lock(mutex_);
    consume_s_ += taken_ > 0 ? seconds_since(last_taken_) : 0;
    note_wait(!ready_.contains(taken_));
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
