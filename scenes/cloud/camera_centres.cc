#include "scenes/cloud/camera_centres.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/colmap.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCentreForms =
    "is not a camera in a known format: NAME X Y Z, TIME TX TY TZ QX QY QZ QW, or COLMAP's images.txt";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  if (line.find(',') != std::string_view::npos) {
    for (const std::string_view word : split_at(line, ',')) words.push_back(trim_blanks(word));
    return words;
  }
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) words.push_back(word);
  return words;
}

double finite_number(const TextLines& lines, std::string_view word) {
  const double value = lines.number(word, "camera");
  if (!std::isfinite(value)) lines.fail("camera: a number is not finite");
  return value;
}

bool is_number(std::string_view word) { return parse_double(word).has_value(); }

// ---- COLMAP ----

std::vector<CameraCentre> colmap_centres(const fs::path& file) {
  std::vector<CameraCentre> centres;
  for (const OwnCamera& camera : read_colmap_poses(file)) centres.push_back({camera.name, camera.centre});
  return centres;
}

// ---- One camera a line ----

// Takes the last number off a line, and the separator before it.
std::optional<std::string_view> take_last(std::string_view& line, char separator) {
  const std::size_t before = separator == ',' ? line.rfind(',') : line.find_last_of(" \t");
  if (before == std::string_view::npos) return std::nullopt;
  const std::string_view word = trim_blanks(line.substr(before + 1));
  line = trim_blanks(line.substr(0, before));
  return is_number(word) ? std::optional(word) : std::nullopt;
}

// What is left of "NAME X Y Z" for the name, and the words of the numbers; nullopt for another line.
std::optional<std::pair<std::string_view, std::array<std::string_view, 3>>> split_name(std::string_view line,
                                                                                       char separator) {
  std::array<std::string_view, 3> numbers;
  for (std::size_t axis = 3; axis-- > 0;) {
    const auto number = take_last(line, separator);
    if (!number) return std::nullopt;
    numbers[axis] = *number;
  }
  if (line.empty()) return std::nullopt;
  return std::pair(line, numbers);
}

// A name in quotation marks says where it ends. Without them a name of several words that ends in a number
// may be a shorter name and a coordinate.
std::string name_of(const TextLines& lines, std::string_view text, char separator) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    return std::string(text.substr(1, text.size() - 2));
  const std::size_t last = separator == ',' ? text.rfind(',') : text.find_last_of(" \t");
  if (last != std::string_view::npos && is_number(trim_blanks(text.substr(last + 1))))
    lines.fail("'{}' may be a name or a name and a number: put names in quotation marks", text);
  return std::string(text);
}

class CentresReader {
 public:
  CentresReader(std::string_view bytes, const std::string& name) : lines_(bytes, name) {}

  std::vector<CameraCentre> read() {
    std::string_view line;
    while (lines_.next_content(line)) {
      const auto words = words_of(line);
      if (words.size() == 3)
        add_logged(words[0]);
      else if (words.size() == 8 && std::ranges::all_of(words, is_number))
        add({std::string(words[0]),
             {finite_number(lines_, words[1]), finite_number(lines_, words[2]),
              finite_number(lines_, words[3])}});
      else
        add_named(line);
    }
    return std::move(centres_);
  }

 private:
  void add(CameraCentre centre) { centres_.push_back(std::move(centre)); }

  void add_logged(std::string_view name) {
    Vec3 centre;
    std::string_view line;
    for (int row = 0; row < 4; ++row) {
      if (!lines_.next_content(line)) lines_.fail("camera: the file ends inside a matrix");
      const auto words = words_of(line);
      if (words.size() != 4) lines_.fail("camera: expected a row of 4 numbers");
      if (row < 3) centre[row] = finite_number(lines_, words[3]);
    }
    add({std::string(name), centre});
  }

  void add_named(std::string_view line) {
    char separator = ',';
    auto parts = split_name(line, separator);
    if (!parts) parts = split_name(line, separator = ' ');
    if (!parts) lines_.fail(kCentreForms);
    Vec3 centre;
    for (int axis = 0; axis < 3; ++axis)
      centre[axis] = finite_number(lines_, parts->second[static_cast<std::size_t>(axis)]);
    add({name_of(lines_, parts->first, separator), centre});
  }

  TextLines lines_;
  std::vector<CameraCentre> centres_;
};

// The first line that is no comment.
std::string_view first_content(std::string_view bytes, const std::string& name) {
  std::string_view line;
  TextLines(bytes, name).next_content(line);
  return line;
}

std::vector<CameraCentre> read_centres(const fs::path& path) {
  if (lower_case(path.extension().string()) == ".bin") return colmap_centres(path);
  const std::string bytes = read_text_file(path);
  if (is_colmap_image_line(first_content(bytes, path.string()))) return colmap_centres(path);
  return CentresReader(bytes, path.string()).read();
}

}  // namespace

std::vector<CameraCentre> read_camera_centres(const fs::path& path) {
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? colmap_images_file(path) : path;
  std::vector<CameraCentre> centres = read_centres(file);
  if (centres.empty()) throw Error(ErrorKind::input, file.string() + ": no cameras");
  std::set<std::string_view> names;
  for (const CameraCentre& centre : centres)
    if (!names.insert(centre.name).second)
      throw input_error("{}: camera '{}' comes twice", file.string(), escape_bytes(centre.name));
  return centres;
}

}  // namespace aqbench
