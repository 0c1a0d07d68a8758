#include "core/json.h"
#include "harness/measuring/stage_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <thread>

namespace aqbench {
namespace {

using Json = nlohmann::ordered_json;

// Every two events of a thread are apart, or one holds the other.
void expect_nested(const Json& events) {
  std::map<int, std::vector<std::pair<double, double>>> by_thread;
  for (const Json& event : events)
    if (event.at("ph") == "X")
      by_thread[event.at("tid").get<int>()].emplace_back(
          event.at("ts").get<double>(), event.at("ts").get<double>() + event.at("dur").get<double>());
  for (const auto& [thread, intervals] : by_thread)
    for (const auto& a : intervals)
      for (const auto& b : intervals) {
        const bool crossing = a.first < b.first && b.first < a.second && a.second < b.second - 1e-6;
        EXPECT_FALSE(crossing) << a.first << " " << a.second << " " << b.first << " " << b.second;
      }
}

TEST(Trace, IsJsonWhoseEventsNest) {
  std::atomic<std::int64_t> bytes{0};
  TraceRecorder trace(&bytes);
  {
    const ScopedObserver observe(trace);
    const StageScope outer("outer \"quoted\"\n");
    for (int i = 0; i < 3; ++i) {
      const StageScope inner("inner");
      bytes += 1 << 20;
      const StageScope leaf("leaf");
    }
    std::thread([] { const StageScope work("work"); }).join();
  }
  const Json json = Json::parse(trace.json("a case"));
  const Json& events = json.at("traceEvents");
  std::map<std::string, int> count, threads;
  double last_mb = -1;
  for (const Json& event : events) {
    ++count[event.at("name").get<std::string>() + event.at("ph").get<std::string>()];
    if (event.at("ph") == "M" && event.at("name") == "thread_name")
      ++threads[event.at("args").at("name").get<std::string>()];
    if (event.at("ph") == "C") last_mb = event.at("args").at("MB").get<double>();
    if (event.at("ph") == "X") {
      EXPECT_GE(event.at("dur").get<double>(), 0);
    }
  }
  EXPECT_EQ(count["innerX"], 3);
  EXPECT_EQ(count["leafX"], 3);
  EXPECT_EQ(count["outer \"quoted\"\nX"], 1);
  EXPECT_EQ(count["workX"], 1);
  EXPECT_EQ(threads, (std::map<std::string, int>{{"main", 1}, {"worker 1", 1}}));
  EXPECT_DOUBLE_EQ(last_mb, 3);
  expect_nested(events);
}

TEST(Trace, LeavesEventsOutBeyondItsBound) {
  TraceRecorder trace(nullptr);
  const ScopedObserver observe(trace);
  for (std::size_t i = 0; i < kMaxTraceEvents + 10; ++i) const StageScope scope("s");
  EXPECT_EQ(trace.left_out(), 10U);
}

}  // namespace
}  // namespace aqbench
