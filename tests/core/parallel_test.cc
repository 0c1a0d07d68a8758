#include "core/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

class Parallel : public testing::Test {
 protected:
  void TearDown() override { set_thread_count(before_); }
  int before_ = thread_count();
};

using Chunks = std::set<std::pair<std::size_t, std::size_t>>;

Chunks chunks_of(std::size_t count, std::size_t grain) {
  std::mutex mutex;
  Chunks chunks;
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(chunks.emplace(begin, end).second) << "twice";
  });
  return chunks;
}

TEST_F(Parallel, ChunksCoverTheRangeAndAreTheSameForAnyThreadCount) {
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(thread_count(), threads);
    EXPECT_EQ(chunks_of(10, 4), (Chunks{{0, 4}, {4, 8}, {8, 10}}));
    EXPECT_EQ(chunks_of(8, 4), (Chunks{{0, 4}, {4, 8}}));
    EXPECT_EQ(chunks_of(3, 4), (Chunks{{0, 3}}));
    EXPECT_EQ(chunks_of(2, 0), (Chunks{{0, 1}, {1, 2}}));  // a grain of 0 counts as 1
    EXPECT_EQ(chunks_of(5, std::numeric_limits<std::size_t>::max()), (Chunks{{0, 5}}));
    EXPECT_TRUE(chunks_of(0, 4).empty());
  }
}

TEST_F(Parallel, EveryIndexExactlyOnce) {
  set_thread_count(4);
  std::vector<std::atomic<int>> visits(100003);
  parallel_for(visits.size(), 17, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

// Two chunks that wait for each other end only if two threads run them.
TEST_F(Parallel, ThreadsRunAtTheSameTime) {
  set_thread_count(2);
  std::atomic<int> arrived{0};
  parallel_for(2, 1, [&](std::size_t, std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST_F(Parallel, OneThreadStaysOnTheCaller) {
  set_thread_count(1);
  const auto caller = std::this_thread::get_id();
  parallel_for(10, 1, [&](std::size_t, std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST_F(Parallel, AnExceptionEndsTheLoopAndReachesTheCaller) {
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    std::atomic<int> done{0};
    const auto loop = [&] {
      parallel_for(1000000, 1, [&](std::size_t begin, std::size_t) {
        if (begin == 10) throw std::runtime_error("chunk 10");
        ++done;
      });
    };
    EXPECT_THAT(loop, testing::ThrowsMessage<std::runtime_error>("chunk 10"));
    EXPECT_LT(done, 1000000);
  }
}

TEST_F(Parallel, LoopsMayNest) {
  set_thread_count(2);
  std::atomic<int> visits{0};
  parallel_for(4, 1, [&](std::size_t, std::size_t) {
    parallel_for(8, 2, [&](std::size_t begin, std::size_t end) { visits += static_cast<int>(end - begin); });
  });
  EXPECT_EQ(visits, 32);
}

TEST_F(Parallel, ThreadCountsBelowOneAreRefused) {
  EXPECT_EQ(error_of(ErrorKind::usage, [] { set_thread_count(0); }), "threads: must be at least 1, got 0");
  EXPECT_EQ(thread_count(), before_);
  EXPECT_GE(available_processors(), 1);
}

}  // namespace
}  // namespace aqbench
