#include "scenes/cloud/text_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/text.h"
#include "scenes/cloud/record_blocks.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

constexpr std::size_t kNoColumn = SIZE_MAX;

// A line with a comma is split at commas only, so that "0,1 0,2 0,3", written with decimal commas, is
// refused and not taken for six numbers.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '|'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

// Cuts the next column off a line; `more` tells whether one follows.
std::string_view take_column(std::string_view& line, char separator, bool& more) {
  const std::size_t end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
  more = end != std::string_view::npos;
  const std::string_view column = trim_blanks(line.substr(0, end));
  if (more) line = separator == ' ' ? trim_blanks(line.substr(end)) : line.substr(end + 1);
  return column;
}

// Reads one point a line, and checks each line against those before it.
class TextPointsReader {
 public:
  // `bytes` are the first lines.
  TextPointsReader(std::string_view bytes, const std::string& name, bool count_allowed)
      : lines_(bytes, name), count_allowed_(count_allowed) {}

  void go_on(std::string_view lines) { lines_.go_on(lines); }

  // Returns the points of these lines.
  PointCloud read() {
    PointCloud cloud;
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty() || line.starts_with('#') || line.starts_with("//")) continue;
      if (!parse_count(line) && !parse_names(line)) parse_point(line, cloud);
    }
    points_ += cloud.points_m.size();
    return cloud;
  }

  // Called after the last lines.
  void check_count() const {
    if (promised_ && *promised_ != points_)
      lines_.fail(fmt::format("the first line promises {} points, but there are {}", *promised_, points_));
  }

  bool has_normals() const { return place_[3] != kNoColumn; }
  [[noreturn]] void fail(std::string_view what) const { lines_.fail(what); }

 private:
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

  // Returns whether this is the first line and names the columns x, y and z.
  bool parse_names(std::string_view line) {
    if (columns_ != 0) return false;
    static constexpr std::string_view kNames[] = {"x", "y", "z", "nx", "ny", "nz"};
    std::array<std::size_t, 6> found;
    found.fill(kNoColumn);
    const char separator = separator_of(line);
    std::size_t column = 0;
    for (bool more = true; more; ++column) {
      std::string name = lower_case(take_column(line, separator, more));
      std::erase(name, '"');
      for (std::size_t k = 0; k < 6; ++k)
        if (name == kNames[k]) found[k] = column;
    }
    if (std::ranges::count(found.begin(), found.begin() + 3, kNoColumn) > 0) return false;
    if (std::ranges::count(found.begin() + 3, found.end(), kNoColumn) > 0)
      std::fill(found.begin() + 3, found.end(), kNoColumn);
    place_ = found;
    columns_ = column;
    return true;
  }

  void parse_point(std::string_view line, PointCloud& cloud) {
    const char separator = separator_of(line);
    std::array<double, 6> values{};
    std::size_t column = 0;
    for (bool more = true; more; ++column) {
      const std::string_view word = take_column(line, separator, more);
      const auto value = parse_double(word);
      if (!value) lines_.fail(fmt::format("column {}: '{}' is not a number", column + 1, word));
      for (std::size_t k = 0; k < 6; ++k)
        if (place_[k] == column) values[k] = *value;
    }
    if (column < 3) lines_.fail(fmt::format("{} columns, not x y z", column));
    if (columns_ != 0 && column != columns_)
      lines_.fail(fmt::format("{} columns, but {} on the lines before", column, columns_));
    columns_ = column;
    cloud.points_m.emplace_back(values[0], values[1], values[2]);
    if (has_normals()) cloud.normals.emplace_back(values[3], values[4], values[5]);
  }

  TextLines lines_;
  bool count_allowed_;
  std::size_t columns_ = 0;  // of the lines before; 0: none yet
  std::array<std::size_t, 6> place_ = {0, 1, 2, kNoColumn, kNoColumn, kNoColumn};  // of x to nz
  std::optional<std::uint64_t> promised_;
  std::uint64_t points_ = 0;
};

// The points that a text may have, by the length of its first lines.
std::uint64_t guessed_points(std::string_view start, std::uint64_t bytes) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(start, '\n'));
  return lines == 0 ? 0 : bytes / std::max<std::uint64_t>(start.size() / lines, 1);
}

}  // namespace

PointCloud read_text_points(std::string_view bytes, const std::string& name, bool count_allowed) {
  TextPointsReader reader(bytes, name, count_allowed);
  PointCloud cloud = reader.read();
  reader.check_count();
  return cloud;
}

std::shared_ptr<const CloudBlocks> open_text_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                    bool count_allowed, std::size_t part_bytes) {
  TextParts parts(open_file(path), 0, '\n', part_bytes);
  if (!parts.next() || guessed_points(parts.lines(), parts.file().bytes) < at_least) return nullptr;
  PointSpool spool;
  TextPointsReader reader(parts.lines(), parts.file().name, count_allowed);
  for (bool more = true; more;) {
    spool.append(reader.read());
    more = parts.next();
    if (more && parts.lines().empty()) reader.fail(long_line_text(part_bytes));
    if (more) reader.go_on(parts.lines());
  }
  reader.check_count();
  return std::move(spool).blocks(parts.file().name);
}

}  // namespace aqbench
