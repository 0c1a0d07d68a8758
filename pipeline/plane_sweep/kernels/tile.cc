#include "pipeline/plane_sweep/kernels/tile.h"

#include <algorithm>
#include <cmath>

#include "pipeline/plane_sweep/kernels/cost_map.h"

namespace aqbench::plane_sweep {
namespace {

// Splits `length` into as few nearly equal parts of at most `side` as possible.
std::vector<int> part_ends(int length, int side) {
  const int parts = (length + side - 1) / side;
  std::vector<int> ends;
  for (int i = 0; i <= parts; ++i)
    ends.push_back(static_cast<int>(static_cast<long long>(length) * i / parts));
  return ends;
}

// Weighted sums over the windows of an image of `columns` columns; zero outside.
std::vector<double> window_sums(const std::vector<double>& in, int columns,
                                const std::vector<double>& weights) {
  const int half = static_cast<int>(weights.size()) / 2, rows = static_cast<int>(in.size()) / columns;
  std::vector<double> along(in.size()), sums(in.size());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (int k = std::max(-half, -x); k <= std::min(half, columns - 1 - x); ++k)
        along[y * columns + x] += weights[k + half] * in[y * columns + x + k];
  for (int y = 0; y < rows; ++y)
    for (int k = std::max(-half, -y); k <= std::min(half, rows - 1 - y); ++k)
      for (int x = 0; x < columns; ++x)
        sums[y * columns + x] += weights[k + half] * along[(y + k) * columns + x];
  return sums;
}

}  // namespace

// About a sixth of a radian: polynomials then follow the projection to 1e-4 px. Beyond 96 px the larger
// working set outweighs the smaller margin.
int tile_side_px(const RefractiveCamera& reference) {
  const double side_px = 0.16 * std::min(reference.fx_px, reference.fy_px);
  return std::clamp(static_cast<int>(std::min(side_px, 96.0)) / kLanes * kLanes, 32, 96);
}

std::vector<Tile> make_tiles(int width_px, int height_px, int side_px, int margin_px) {
  const std::vector<int> xs = part_ends(width_px, side_px), ys = part_ends(height_px, side_px);
  std::vector<Tile> tiles;
  for (std::size_t j = 0; j + 1 < ys.size(); ++j)
    for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
      const PixelBox output{xs[i], xs[i + 1], ys[j], ys[j + 1]};
      const PixelBox input{
          std::max(0, output.x_begin - margin_px), std::min(width_px, output.x_end + margin_px),
          std::max(0, output.y_begin - margin_px), std::min(height_px, output.y_end + margin_px)};
      tiles.push_back({output, input});
    }
  return tiles;
}

void cut_reference(const GreyImage& image, const Tile& tile, TileReference& reference) {
  const PixelBox& box = tile.input;
  reference.columns = tile.columns();
  reference.grey.clear();
  double sum = 0;
  for (int y = box.y_begin; y < box.y_end; ++y)
    for (int x = box.x_begin; x < box.x_end; ++x) {
      reference.grey.push_back(image.grey(static_cast<std::size_t>(y) * image.width_px + x));
      sum += reference.grey.back();
    }
  reference.mean = static_cast<float>(sum / static_cast<double>(reference.grey.size()));
  for (float& grey : reference.grey) grey -= reference.mean;
  reference.no_row.assign(static_cast<std::size_t>(reference.columns), 0.0F);
  reference.x.clear();
  for (int x = box.x_begin; x < box.x_end; ++x)
    reference.x.push_back(box_coordinate(x, box.x_begin, box.x_end));
}

void zncc_statistics(const TileReference& reference, const Tile& tile, const Options& options,
                     ZnccReference& statistics) {
  const int half = options.window_px / 2, columns = reference.columns;
  const double needed = min_window_weight(options.cost, options.window_px);
  const std::size_t pixels = static_cast<std::size_t>(tile.output_rows()) * tile.outputs();
  for (std::vector<float>* field : {&statistics.count, &statistics.inverse_count, &statistics.sum,
                                    &statistics.square_sum, &statistics.gain})
    field->resize(pixels);
  // Column sums over the window's rows, updated from row to row. Double precision: negligible drift.
  std::vector<double> sums(columns), squares(columns);
  const auto add_row = [&](int y, double sign) {
    const float* const row = reference.row(tile, y);
    for (int i = 0; i < columns; ++i) {
      const double r = row[i];
      sums[i] += sign * r;
      squares[i] += sign * r * r;
    }
  };
  for (int y = tile.input.y_begin; y < std::min(tile.output.y_begin + half, tile.input.y_end); ++y)
    add_row(y, 1);
  std::size_t pixel = 0;
  for (int y = tile.output.y_begin; y < tile.output.y_end; ++y) {
    if (y + half < tile.input.y_end) add_row(y + half, 1);
    if (y - half - 1 >= tile.input.y_begin) add_row(y - half - 1, -1);
    const int rows = std::min(tile.input.y_end, y + half + 1) - std::max(tile.input.y_begin, y - half);
    double sum = 0, square_sum = 0;
    for (int i = 0; i < std::min(tile.first_output() + half, columns); ++i) {
      sum += sums[i];
      square_sum += squares[i];
    }
    for (int output = 0; output < tile.outputs(); ++output, ++pixel) {
      const int centre = tile.first_output() + output;
      const int begin = std::max(0, centre - half), end = std::min(columns, centre + half + 1);
      if (centre + half < columns) {
        sum += sums[centre + half];
        square_sum += squares[centre + half];
      }
      if (centre - half - 1 >= 0) {
        sum -= sums[centre - half - 1];
        square_sum -= squares[centre - half - 1];
      }
      const double count = static_cast<double>(rows) * (end - begin), mean = sum / count;
      const double variance = std::max(0.0, square_sum / count - mean * mean) + options.noise_variance;
      statistics.count[pixel] = static_cast<float>(count);
      statistics.inverse_count[pixel] = static_cast<float>(1 / count);
      statistics.sum[pixel] = static_cast<float>(sum);
      statistics.square_sum[pixel] = static_cast<float>(square_sum);
      statistics.gain[pixel] = count >= needed ? static_cast<float>(1 / (count * std::sqrt(variance))) : 0.0F;
    }
  }
}

void centred_statistics(const TileReference& reference, const Tile& tile, const Options& options,
                        CentredReference& statistics) {
  const std::vector<double> weights = window_weights(options.cost, options.window_px);
  const double needed = min_window_weight(options.cost, options.window_px);
  const std::size_t pixels = reference.grey.size();
  const std::vector<double> weight = window_sums(std::vector<double>(pixels, 1.0), tile.columns(), weights);
  const std::vector<double> sum =
      window_sums({reference.grey.begin(), reference.grey.end()}, tile.columns(), weights);
  std::vector<double> squares(pixels);
  for (std::vector<float>* field : {&statistics.inverse_weight, &statistics.mean, &statistics.centred,
                                    &statistics.variance, &statistics.scoring_inverse_weight})
    field->resize(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const double mean = sum[i] / weight[i], centred = reference.grey[i] - mean;
    squares[i] = centred * centred;
    statistics.inverse_weight[i] = static_cast<float>(1 / weight[i]);
    statistics.scoring_inverse_weight[i] = weight[i] >= needed ? statistics.inverse_weight[i] : 0.0F;
    statistics.mean[i] = static_cast<float>(mean);
    statistics.centred[i] = static_cast<float>(centred);
  }
  const std::vector<double> square_sums = window_sums(squares, tile.columns(), weights);
  for (std::size_t i = 0; i < pixels; ++i)
    statistics.variance[i] = static_cast<float>(square_sums[i] / weight[i]);
}

}  // namespace aqbench::plane_sweep
