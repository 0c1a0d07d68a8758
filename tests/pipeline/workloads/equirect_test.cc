#include "pipeline/workloads/equirect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench {
namespace {

using testing::IsEmpty;

using Given = std::vector<std::pair<std::string, std::string>>;

// Small enough for a test, with a batch that does not divide the frames.
Given small_frames(Given more) {
  more.insert(more.end(), {{"width", "256"}, {"view", "32"}, {"frames", "5"}, {"batch", "2"}});
  return more;
}

ColourImage turned_by_45_degrees(const ColourImage& frame) {
  ColourImage turned = frame;
  const int shift = frame.width_px / 8;
  for (int y = 0; y < frame.height_px; ++y)
    for (int x = 0; x < frame.width_px; ++x) {
      const int from = (x + shift) % frame.width_px;
      for (int c = 0; c < 3; ++c)
        turned.bytes[static_cast<std::size_t>(3 * (y * frame.width_px + x) + c)] =
            frame.bytes[static_cast<std::size_t>(3 * (y * frame.width_px + from) + c)];
    }
  return turned;
}

int largest_difference(const ColourImage& a, const ColourImage& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i)
    largest = std::max(largest, std::abs(a.bytes[i] - b.bytes[i]));
  return largest;
}

TEST(Equirect, TurningTheFrameShiftsTheViews) {
  const ViewGeometry geometry{.frame_width_px = 256, .view_px = 40};
  const ViewGrid grid = make_view_grid(geometry);
  const ColourImage frame = make_frame(1, 0, 256), turned = turned_by_45_degrees(frame);
  StepLedger ledger;
  const std::vector<const ColourImage*> frames = {&frame, &turned};
  for (const auto& views : {sample_fused(geometry, make_taps(geometry, grid), frames),
                            torch_sampling(geometry, grid)(frames, ledger)}) {
    ASSERT_EQ(views.size(), 16u);
    for (int view = 0; view < 8; ++view)
      EXPECT_LE(largest_difference(views[static_cast<std::size_t>((view + 1) % 8)],
                                   views[static_cast<std::size_t>(8 + view)]),
                1)
          << view;
  }
}

TEST(Equirect, WrongPixelsInAMiddleFrameAreFound) {
  const ViewGeometry geometry{.frame_width_px = 256, .view_px = 40};
  const ViewGrid grid = make_view_grid(geometry);
  const std::vector<Tap> taps = make_taps(geometry, grid);
  const ColourImage frames[] = {make_frame(1, 0, 256), make_frame(1, 1, 256), make_frame(1, 2, 256)};
  std::vector<ColourImage> views = sample_fused(geometry, taps, {&frames[0], &frames[1], &frames[2]});
  const auto all_hold = [&] {
    return std::ranges::all_of(view_identities(geometry, 3, 1, views, 0), &Identity::holds);
  };
  EXPECT_TRUE(all_hold());
  for (std::size_t view = 8; view < 16; ++view)  // one pixel in a hundred
    for (std::size_t i = 0; i < 3 * 1600; i += 300) views[view].bytes[i] ^= 0x40;
  EXPECT_FALSE(all_hold());
}

TEST(Equirect, BothVariantsMeetTheFormulaAtTheSeamToo) {
  for (const char* variant : {"torch", "fused"})
    for (const char* copy : {"uint8", "float"}) {
      const auto run = test::prepared("equirect_views", small_frames({{"variant", variant}, {"copy", copy}}));
      run->run_once();
      EXPECT_THAT(test::broken_identities(*run), IsEmpty()) << variant << " " << copy;
      run->corrupt_output();
      EXPECT_THAT(test::broken_identities(*run), testing::Not(IsEmpty()));
    }
}

TEST(Equirect, EveryLoaderWritesTheSameFiles) {
  for (const char* format : {"png", "jpeg"}) {
    std::string serial;
    for (const char* loader : {"serial", "thread_pool", "ring", "prefetch", "ram_cache"}) {
      const auto run =
          test::prepared("equirect_pipeline", small_frames({{"loader", loader}, {"format", format}}));
      run->run_once();
      EXPECT_THAT(test::broken_identities(*run), IsEmpty()) << loader << " " << format;
      if (serial.empty()) serial = run->output_sha256();
      EXPECT_EQ(run->output_sha256(), serial) << loader << " " << format;
      run->run_once();
      EXPECT_EQ(run->output_sha256(), serial) << "again: " << loader << " " << format;
    }
  }
}

double figure_of(const WorkloadRun& run, const std::string& name) {
  for (const WorkloadFigure& figure : run.figures())
    if (figure.name == name) return figure.value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

constexpr int kReadMs = 150;  // well above what a busy machine adds to the other steps

// Stands for a slow disk, as --inject '*:load=20ms' does.
class SlowReader final : public StageObserver {
 public:
  void enter(const char*) override {}
  void leave(const char* stage) noexcept override {
    if (std::string_view(stage) == "load") std::this_thread::sleep_for(std::chrono::milliseconds(kReadMs));
  }
};

TEST(Equirect, AThrottledReaderBoundsThePipeline) {
  for (const char* loader : {"serial", "ring"}) {
    const auto run = test::prepared("equirect_pipeline", small_frames({{"loader", loader}}));
    run->run_once();
    SlowReader slow;
    set_stage_observer(&slow);
    run->run_once();
    set_stage_observer(nullptr);
    EXPECT_THAT(run->verdict(), testing::StartsWith("I/O-bound")) << loader;
    EXPECT_GE(figure_of(*run, "load_ms"), 5.0 * kReadMs);
    EXPECT_LT(figure_of(*run, "io_free_ms"), 0.5 * figure_of(*run, "wall_ms"));
    // The main thread's steps and waits, with what is left over, are the wall time.
    double main_ms = figure_of(*run, "queue_wait_ms") + figure_of(*run, "unattributed_ms");
    for (const std::string step : kStepNames) main_ms += figure_of(*run, step + "_ms");
    if (std::string_view(loader) == "ring")
      main_ms -= figure_of(*run, "load_ahead_ms") + figure_of(*run, "decode_ahead_ms");
    EXPECT_NEAR(main_ms, figure_of(*run, "wall_ms"), 0.02 * figure_of(*run, "wall_ms")) << loader;
  }
}

// Reading takes less than half of the time, yet more than any other step.
TEST(StepLedger, TheLargestStepSaysWhatBoundsARun) {
  const auto verdict_of_sleeps = [](int load_ms, int decode_ms, int encode_ms) {
    StepLedger ledger;
    for (const auto& [step, ms] :
         {std::pair(Step::load, load_ms), {Step::decode, decode_ms}, {Step::encode, encode_ms}})
      ledger.time(step, [&] { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); });
    return ledger.finish().verdict;
  };
  EXPECT_THAT(verdict_of_sleeps(120, 80, 80), testing::StartsWith("I/O-bound: 4"));
  EXPECT_THAT(verdict_of_sleeps(40, 80, 160), testing::StartsWith("encode-bound: 5"));
}

TEST(Equirect, TheRingGrowsWhileItRunsEmpty) {
  const auto run =
      test::prepared("equirect_pipeline",
                     {{"loader", "ring"}, {"width", "64"}, {"view", "8"}, {"frames", "12"}, {"batch", "1"}});
  SlowReader slow;
  set_stage_observer(&slow);
  run->run_once();
  set_stage_observer(nullptr);
  EXPECT_EQ(figure_of(*run, "frames_ahead"), 8);
}

TEST(Equirect, AFileThatIsNotAnImageIsNamed) {
  for (const Loading loading : {Loading::serial, Loading::thread_pool, Loading::ring, Loading::prefetch}) {
    StepLedger ledger;
    FrameLoader loader({"/dev/null/none.png", "b.png"}, loading, 2, ledger);
    EXPECT_ANY_THROW(loader.next());
  }
}

}  // namespace
}  // namespace aqbench
