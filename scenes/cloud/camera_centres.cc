#include "scenes/cloud/camera_centres.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

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

CameraCentre colmap_centre(const TextLines& lines, const std::vector<std::string_view>& words) {
  double n[7];
  for (std::size_t i = 0; i < 7; ++i) n[i] = finite_number(lines, words[i + 1]);
  const Eigen::Quaterniond rotation(n[0], n[1], n[2], n[3]);
  if (!(rotation.norm() > 0)) lines.fail("camera: the quaternion is zero");
  return {std::string(words[9]), -(rotation.normalized().conjugate() * Vec3(n[4], n[5], n[6]))};
}

CameraCentre log_centre(TextLines& lines, std::string_view name) {
  Vec3 centre;
  std::string_view line;
  for (int row = 0; row < 4; ++row) {
    if (!lines.next_content(line)) lines.fail("camera: the file ends inside a matrix");
    const auto words = words_of(line);
    if (words.size() != 4) lines.fail("camera: expected a row of 4 numbers");
    if (row < 3) centre[row] = finite_number(lines, words[3]);
  }
  return {std::string(name), centre};
}

class CentresReader {
 public:
  CentresReader(std::string_view bytes, const std::string& name) : lines_(bytes, name) {}

  std::vector<CameraCentre> read() {
    std::string_view line;
    while (lines_.next_content(line)) {
      const auto words = words_of(line);
      if (words.size() == 10) {
        add(colmap_centre(lines_, words));
        lines_.next(line);  // its points
      } else if (words.size() == 3) {
        add(log_centre(lines_, words[0]));
      } else if (words.size() == 4 || words.size() == 8) {
        add({std::string(words[0]),
             {finite_number(lines_, words[1]), finite_number(lines_, words[2]),
              finite_number(lines_, words[3])}});
      } else {
        lines_.fail(fmt::format("{} words: not a supported camera line", words.size()));
      }
    }
    if (centres_.empty()) throw Error(ErrorKind::input, lines_.name() + ": no cameras");
    return std::move(centres_);
  }

 private:
  void add(CameraCentre centre) {
    if (!names_.insert(centre.name).second) lines_.fail(fmt::format("duplicate camera '{}'", centre.name));
    centres_.push_back(std::move(centre));
  }

  TextLines lines_;
  std::set<std::string> names_;
  std::vector<CameraCentre> centres_;
};

}  // namespace

std::vector<CameraCentre> read_camera_centres(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path);
  return CentresReader(bytes, path.string()).read();
}

}  // namespace aqbench
