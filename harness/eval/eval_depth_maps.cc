#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/eval/eval_protocol.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/layouts.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

// A depth map or what lies beside one, or a stack of them: maps x rows x columns. Rows x columns x 1 are one
// map.
struct ShapedMaps {
  std::string file;
  std::vector<std::size_t> shape;
  std::vector<float> values;
  bool counts = false;  // integers, which are no lengths
};

ShapedMaps read_npy_maps(const std::string& file) {
  NpyArray array = read_npy(file);
  ShapedMaps maps{file, std::move(array.shape), {}, array.is_whole};
  if (maps.shape.size() == 3 && maps.shape.back() == 1) maps.shape.pop_back();
  if (maps.shape.size() != 2 && maps.shape.size() != 3)
    throw input_error.of_file(file, "{} values: expected rows x columns, or maps x rows x columns",
                              fmt::join(maps.shape, " x "));
  std::visit([&](const auto& read) { maps.values.assign(read.begin(), read.end()); }, array.values);
  return maps;
}

// Reads any depth map. Counts become metres by what the request says of one; other values by the file's unit.
ShapedMaps read_depth_maps(const std::string& file, double metres_per_unit,
                           const EvalProtocolRequest& request, std::vector<std::string>& notes) {
  ShapedMaps maps;
  DepthImage image;
  if (file.ends_with(".npy")) {
    maps = read_npy_maps(file);
    image.far_values = drop_far_values(maps.values, maps.counts);
  } else {
    image = read_depth_image(file);
    maps = {file,
            {static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width)},
            std::move(image.values),
            image.counts};
  }
  std::ranges::move(notes_of_depths(file, image.channel, image.far_values), std::back_inserter(notes));
  if (maps.counts && !request.metres_per_count)
    throw usage_error("{}: holds counts: give --depth-scale METRES", file);
  if (maps.counts) metres_per_unit = *request.metres_per_count;
  for (float& value : maps.values) value *= static_cast<float>(metres_per_unit);
  return maps;
}

// The same number of values in another shape is another image.
void require_shape(const ShapedMaps& maps, const ShapedMaps& truth) {
  if (maps.shape == truth.shape) return;
  throw input_error.of_file(maps.file, "{} values where {} has {}", fmt::join(maps.shape, " x "), truth.file,
                            fmt::join(truth.shape, " x "));
}

// Returns the files of a folder by their names without ending; of a file that file, under "".
std::map<std::string, std::string> files_at(const std::string& path) {
  if (!folder_exists(path)) return {{"", path}};
  std::map<std::string, std::string> files;
  for (const std::filesystem::path& file : files_in(path)) {
    if (!std::filesystem::is_regular_file(file)) continue;
    const auto [other, is_new] = files.emplace(file.stem().string(), file.string());
    if (!is_new)
      throw input_error.of_file(path, "{} and {} are both called {}",
                                std::filesystem::path(other->second).filename().string(),
                                file.filename().string(), file.stem().string());
  }
  if (files.empty()) throw input_error.of_file(path, "holds no file");
  return files;
}

// Returns the file of `name` among those of a folder `path`.
const std::string& file_named(const std::map<std::string, std::string>& files, const std::string& name,
                              const std::string& path) {
  const auto found = files.find(name);
  if (found == files.end()) throw input_error.of_file(path, "has no map called {}", name);
  return found->second;
}

// Predicted maps, true ones and confidences, file by file.
struct ReadMaps {
  std::vector<ShapedMaps> predicted, truth, confidence;
};

ReadMaps read_all_maps(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                       std::vector<std::string>& notes) {
  const std::string& truth_path = cloud.truth_files[0];
  const auto predicted = files_at(cloud.cloud_file), truth = files_at(truth_path);
  if (predicted.contains("") != truth.contains(""))
    throw usage_error("--protocol {}: {} is a folder, {} is not", request.protocol,
                      truth.contains("") ? cloud.cloud_file : truth_path,
                      truth.contains("") ? truth_path : cloud.cloud_file);
  std::map<std::string, std::string> confidence;
  if (!request.confidence_file.empty()) confidence = files_at(request.confidence_file);
  ReadMaps read;
  for (const auto& [name, file] : predicted) {
    read.predicted.push_back(read_depth_maps(file, cloud.metres_per_unit, request, notes));
    read.truth.push_back(
        read_depth_maps(file_named(truth, name, truth_path), cloud.truth_metres_per_unit, request, notes));
    require_shape(read.predicted.back(), read.truth.back());
    if (confidence.empty()) continue;
    read.confidence.push_back(read_npy_maps(file_named(confidence, name, request.confidence_file)));
    require_shape(read.confidence.back(), read.truth.back());
  }
  if (truth.size() > predicted.size())
    notes.push_back(fmt::format("{} of the {} maps in {} have no prediction and do not count",
                                truth.size() - predicted.size(), truth.size(), truth_path));
  return read;
}

std::vector<DepthMapPair> pairs_of(const ReadMaps& read) {
  std::vector<DepthMapPair> pairs;
  for (std::size_t i = 0; i < read.truth.size(); ++i) {
    const auto& shape = read.truth[i].shape;
    const std::size_t height = shape[shape.size() - 2], width = shape.back(), size = height * width;
    for (std::size_t first = 0; first < read.truth[i].values.size(); first += size) {
      const auto part = [&](const ShapedMaps& maps) { return std::span(maps.values).subspan(first, size); };
      pairs.push_back({height, width, part(read.predicted[i]), part(read.truth[i]),
                       read.confidence.empty() ? std::span<const float>() : part(read.confidence[i])});
    }
  }
  return pairs;
}

}  // namespace

ShownProtocol score_depths(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                           const DepthProtocol& protocol, std::vector<std::string>& notes) {
  DepthKnobs knobs = protocol.knobs;
  take_knobs(request, depth_knobs(), knobs);
  const ReadMaps read = read_all_maps(request, cloud, notes);
  const std::vector<DepthMapPair> pairs = pairs_of(read);
  ShownProtocol shown{protocol.name, protocol.source, knobs_json(depth_knobs(), knobs), {}, {}, {}};
  shown.result = depth_errors(pairs, knobs);
  const ProtocolValue* const optimum = find_value(shown.result, "abs_rel_lad");
  if (optimum != nullptr && optimum->value && *shown.result[0].value > 1.01 * *optimum->value)
    notes.push_back(
        fmt::format("align=adam1000 did not converge: abs_rel {:.3g}, at the optimum (align=lad) {:.3g}",
                    *shown.result[0].value, *optimum->value));
  if (!read.confidence.empty())
    std::ranges::move(sparsification_errors(pairs, knobs), std::back_inserter(shown.result));
  return shown;
}

}  // namespace aqbench
