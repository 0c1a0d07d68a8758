#include "core/stage_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace aqbench {
namespace {

using testing::ElementsAre;

class Recorder : public StageObserver {
 public:
  Recorder() { set_stage_observer(this); }
  ~Recorder() override { set_stage_observer(nullptr); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void enter(const char* stage) override {
    if (refused == stage) throw std::runtime_error("refused");
    events.push_back(std::string("+") + stage);
  }
  void leave(const char* stage) noexcept override { events.push_back(std::string("-") + stage); }

  std::vector<std::string> events;
  std::string refused;
};

TEST(StageScope, NestsInOrder) {
  Recorder recorder;
  {
    const StageScope outer("outer");
    { const StageScope inner("first"); }
    const StageScope inner("second");
  }
  EXPECT_THAT(recorder.events, ElementsAre("+outer", "+first", "-first", "+second", "-second", "-outer"));
}

TEST(StageScope, IsLeftWhenAnExceptionPasses) {
  Recorder recorder;
  const auto run = [] {
    const StageScope outer("outer");
    const StageScope inner("inner");
    throw std::runtime_error("stage failed");
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_THAT(recorder.events, ElementsAre("+outer", "+inner", "-inner", "-outer"));
}

TEST(StageScope, RefusedStageIsNotLeft) {
  Recorder recorder;
  recorder.refused = "inner";
  const auto run = [] {
    const StageScope outer("outer");
    const StageScope inner("inner");
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_THAT(recorder.events, ElementsAre("+outer", "-outer"));
}

TEST(StageScope, ObserverOfTheStartSeesTheEnd) {
  std::vector<std::string> first_events;
  {
    Recorder first;
    {
      const StageScope scope("started before");
      set_stage_observer(nullptr);
      const StageScope unseen("unseen");
    }
    first_events = first.events;
  }
  EXPECT_THAT(first_events, ElementsAre("+started before", "-started before"));
}

TEST(StageScope, WithoutAnObserverNothingHappens) {
  const StageScope scope("unobserved");
  EXPECT_EQ(detail::stage_observer.load(), nullptr);
}

}  // namespace
}  // namespace aqbench
