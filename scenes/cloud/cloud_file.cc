#include "scenes/cloud/cloud_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/ply_read.h"

namespace aqbench {
namespace {

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Reads one point a line, and checks each line against those before it.
class XyzReader {
 public:
  XyzReader(std::string_view bytes, std::string name, bool count_allowed)
      : rest_(bytes), name_(std::move(name)), count_allowed_(count_allowed) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // the mark that some editors put first
  }

  PointCloud read() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = trim_blanks(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.empty() || line.starts_with('#') || line.starts_with("//")) continue;
      if (!parse_count(line)) parse_point(line);
    }
    if (promised_ && *promised_ != cloud_.points_m.size())
      fail(fmt::format("the first line promises {} points, but there are {}", *promised_,
                       cloud_.points_m.size()));
    return std::move(cloud_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::input, fmt::format("{}: line {}: {}", name_, line_, escape_bytes(what)));
  }

  // Returns whether this is the first line and holds the number of points.
  bool parse_count(std::string_view line) {
    if (!count_allowed_ || promised_ || columns_ != 0) return false;
    std::uint64_t count = 0;
    const char* const end = line.data() + line.size();
    const auto [last, status] = std::from_chars(line.data(), end, count);
    if (status != std::errc{} || last != end) return false;
    promised_ = count;
    return true;
  }

  double parse_column(std::string_view word, std::size_t column) const {
    const auto value = parse_double(word);
    if (!value) fail(fmt::format("column {}: '{}' is not a number", column + 1, word));
    return *value;
  }

  // A line with a comma is split at commas only, so that "0,1 0,2 0,3", written with decimal commas, is
  // refused and not taken for six numbers.
  void parse_point(std::string_view line) {
    const bool commas = line.find(',') != std::string_view::npos;
    Vec3 point;
    std::size_t column = 0;
    for (bool more = true; more; ++column) {
      const std::size_t end = line.find_first_of(commas ? std::string_view(",") : std::string_view(" \t"));
      more = end != std::string_view::npos;
      const double value = parse_column(trim_blanks(line.substr(0, end)), column);
      if (column < 3) point[static_cast<Eigen::Index>(column)] = value;
      if (more) line = commas ? line.substr(end + 1) : trim_blanks(line.substr(end));
    }
    if (column < 3) fail(fmt::format("{} columns, not x y z", column));
    if (columns_ != 0 && column != columns_)
      fail(fmt::format("{} columns, but {} on the lines before", column, columns_));
    columns_ = column;
    cloud_.points_m.push_back(point);
  }

  std::string_view rest_;
  std::string name_;
  bool count_allowed_;
  std::size_t line_ = 0;
  std::size_t columns_ = 0;  // of the lines before; 0: none yet
  std::optional<std::uint64_t> promised_;
  PointCloud cloud_;
};

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

bool starts_as_ply(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  file.read(start, sizeof start);
  const std::string_view text(start, sizeof start);
  return text == "ply\n" || text == "ply\r";
}

}  // namespace

Reconstruction read_cloud_file(const std::filesystem::path& path) {
  regular_file_size(path);  // gives a plain message for a missing file, and does not wait at a pipe
  const std::string extension = lower_extension(path);
  Reconstruction result;
  if (extension == ".ply" || starts_as_ply(path)) {
    PlyFile file = read_ply(path);
    result.cloud = std::move(file.cloud);
    result.mesh = std::move(file.mesh);
  } else if (extension == ".xyz" || extension == ".txt" || extension == ".pts") {
    const std::string bytes = read_file(path);
    result.cloud = XyzReader(bytes, path.string(), extension == ".pts").read();
  } else {
    throw Error(
        ErrorKind::input,
        path.string() + ": not a format that is read here (PLY, or .xyz, .txt, .pts with x y z a line)");
  }
  return result;
}

}  // namespace aqbench
