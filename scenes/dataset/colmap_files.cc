#include "scenes/dataset/colmap_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

struct ColmapLens {
  int id;
  const char* name;
  std::size_t parameters;
};

constexpr ColmapLens kLenses[] = {{0, "SIMPLE_PINHOLE", 3},
                                  {1, "PINHOLE", 4},
                                  {2, "SIMPLE_RADIAL", 4},
                                  {3, "RADIAL", 5},
                                  {4, "OPENCV", 8},
                                  {5, "OPENCV_FISHEYE", 8},
                                  {6, "FULL_OPENCV", 12},
                                  {7, "FOV", 5},
                                  {8, "SIMPLE_RADIAL_FISHEYE", 4},
                                  {9, "RADIAL_FISHEYE", 5},
                                  {10, "THIN_PRISM_FISHEYE", 12}};

[[noreturn]] void refuse_colmap(const std::string& where, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", where, why));
}

void require_finite(const std::string& where, std::initializer_list<double> values) {
  for (const double value : values)
    if (!std::isfinite(value)) refuse_colmap(where, "a number is not finite");
}

// ---- Binary, little endian ----

class ColmapBinary {
 public:
  explicit ColmapBinary(const std::filesystem::path& file) : name_(file.string()), bytes_(read_file(file)) {}

  template <class Value>
  Value next() {
    if (bytes_.size() - at_ < sizeof(Value)) refuse_colmap(name_, "is truncated");
    Value value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(Value));
    at_ += sizeof(Value);
    return value;
  }
  double number() {
    const auto value = next<double>();
    require_finite(name_, {value});
    return value;
  }
  void skip(std::uint64_t count, std::uint64_t size) {
    if (count > (bytes_.size() - at_) / size) refuse_colmap(name_, "is truncated");
    at_ += count * size;
  }
  std::string text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string::npos) refuse_colmap(name_, "is truncated");
    std::string value = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return value;
  }
  void finish() const {
    if (at_ != bytes_.size()) refuse_colmap(name_, "has data after its last entry");
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_, bytes_;
  std::size_t at_ = 0;
};

void read_binary_cameras(const std::filesystem::path& file, ColmapModel& model) {
  ColmapBinary in(file);
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    const auto id = in.next<std::uint32_t>();
    const auto lens_id = in.next<std::int32_t>();
    const auto* const lens = std::ranges::find(kLenses, lens_id, &ColmapLens::id);
    if (lens == std::end(kLenses))
      refuse_colmap(in.name(), fmt::format("camera {}: unknown lens model {}", id, lens_id));
    ColmapCamera camera{lens->name, in.next<std::uint64_t>(), 0, {}};
    camera.height_px = in.next<std::uint64_t>();
    for (std::size_t i = 0; i < lens->parameters; ++i) camera.parameters.push_back(in.number());
    model.cameras[id] = std::move(camera);
  }
  in.finish();
}

void read_binary_images(const std::filesystem::path& file, ColmapModel& model) {
  ColmapBinary in(file);
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    ColmapImage image;
    in.next<std::uint32_t>();  // its number
    for (double& value : image.quaternion_wxyz) value = in.number();
    for (double& value : image.translation) value = in.number();
    image.camera_id = in.next<std::uint32_t>();
    image.name = in.text();
    in.skip(in.next<std::uint64_t>(), 24);  // x, y, point
    model.images.push_back(std::move(image));
  }
  in.finish();
}

void read_binary_points(const std::filesystem::path& file, ColmapModel& model) {
  ColmapBinary in(file);
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    in.next<std::uint64_t>();  // its number
    std::array<double, 3> point{};
    for (double& value : point) value = in.number();
    in.skip(1, 11);                        // colour and error
    in.skip(in.next<std::uint64_t>(), 8);  // image, index
    model.points.push_back(point);
  }
  in.finish();
}

// ---- Text ----

// Splits at blanks; the last of `count` words is the rest of the line.
std::vector<std::string> words_of(std::string_view line, std::size_t count) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::size_t end = words.size() + 1 == count ? line.find_last_not_of(" \t\r") + 1
                                                      : std::min(line.find_first_of(" \t\r"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// Reads a text file line by line, without comments.
class ColmapText {
 public:
  explicit ColmapText(const std::filesystem::path& file)
      : name_(file.string()), text_(read_text_file(file)) {}

  // The next line; of empty ones only where they are asked for. nullopt at the end.
  std::optional<std::string_view> next(bool also_empty = false) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line(text_.data() + at_, end - at_);
      at_ = end + 1;
      ++line_;
      if (line.starts_with('#')) continue;
      if (also_empty || line.find_first_not_of(" \t\r") != std::string_view::npos) return line;
    }
    return std::nullopt;
  }
  std::string where() const { return fmt::format("{}:{}", name_, line_); }

  double number(const std::string& word) const {
    const auto value = parse_double(word);
    if (!value || !std::isfinite(*value))
      refuse_colmap(where(), fmt::format("'{}' is not a finite number", escape_bytes(word, 40)));
    return *value;
  }
  std::uint64_t count(const std::string& word) const {
    const double value = number(word);
    if (!(value >= 0 && value <= 4e9) || value != std::floor(value))
      refuse_colmap(where(), fmt::format("'{}' is not a count", escape_bytes(word, 40)));
    return static_cast<std::uint64_t>(value);
  }

 private:
  std::string name_, text_;
  std::size_t at_ = 0, line_ = 0;
};

void read_text_cameras(const std::filesystem::path& file, ColmapModel& model) {
  ColmapText in(file);
  while (const auto line = in.next()) {
    const auto words = words_of(*line, SIZE_MAX);
    if (words.size() < 4) refuse_colmap(in.where(), "expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS");
    const auto* const lens =
        std::ranges::find(kLenses, words[1], [](const ColmapLens& l) { return std::string(l.name); });
    if (lens == std::end(kLenses))
      refuse_colmap(in.where(), fmt::format("unknown lens model '{}'", escape_bytes(words[1], 40)));
    if (words.size() != 4 + lens->parameters)
      refuse_colmap(in.where(), fmt::format("{} needs {} parameters, got {}", lens->name, lens->parameters,
                                            words.size() - 4));
    ColmapCamera camera{lens->name, in.count(words[2]), in.count(words[3]), {}};
    for (std::size_t i = 4; i < words.size(); ++i) camera.parameters.push_back(in.number(words[i]));
    model.cameras[static_cast<std::uint32_t>(in.count(words[0]))] = std::move(camera);
  }
}

void read_text_images(const std::filesystem::path& file, ColmapModel& model) {
  ColmapText in(file);
  while (const auto line = in.next()) {
    const auto words = words_of(*line, 10);
    if (words.size() != 10)
      refuse_colmap(in.where(), "expected IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME");
    ColmapImage image;
    for (std::size_t i = 0; i < 4; ++i) image.quaternion_wxyz[i] = in.number(words[1 + i]);
    for (std::size_t i = 0; i < 3; ++i) image.translation[i] = in.number(words[5 + i]);
    image.camera_id = static_cast<std::uint32_t>(in.count(words[8]));
    image.name = words[9];
    model.images.push_back(std::move(image));
    in.next(true);  // its points
  }
}

void read_text_points(const std::filesystem::path& file, ColmapModel& model) {
  ColmapText in(file);
  while (const auto line = in.next()) {
    const auto words = words_of(*line, SIZE_MAX);
    if (words.size() < 8) refuse_colmap(in.where(), "expected POINT3D_ID X Y Z R G B ERROR TRACK");
    model.points.push_back({in.number(words[1]), in.number(words[2]), in.number(words[3])});
  }
}

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

using ColmapPart = void (*)(const std::filesystem::path&, ColmapModel&);

void read_part(const char* name, ColmapPart binary, ColmapPart text, bool is_optional, ColmapModel& model) {
  for (const auto& [ending, read] : {std::pair(".bin", binary), {".txt", text}}) {
    const std::filesystem::path file = model.dir / (std::string(name) + ending);
    if (!is_file(file)) continue;
    read(file, model);
    model.files.push_back(file);
    return;
  }
  if (!is_optional) refuse_colmap((model.dir / name).string(), "no such .bin or .txt file");
}

}  // namespace

std::filesystem::path find_colmap_model(const std::filesystem::path& dataset_dir) {
  for (const char* const place : {"", "sparse/0", "sparse", "colmap"}) {
    const std::filesystem::path dir = *place == '\0' ? dataset_dir : dataset_dir / place;
    if ((is_file(dir / "cameras.bin") || is_file(dir / "cameras.txt")) &&
        (is_file(dir / "images.bin") || is_file(dir / "images.txt")))
      return dir;
  }
  return {};
}

ColmapModel read_colmap_model(const std::filesystem::path& model_dir) {
  ColmapModel model;
  model.dir = model_dir;
  read_part("cameras", read_binary_cameras, read_text_cameras, false, model);
  read_part("images", read_binary_images, read_text_images, false, model);
  read_part("points3D", read_binary_points, read_text_points, true, model);
  std::ranges::sort(model.images, {}, &ColmapImage::name);
  for (const ColmapImage& image : model.images) {
    const std::string where = fmt::format("{}: image '{}'", model_dir.string(), escape_bytes(image.name));
    if (!model.cameras.contains(image.camera_id))
      refuse_colmap(where, fmt::format("camera {} is missing in the model", image.camera_id));
    double norm2 = 0;
    for (const double value : image.quaternion_wxyz) norm2 += value * value;
    if (std::abs(norm2 - 1) > 1e-3) refuse_colmap(where, "its quaternion does not have length 1");
  }
  if (model.images.empty()) refuse_colmap(model_dir.string(), "the model has no image");
  return model;
}

}  // namespace aqbench
