#pragma once
// Reads images and points of a model of COLMAP, text or binary. Formats:
// https://colmap.github.io/format.html.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {

// A registered image: x_camera = R(quaternion_wxyz) x_world + translation.
struct ColmapImage {
  std::string name;  // of the file, relative to the folder of images
  std::array<double, 4> quaternion_wxyz{};
  std::array<double, 3> translation{};
  std::uint32_t camera_id = 0;
  std::uint32_t id = 0;
};

// Where a model may lie in the folder of a dataset.
inline constexpr const char* kColmapPlaces[] = {"", "sparse/0", "sparse", "colmap"};

// Reads a binary file of COLMAP, little endian, value by value. Errors are Error(input) with the file.
class ColmapBinary {
 public:
  explicit ColmapBinary(const std::filesystem::path& file);

  template <class Value>
  Value next() {
    Value value;
    std::memcpy(&value, take(sizeof(Value)), sizeof(Value));
    return value;
  }
  double number();  // finite
  std::string text();
  void skip(std::uint64_t count, std::uint64_t size);
  void finish() const;
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    throw input_error.of_file(name_, what, std::forward<Args>(args)...);
  }

 private:
  const char* take(std::size_t size);

  std::string name_, bytes_;
  std::size_t at_ = 0;
};

// The lines of a text file of COLMAP, and the number of entries that its comments promise.
class ColmapText {
 public:
  // `what` is what "# Number of WHAT: 12" counts.
  ColmapText(const std::filesystem::path& file, std::string what);

  // Goes to the next line that is no comment; returns false after the last one. Empty lines are skipped
  // unless they are asked for.
  bool next(std::string_view& line, bool also_empty = false);

  // Throws as TextLines::fail() unless there are as many entries as the comments promise.
  void check_count(std::size_t entries) const;

  double number(std::string_view word) const;                            // finite
  std::uint32_t id(std::string_view word, std::string_view what) const;  // a whole number of 32 bits
  const TextLines& lines() const { return lines_; }

 private:
  std::string bytes_, what_;
  TextLines lines_;
  std::optional<std::uint64_t> promised_;
};

// Reads images, sorted as in the file: binary if its name ends in .bin. The text has two lines for each
// image, or one where its writer leaves out the observed points; both are recognised. Throws Error(input)
// with file and line for anything else, for a line that may be either, and for another number of images than
// the file's comments say.
std::vector<ColmapImage> read_colmap_images(const std::filesystem::path& file);

// Returns whether a line is the first of an image in a text: its id, a unit quaternion, a translation, the id
// of its camera and its name.
bool is_colmap_image_line(std::string_view line);

// Reads points3D.bin or points3D.txt, with their colours; errors as read_colmap_images() gives them.
PointCloud read_colmap_points(const std::filesystem::path& file);

// Returns whether a file holds the points of a model: by its name, or by the comment that COLMAP writes
// first.
bool is_colmap_points(const std::filesystem::path& file, std::string_view start);

}  // namespace aqbench
