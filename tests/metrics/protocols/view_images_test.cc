// Images of held-out views: closed forms, and SSIM window by window.

#include "metrics/protocols/view_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include "core/error.h"
#include "tests/metrics/protocols/values.h"

namespace aqbench::test {
namespace {

struct Image {
  std::size_t height, width;
  std::vector<float> values;

  double at(std::ptrdiff_t y, std::ptrdiff_t x, std::size_t channel) const {
    if (y < 0 || x < 0 || y >= static_cast<std::ptrdiff_t>(height) || x >= static_cast<std::ptrdiff_t>(width))
      return 0;
    return values[(static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)) * 3 + channel];
  }
};

Image random_image(unsigned seed, std::size_t height, std::size_t width) {
  std::mt19937 draw(seed);
  Image image{height, width, std::vector<float>(3 * height * width)};
  for (float& value : image.values) value = std::uniform_real_distribution<float>(0, 1)(draw);
  return image;
}

ProtocolResult errors_of_image(const Image& predicted, const Image& truth, const ImageKnobs& knobs = {},
                               const std::vector<float>& mask = {}) {
  const std::vector images = {ImagePair{truth.height, truth.width, predicted.values, truth.values, mask}};
  return image_errors(images, knobs);
}

// SSIM of one window around a pixel, by the formula.
double window_similarity(const Image& a, const Image& b, std::ptrdiff_t y, std::ptrdiff_t x,
                         std::size_t channel, int half, bool gaussian) {
  double weights = 0, sum_a = 0, sum_b = 0;
  const auto weight = [&](int dy, int dx) { return gaussian ? std::exp(-(dy * dy + dx * dx) / 4.5) : 1.0; };
  for (int dy = -half; dy <= half; ++dy)
    for (int dx = -half; dx <= half; ++dx) {
      weights += weight(dy, dx);
      sum_a += weight(dy, dx) * a.at(y + dy, x + dx, channel);
      sum_b += weight(dy, dx) * b.at(y + dy, x + dx, channel);
    }
  const double mean_a = sum_a / weights, mean_b = sum_b / weights;
  double aa = 0, bb = 0, ab = 0;
  for (int dy = -half; dy <= half; ++dy)
    for (int dx = -half; dx <= half; ++dx) {
      const double da = a.at(y + dy, x + dx, channel) - mean_a, db = b.at(y + dy, x + dx, channel) - mean_b;
      aa += weight(dy, dx) * da * da;
      bb += weight(dy, dx) * db * db;
      ab += weight(dy, dx) * da * db;
    }
  const double divisor = gaussian ? weights : weights - 1;
  return (2 * mean_a * mean_b + 1e-4) * (2 * ab / divisor + 9e-4) /
         ((mean_a * mean_a + mean_b * mean_b + 1e-4) * ((aa + bb) / divisor + 9e-4));
}

double plain_similarity(const Image& a, const Image& b, int half, bool gaussian, bool everywhere) {
  const std::ptrdiff_t border = everywhere ? 0 : half;
  double sum = 0, count = 0;
  for (std::ptrdiff_t y = border; y < static_cast<std::ptrdiff_t>(a.height) - border; ++y)
    for (std::ptrdiff_t x = border; x < static_cast<std::ptrdiff_t>(a.width) - border; ++x)
      for (const std::size_t channel : {0, 1, 2}) {
        sum += window_similarity(a, b, y, x, channel, half, gaussian);
        ++count;
      }
  return sum / count;
}

TEST(ImageProtocol, SimilarityIsThatOfEachWindow) {
  const Image truth = random_image(1, 80, 17);
  Image predicted = random_image(2, 80, 17);
  for (std::size_t i = 0; i < truth.values.size(); ++i)
    predicted.values[i] = 0.7F * truth.values[i] + 0.3F * predicted.values[i];
  const auto similarity = [&](SsimWindows windows) {
    return number(errors_of_image(predicted, truth, {.ssim = windows}), "ssim");
  };
  EXPECT_NEAR(similarity(SsimWindows::valid), plain_similarity(predicted, truth, 5, true, false), 1e-12);
  EXPECT_NEAR(similarity(SsimWindows::reflect), plain_similarity(predicted, truth, 5, true, false), 1e-12);
  EXPECT_NEAR(similarity(SsimWindows::zero), plain_similarity(predicted, truth, 5, true, true), 1e-12);
  EXPECT_NEAR(similarity(SsimWindows::uniform7), plain_similarity(predicted, truth, 3, false, false), 1e-12);
}

TEST(ImageProtocol, PeakSignalByHand) {
  const Image truth{1, 2, {0, 0, 0, 1, 1, 1}}, predicted{1, 2, {0.1F, 0, 0, 1, 1, 1.5F}};
  const ProtocolResult result = errors_of_image(predicted, truth);
  EXPECT_NEAR(number(result, "mse"), 0.01 / 6, 1e-9);  // 1.5 counts as 1
  EXPECT_NEAR(number(result, "psnr"), -10 * std::log10(0.01 / 6), 1e-6);
  EXPECT_NEAR(number(result, "mae"), 0.1 / 6, 1e-8);
  EXPECT_EQ(reason(result, "ssim"), "an image is smaller than a window");
  EXPECT_EQ(reason(errors_of_image(truth, truth), "psnr"), "an image equals its truth: infinite");
  EXPECT_THROW(errors_of_image(truth, random_image(1, 2, 2)), Error);
  const Image bad{1, 2, {std::numeric_limits<float>::quiet_NaN(), 0, 0, 1, 1, 1}};
  EXPECT_EQ(reason(errors_of_image(bad, truth), "psnr"), "no pixel counts, or a value is not finite");
}

TEST(ImageProtocol, MaskedPixelsDoNotCountOrCountAsEqual) {
  Image truth{1, 4, std::vector<float>(12, 0.5F)}, predicted = truth;
  for (std::size_t i = 0; i < 6; ++i) predicted.values[i] = 0.6F;
  const std::vector<float> mask = {1, 0, 1, 0};  // one wrong pixel of two that count
  EXPECT_NEAR(number(errors_of_image(predicted, truth, {}, mask), "mse"), 0.01 / 2, 1e-8);
  EXPECT_NEAR(number(errors_of_image(predicted, truth, {.multiply_mask = true}, mask), "mse"), 0.01 / 4,
              1e-8);
  EXPECT_EQ(reason(errors_of_image(predicted, truth, {}, {0, 0, 0, 0}), "mse"),
            "no pixel counts, or a value is not finite");
}

TEST(ImageProtocol, LevelsStayWhatTheyAre) {
  Image levels{16, 16, {}};
  for (int level = 0; level < 256; ++level)
    levels.values.insert(levels.values.end(), 3, static_cast<float>(level) / 255);
  for (const EightBit eight_bit : {EightBit::truncate, EightBit::round})
    EXPECT_EQ(number(errors_of_image(levels, levels, {.eight_bit = eight_bit}), "mse"), 0);
  const Image half{1, 1, {100.6F / 255, 100.6F / 255, 100.6F / 255}},
      whole{1, 1, {100.0F / 255, 100.0F / 255, 100.0F / 255}};
  EXPECT_EQ(number(errors_of_image(half, whole, {.eight_bit = EightBit::truncate}), "mae"), 0);
  EXPECT_NEAR(number(errors_of_image(half, whole, {.eight_bit = EightBit::round}), "mae"), 1.0 / 255, 1e-7);
}

// A module whose number is the mean square of -1 to 1: four times that of 0 to 1.
TEST(ImageProtocol, LpipsIsWhatTheModuleOfTheUserGives) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "aqbench_lpips_test";
  std::filesystem::create_directories(folder);
  const auto saved = [&](const std::string& name, const std::string& body) {
    torch::jit::Module module("m");
    module.define("def forward(self, a: Tensor, b: Tensor):\n    " + body + "\n");
    module.save((folder / name).string());
    return (folder / name).string();
  };
  const auto with_module = [](const std::string& file, ImageKnobs knobs = {}) {
    set_knob(image_knobs(), knobs, "lpips", file);
    return knobs;
  };
  const Image predicted = random_image(1, 4, 6), truth = random_image(2, 4, 6);
  const ImageKnobs knobs = with_module(saved("square.pt", "return ((a - b) ** 2).mean()"));
  EXPECT_EQ(with_module(knobs.lpips).lpips, knobs.lpips);  // with the hash
  const ProtocolResult result = errors_of_image(predicted, truth, knobs);
  EXPECT_NEAR(number(result, "lpips"), 4 * number(result, "mse"), 1e-6);
  // Rows, columns and colours lie where networks look for them.
  const ImageKnobs pixel = with_module(saved("pixel.pt", "return a[0, 1, 3, 5] - b[0, 2, 0, 4]"));
  EXPECT_NEAR(number(errors_of_image(predicted, truth, pixel), "lpips"),
              2 * (predicted.at(3, 5, 1) - truth.at(0, 4, 2)), 1e-6);
  const std::vector<float> black(24, 0);
  EXPECT_EQ(number(errors_of_image(predicted, truth,
                                   with_module(folder / "square.pt", {.multiply_mask = true}), black),
                   "lpips"),
            0);
  const auto failure = [&](const ImageKnobs& asked, const std::vector<float>& mask = {}) -> std::string {
    try {
      errors_of_image(predicted, truth, asked, mask);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(failure(knobs, black),
              HasSubstr("knob lpips: LPIPS of masked images needs the knob mask=multiply"));
  EXPECT_THAT(failure(with_module(saved("map.pt", "return a - b"))),
              HasSubstr("map.pt: forward must return one number for two images"));
  EXPECT_THAT(failure(with_module(saved("fails.pt", "return torch.zeros(3) + torch.zeros(5)"))),
              HasSubstr("fails.pt: forward failed: "));
  std::ofstream(folder / "text.pt") << "no module";
  EXPECT_THAT(failure(with_module(folder / "text.pt")), HasSubstr("text.pt: not a TorchScript module: "));
  saved("square.pt", "return a.mean()");
  EXPECT_THAT(failure(knobs), HasSubstr("square.pt: has changed since its hash was taken"));
  EXPECT_THROW(with_module(folder / "missing.pt"), Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace aqbench::test
