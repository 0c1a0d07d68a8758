#include "metrics/protocols/view_images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "metrics/numbers/exact_sum.h"

AQBENCH_MODULE_TABLE aqbench::ImageDistanceTable aqbench_image_distance_table;

namespace aqbench {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kChannels = 3;

// One channel of an image, row by row.
struct Plane {
  std::size_t height = 0, width = 0;
  std::vector<double> values;
};

// Returns the weights of a window along one side, of sum 1.
std::vector<double> window_of(SsimWindows windows) {
  if (windows == SsimWindows::uniform7) return std::vector<double>(7, 1.0 / 7);
  std::vector<double> weights(11);
  double sum = 0;
  for (int i = 0; i < 11; ++i)
    sum += weights[static_cast<std::size_t>(i)] = std::exp(-0.5 * (i - 5) * (i - 5) / 2.25);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// In 32 bits, as their programs have it: a value of k/255 is level k.
float shown_value(float value, EightBit eight_bit) {
  const float bounded = std::clamp(value, 0.0F, 1.0F);  // NaN stays
  if (eight_bit == EightBit::no) return bounded;
  return std::floor(255 * bounded + (eight_bit == EightBit::round ? 0.5F : 0)) / 255;
}

// ---- SSIM ----

// Sums of a window: of both images, their squares and their product.
using Moments = std::array<double, 5>;

double similarity_of(const Moments& sums, SsimWindows windows) {
  constexpr double kC1 = 0.01 * 0.01, kC2 = 0.03 * 0.03;
  const double mean_a = sums[0], mean_b = sums[1];
  double variance_a = sums[2] - mean_a * mean_a, variance_b = sums[3] - mean_b * mean_b;
  double covariance = sums[4] - mean_a * mean_b;
  if (windows == SsimWindows::uniform7)
    for (double* const moment : {&variance_a, &variance_b, &covariance}) *moment *= 49.0 / 48;
  if (windows == SsimWindows::valid) {
    constexpr double kLeast =
        double{std::numeric_limits<float>::epsilon()} * std::numeric_limits<float>::epsilon();
    variance_a = std::max(variance_a, kLeast);
    variance_b = std::max(variance_b, kLeast);
    covariance =
        std::copysign(std::min(std::abs(covariance), std::sqrt(variance_a * variance_b)), covariance);
  }
  return (2 * mean_a * mean_b + kC1) * (2 * covariance + kC2) /
         ((mean_a * mean_a + mean_b * mean_b + kC1) * (variance_a + variance_b + kC2));
}

// The sums along x of five products at each window of one row.
void sum_along_row(const double* a, const double* b, std::size_t width, const std::vector<double>& window,
                   std::array<std::vector<double>, 5>& products, std::array<double*, 5> sums) {
  const std::size_t windows = width + 1 - window.size();
  for (std::size_t x = 0; x < width; ++x) {
    products[0][x] = a[x];
    products[1][x] = b[x];
    products[2][x] = a[x] * a[x];
    products[3][x] = b[x] * b[x];
    products[4][x] = a[x] * b[x];
  }
  for (std::size_t k = 0; k < 5; ++k) {
    std::fill_n(sums[k], windows, 0.0);
    for (std::size_t tap = 0; tap < window.size(); ++tap)
      for (std::size_t x = 0; x < windows; ++x) sums[k][x] += window[tap] * products[k][x + tap];
  }
}

// Sums of similarities and of weights over the windows of each row; both rows of results are filled.
void add_rows(const Plane& a, const Plane& b, const Plane& weights, SsimWindows windows,
              std::vector<double>& sums, std::vector<double>& sums_of_weights) {
  const std::vector<double> window = window_of(windows);
  const std::size_t size = window.size(), half = size / 2, columns = a.width + 1 - size;
  parallel_for(a.height + 1 - size, 64, [&](std::size_t begin, std::size_t end) {
    const std::size_t rows = end - begin + size - 1;
    std::array<std::vector<double>, 5> products, along;
    for (std::size_t k = 0; k < 5; ++k) {
      products[k].resize(a.width);
      along[k].resize(rows * columns);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      std::array<double*, 5> at{};
      for (std::size_t k = 0; k < 5; ++k) at[k] = along[k].data() + row * columns;
      sum_along_row(a.values.data() + (begin + row) * a.width, b.values.data() + (begin + row) * a.width,
                    a.width, window, products, at);
    }
    std::array<std::vector<double>, 5> moments;
    for (std::size_t row = 0; row < end - begin; ++row) {
      for (std::size_t k = 0; k < 5; ++k) {
        moments[k].assign(columns, 0.0);
        for (std::size_t tap = 0; tap < size; ++tap) {
          const double* const line = along[k].data() + (row + tap) * columns;
          for (std::size_t x = 0; x < columns; ++x) moments[k][x] += window[tap] * line[x];
        }
      }
      const double* const weight = weights.values.data() + (begin + row + half) * a.width + half;
      for (std::size_t x = 0; x < columns; ++x) {
        sums[begin + row] += weight[x] * similarity_of({moments[0][x], moments[1][x], moments[2][x],
                                                        moments[3][x], moments[4][x]},
                                                       windows);
        sums_of_weights[begin + row] += weight[x];
      }
    }
  });
}

// Surrounds a plane with zeros.
Plane padded(const Plane& plane, std::size_t border) {
  Plane wide{plane.height + 2 * border, plane.width + 2 * border, {}};
  wide.values.resize(wide.height * wide.width);
  for (std::size_t y = 0; y < plane.height; ++y)
    std::copy_n(plane.values.begin() + static_cast<std::ptrdiff_t>(y * plane.width), plane.width,
                wide.values.begin() + static_cast<std::ptrdiff_t>((y + border) * wide.width + border));
  return wide;
}

// Returns the mean over the windows of a channel, weighted at their centres; nullopt if there is none.
std::optional<double> mean_similarity(const Plane& a, const Plane& b, const Plane& weights,
                                      SsimWindows windows) {
  const std::size_t size = window_of(windows).size();
  if (windows == SsimWindows::zero)
    return mean_similarity(padded(a, size / 2), padded(b, size / 2), padded(weights, size / 2),
                           SsimWindows::reflect);
  if (a.height < size || a.width < size) return std::nullopt;
  std::vector<double> sums(a.height + 1 - size), sums_of_weights(sums.size());
  add_rows(a, b, weights, windows, sums, sums_of_weights);
  double sum = 0, sum_of_weights = 0;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    sum += sums[row];
    sum_of_weights += sums_of_weights[row];
  }
  return sum / sum_of_weights;
}

// ---- Images ----

// The errors of one image; ssim is NaN where it is smaller than a window.
struct ImageErrors {
  double mse = 0, mae = 0, ssim = 0;
};

ImageErrors errors_of(const ImagePair& image, const ImageKnobs& knobs) {
  const std::size_t pixels = image.height * image.width;
  std::array<Plane, kChannels> a, b;
  Plane weights{image.height, image.width, std::vector<double>(pixels, 1.0)};
  for (std::size_t i = 0; i < pixels && !image.mask.empty(); ++i)
    if (!knobs.multiply_mask) weights.values[i] = image.mask[i];
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    a[channel] = b[channel] = {image.height, image.width, std::vector<double>(pixels)};
    for (std::size_t i = 0; i < pixels; ++i) {
      const double factor = knobs.multiply_mask && !image.mask.empty() ? image.mask[i] : 1;
      a[channel].values[i] =
          factor * double{shown_value(image.predicted[kChannels * i + channel], knobs.eight_bit)};
      b[channel].values[i] = factor * image.truth[kChannels * i + channel];
    }
  }
  const auto sums = exact_sums<3>(kChannels * pixels, [&](std::size_t k) {
    const std::size_t channel = k / pixels, i = k % pixels;
    const double error = a[channel].values[i] - b[channel].values[i], weight = weights.values[i];
    return std::array{weight * error * error, weight * std::abs(error), weight};
  });
  ImageErrors errors{sums[0] / sums[2], sums[1] / sums[2], 0};
  for (std::size_t channel = 0; channel < kChannels; ++channel)
    errors.ssim +=
        mean_similarity(a[channel], b[channel], weights, knobs.ssim).value_or(kUndefined) / kChannels;
  return errors;
}

void check_sizes(const ImagePair& image) {
  const std::size_t pixels = image.height * image.width;
  if (image.predicted.size() != kChannels * pixels || image.truth.size() != kChannels * pixels ||
      (!image.mask.empty() && image.mask.size() != pixels))
    throw Error(ErrorKind::method, "images: sizes differ");
}

// ---- LPIPS ----

// "FILE#SHA-256" without its hash; where it has none, nothing.
std::string hashed_file(const std::string& text) {
  const std::size_t mark = text.rfind('#');
  return mark != text.npos && is_sha256_hex(text.substr(mark + 1)) ? text.substr(0, mark) : "";
}

// A file without a hash gets that of its bytes.
Knob<ImageKnobs> lpips_knob() {
  return {"lpips", [](const ImageKnobs& knobs) { return knobs.lpips; },
          [](ImageKnobs& knobs, const std::string& text) {
            const bool is_bare = !text.empty() && hashed_file(text).empty();
            if (is_bare && !is_file(text)) refuse_knob("lpips", text, "the file of a TorchScript module");
            knobs.lpips = is_bare ? text + '#' + sha256_file_hex(text) : text;
          }};
}

double mean_lpips(std::span<const ImagePair> images, const ImageKnobs& knobs) {
  const std::string file = hashed_file(knobs.lpips);
  if (!is_file(file)) throw input_error("{}: no such file", file);
  if (sha256_file_hex(file) != knobs.lpips.substr(file.size() + 1))
    throw input_error("{}: has changed since its hash was taken", file);
  const auto& table = module_table<ImageDistanceTable>(Module::torch, "aqbench_image_distance_table",
                                                       &aqbench_image_distance_table);
  const auto distance_of = table.open(file);
  double sum = 0;
  for (const ImagePair& image : images) {
    if (!image.mask.empty() && !knobs.multiply_mask)
      throw usage_error("knob lpips: LPIPS of masked images needs the knob mask=multiply");
    std::vector<float> predicted(image.predicted.begin(), image.predicted.end()),
        truth(image.truth.begin(), image.truth.end());
    for (float& value : predicted) value = shown_value(value, knobs.eight_bit);
    for (std::size_t i = 0; i < truth.size() && !image.mask.empty(); ++i) {
      predicted[i] *= image.mask[i / kChannels];
      truth[i] *= image.mask[i / kChannels];
    }
    ImagePair shown = image;
    shown.predicted = predicted;
    shown.truth = truth;
    sum += distance_of(shown);
  }
  return sum / static_cast<double>(images.size());
}

std::vector<Knob<ImageKnobs>> make_image_knobs() {
  return {choice_knob("ssim", &ImageKnobs::ssim, {"valid", "reflect", "zero", "uniform7"},
                      {"valid", "reflect", "zero", "uniform7"}),
          choice_knob("eight_bit", &ImageKnobs::eight_bit, {"no", "truncate", "round"},
                      {"no", "truncate", "round"}),
          choice_knob("mask", &ImageKnobs::multiply_mask, {"weight", "multiply"}, {"weight", "multiply"}),
          lpips_knob()};
}

}  // namespace

std::span<const Knob<ImageKnobs>> image_knobs() {
  static const std::vector<Knob<ImageKnobs>> knobs = make_image_knobs();
  return knobs;
}

std::span<const ImageProtocol> image_protocols() {
  static const std::vector<ImageProtocol> protocols = {
      {"images",
       "windows of SSIM that lie in the image, masked-out pixels do not count",
       "Wang et al., TIP 2004",
       {}},
      {"images-3dgs",
       "SSIM around every pixel with zeros beyond the border",
       "github.com/graphdeco-inria/gaussian-splatting utils/loss_utils.py, metrics.py",
       {.ssim = SsimWindows::zero, .eight_bit = EightBit::round}},
      {"images-nerfbaselines",
       "as images, 256 levels by truncation, masked-out pixels count as equal",
       "github.com/nerfbaselines/nerfbaselines metrics.py",
       {.eight_bit = EightBit::truncate, .multiply_mask = true}}};
  return protocols;
}

ProtocolResult image_errors(std::span<const ImagePair> images, const ImageKnobs& knobs) {
  double psnr = 0, mse = 0, mae = 0, ssim = 0;
  for (const ImagePair& image : images) {
    check_sizes(image);
    const ImageErrors errors = errors_of(image, knobs);
    psnr += -10 * std::log10(errors.mse);
    mse += errors.mse;
    mae += errors.mae;
    ssim += errors.ssim;
  }
  const auto count = static_cast<double>(images.size());
  const char* const bad = "no pixel counts, or a value is not finite";
  ProtocolResult result;
  add_value(result, "psnr", "dB", psnr / count,
            std::isfinite(mse) ? "an image equals its truth: infinite" : bad);
  add_value(result, "ssim", "1", ssim / count,
            std::isfinite(mse) ? "an image is smaller than a window" : bad);
  add_value(result, "mse", "1", mse / count, bad);
  add_value(result, "mae", "1", mae / count, bad);
  if (!knobs.lpips.empty())
    add_value(result, "lpips", "1", mean_lpips(images, knobs),
              "the module gives a number that is not finite");
  add_value(result, "images", "1", count);
  return result;
}

}  // namespace aqbench
