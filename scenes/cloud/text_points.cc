#include "scenes/cloud/text_points.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/text.h"
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

constexpr std::array<std::string_view, 9> kColumnNames = {"x", "y", "z", "nx", "ny", "nz", "r", "g", "b"};
constexpr std::array<std::string_view, 3> kColours = {"red", "green", "blue"};

// Which columns hold x y z, nx ny nz and r g b, and how many there are.
struct ColumnPlaces {
  std::array<std::size_t, 9> of = {0, 1, 2, kNoColumn, kNoColumn, kNoColumn, kNoColumn, kNoColumn, kNoColumn};
  std::size_t columns = 0;

  bool has(std::size_t known) const { return of[known] != kNoColumn; }
  bool has_three(std::size_t first) const { return has(first) && has(first + 1) && has(first + 2); }
  bool xyz_in_front() const { return of[0] == 0 && of[1] == 1 && of[2] == 2; }
};

// A column's name without quotation marks, number and unit: "X [m]", "x_m" and "2:x" are x.
std::string column_name(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  if (digits > 0 && digits < word.size() && word[digits] == ':') word.remove_prefix(digits + 1);
  std::string name = lower_case(trim_blanks(word.substr(0, word.find_first_of("[("))));
  std::erase(name, '"');
  if (name.size() > 2 && name.ends_with("_m")) name.resize(name.size() - 2);
  for (std::size_t i = 0; i < kColours.size(); ++i)
    if (name == kColours[i]) return std::string(kColumnNames[6 + i]);
  return name;
}

// Reads one point a line, and checks each line against those before it.
class TextPointsReader {
 public:
  // `bytes` are the first lines.
  TextPointsReader(std::string_view bytes, const std::string& name, const TextForm& form)
      : lines_(bytes, name), form_(form) {
    if (form.columns) std::ranges::copy(*form.columns, places_.of.begin());
    says_columns_ = form.columns.has_value();
  }

  void go_on(std::string_view lines) { lines_.go_on(lines); }

  // Returns the points of these lines.
  PointCloud read() {
    PointCloud cloud;
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty()) continue;
      if (line.starts_with('#') || line.starts_with("//"))
        note_comment(line);
      else if (!parse_count(line) && !parse_names(line))
        parse_point(line, cloud);
    }
    return cloud;
  }

  // Called after the last lines.
  void finish() const {
    if (promised_ && *promised_ != points_)
      lines_.fail("the first line promises {} points, but there are {}", *promised_, points_);
    if (says_columns_ || points_ < 3) return;
    constexpr const char* kSayColumns =
        "name the columns in the first line (id x y z), or say which are x, y and z, from 1: --columns 2,3,4 "
        "of a cloud, --truth-columns of a truth";
    if (begins_with_id_ && places_.columns > 3)
      lines_.fail("a comment calls the first column an id, but not which are x, y and z: {}", kSayColumns);
    if (counts_points_)
      lines_.fail("the first of {} columns counts the points from {} and may not be x: {}", places_.columns,
                  first_number_, kSayColumns);
    if (like_colmap_)
      lines_.fail(
          "the lines look like those of COLMAP's points3D.txt, whose first column is not x: call "
          "the file points3D.txt; or {}",
          kSayColumns);
  }

  [[noreturn]] void fail(std::string_view what) const { lines_.fail(what); }

 private:
  // Returns whether this is the first line and holds the number of points.
  bool parse_count(std::string_view line) {
    if (!form_.count_allowed || promised_ || places_.columns != 0) return false;
    promised_ = parse_whole<std::uint64_t>(line);
    return promised_.has_value();
  }

  // Returns where the columns are that a line names; nullopt unless it names x, y and z. In a comment every
  // word must be a name.
  std::optional<ColumnPlaces> named_columns(std::string_view line, bool comment) const {
    ColumnPlaces named;
    named.of.fill(kNoColumn);
    const char separator = separator_of(line);
    for (bool more = true; more; ++named.columns) {
      std::string_view word = take_column(line, separator, more);
      while (comment && more && word.starts_with('[')) word = take_column(line, separator, more);  // a unit
      if (comment && word.starts_with('[')) break;
      const std::string name = column_name(word);
      if (comment && name.empty() && !more) break;  // a separator at the end
      if (comment && (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0))
        return std::nullopt;
      const auto known =
          static_cast<std::size_t>(std::ranges::find(kColumnNames, name) - kColumnNames.begin());
      if (known == kColumnNames.size()) continue;
      if (named.has(known) && comment) return std::nullopt;
      if (named.has(known)) lines_.fail("two columns are called {}", name);
      named.of[known] = named.columns;
    }
    return named.has_three(0) ? std::optional(named) : std::nullopt;
  }

  void note_comment(std::string_view line) {
    if (places_.columns != 0 || form_.columns) return;
    line.remove_prefix(std::min(line.find_first_not_of("#/ \t"), line.size()));
    line = trim_blanks(line.substr(line.find(':') + 1));  // "# columns: x y z"
    if (const auto named = named_columns(line, true)) commented_ = named;
    bool more = true;
    std::string_view rest = line;
    const std::string first = column_name(take_column(rest, separator_of(line), more));
    constexpr std::array kIds = {"id", "index", "idx", "point_id", "pointid", "point3d_id", "nr", "no"};
    begins_with_id_ = begins_with_id_ || std::ranges::find(kIds, first) != kIds.end();
  }

  // Returns whether this is the first line and names the columns x, y and z. Where the caller says them, it
  // may have any names.
  bool parse_names(std::string_view line) {
    if (places_.columns != 0 || has_names_) return false;
    if (form_.columns) {
      bool more = true;
      has_names_ = !parse_double(take_column(line, separator_of(line), more));
      return has_names_;
    }
    const auto named = named_columns(line, false);
    if (!named) return false;
    places_ = *named;
    commented_.reset();
    says_columns_ = has_names_ = true;
    return true;
  }

  // The first point says how many columns there are, and whether a comment names them; words before their
  // names ("# format x y z") are passed over.
  void take_first(std::size_t columns) {
    if (commented_) drop_words(commented_->columns - std::min(columns, commented_->columns));
    if (commented_ && commented_->columns == columns) {
      places_ = *commented_;
      says_columns_ = true;
    } else if (commented_ && !commented_->xyz_in_front()) {
      lines_.fail("{} columns, but a comment names {}, x, y and z not in front", columns,
                  commented_->columns);
    }
    const std::size_t last = std::max({places_.of[0], places_.of[1], places_.of[2]});
    if (columns < 3) lines_.fail("{} columns, not x y z", columns);
    if (last >= columns) lines_.fail("{} columns: there is no column {}", columns, last + 1);
    places_.columns = columns;
  }

  void drop_words(std::size_t count) {
    if (std::ranges::min(std::span(commented_->of).first(3)) < count) return;
    for (std::size_t& place : commented_->of)
      place = place == kNoColumn || place < count ? kNoColumn : place - count;
    commented_->columns -= count;
  }

  void parse_point(std::string_view line, PointCloud& cloud) {
    const char separator = separator_of(line);
    values_.clear();
    for (bool more = true; more;) {
      const std::string_view word = take_column(line, separator, more);
      const auto value = parse_double(word);
      if (!value) lines_.fail("column {}: '{}' is not a number", values_.size() + 1, word);
      values_.push_back(*value);
    }
    if (places_.columns == 0) take_first(values_.size());
    if (values_.size() < 3) lines_.fail("{} columns, not x y z", values_.size());
    if (values_.size() != places_.columns)
      lines_.fail("{} columns, but {} on the lines before", values_.size(), places_.columns);
    const auto vector = [&](std::size_t first) {
      return Vec3(values_[places_.of[first]], values_[places_.of[first + 1]], values_[places_.of[first + 2]]);
    };
    cloud.points_m.push_back(vector(0));
    if (places_.has_three(3)) cloud.normals.push_back(vector(3));
    if (places_.has_three(6)) add_colour(vector(6), cloud);
    if (!says_columns_) look_for_numbers();
    ++points_;
  }

  static void add_colour(const Vec3& levels, PointCloud& cloud) {
    Rgb& colour = cloud.colours.emplace_back();
    for (std::size_t i = 0; i < 3; ++i)
      if (const double level = levels[static_cast<Eigen::Index>(i)]; level > 0)
        colour[i] = static_cast<std::uint8_t>(std::min(level, 255.0));
  }

  // Looks whether the first column may be the number of a point.
  void look_for_numbers() {
    if (points_ == 0) first_number_ = values_[0];
    counts_points_ = counts_points_ && values_.size() > 3 && first_number_ == std::floor(first_number_) &&
                     values_[0] == first_number_ + static_cast<double>(points_);
    const auto whole = [&](std::size_t i, double most) {
      return values_[i] >= 0 && values_[i] <= most && values_[i] == std::floor(values_[i]);
    };
    like_colmap_ = like_colmap_ && values_.size() >= 10 && values_.size() % 2 == 0 && whole(0, 1e18) &&
                   whole(4, 255) && whole(5, 255) && whole(6, 255);
    for (std::size_t i = 8; like_colmap_ && i < values_.size(); ++i) like_colmap_ = whole(i, 1e18);
  }

  TextLines lines_;
  TextForm form_;
  ColumnPlaces places_;                    // 0 columns: no line says how many
  std::optional<ColumnPlaces> commented_;  // what a comment says
  bool says_columns_ = false, has_names_ = false, begins_with_id_ = false;
  bool counts_points_ = true, like_colmap_ = true;  // so far
  double first_number_ = 0;
  std::vector<double> values_;  // of a line
  std::optional<std::uint64_t> promised_;
  std::uint64_t points_ = 0;
};

// The points that a text may have, by the length of its first lines.
std::uint64_t guessed_points(std::string_view start, std::uint64_t bytes) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(start, '\n'));
  return lines == 0 ? 0 : bytes / std::max<std::uint64_t>(start.size() / lines, 1);
}

}  // namespace

PointCloud read_text_points(std::string_view bytes, const std::string& name, const TextForm& form) {
  TextPointsReader reader(bytes, name, form);
  PointCloud cloud = reader.read();
  reader.finish();
  return cloud;
}

std::shared_ptr<const CloudBlocks> open_text_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                    const TextForm& form, std::size_t part_bytes) {
  TextParts parts(open_file(path), 0, '\n', part_bytes);
  if (!parts.next() || guessed_points(parts.lines(), parts.file().bytes) < at_least) return nullptr;
  PointSpool spool;
  TextPointsReader reader(parts.lines(), parts.file().name, form);
  for (bool more = true; more;) {
    spool.append(reader.read());
    more = parts.next();
    if (more && parts.lines().empty()) reader.fail(long_line_text(part_bytes));
    if (more) reader.go_on(parts.lines());
  }
  reader.finish();
  return std::move(spool).blocks(parts.file().name);
}

}  // namespace aqbench
