#include "scenes/cloud/colmap.h"

#include <cmath>

#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::size_t kImageWords = 10;  // ID QW QX QY QZ TX TY TZ CAMERA NAME

bool is_binary(const std::filesystem::path& file) { return lower_case(file.extension().string()) == ".bin"; }

bool is_whole(std::string_view word) { return parse_whole<std::uint64_t>(word).has_value(); }

// Splits at blanks; the last of kImageWords words is the rest of the line.
std::vector<std::string_view> first_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (words.size() + 1 < kImageWords) {
    const std::string_view word = take_word(line);
    if (word.empty()) return words;
    words.push_back(word);
  }
  if (const std::string_view rest = trim_blanks(line); !rest.empty()) words.push_back(rest);
  return words;
}

// Whether a line may hold the points of an image, "X Y POINT3D" again and again.
bool may_be_points(std::string_view line) {
  std::size_t count = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line), ++count)
    if (count % 3 == 2 ? word != "-1" && !is_whole(word) : !parse_double(word)) return false;
  return count > 0 && count % 3 == 0;
}

ColmapImage text_image(const ColmapText& in, std::string_view line) {
  const auto words = first_words(line);
  if (words.size() != kImageWords) in.lines().fail("expected IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME");
  ColmapImage image;
  image.id = in.id(words[0], "IMAGE_ID");
  for (std::size_t i = 0; i < 4; ++i) image.quaternion_wxyz[i] = in.number(words[1 + i]);
  for (std::size_t i = 0; i < 3; ++i) image.translation[i] = in.number(words[5 + i]);
  image.camera_id = in.id(words[8], "CAMERA_ID");
  image.name = words[9];
  return image;
}

std::vector<ColmapImage> text_images(const std::filesystem::path& file) {
  ColmapText in(file, "images");
  std::vector<ColmapImage> images;
  std::string_view line;
  for (bool more = in.next(line); more;) {
    images.push_back(text_image(in, line));
    more = in.next(line, true);
    if (!more) break;
    const bool points = may_be_points(line);
    if (points && is_colmap_image_line(line))
      in.lines().fail(
          "may be an image, or the points of the image before: write a line of points after each");
    if (points || line.empty()) more = in.next(line);
  }
  in.check_count(images.size());
  return images;
}

std::vector<ColmapImage> binary_images(const std::filesystem::path& file) {
  ColmapBinary in(file);
  std::vector<ColmapImage> images;
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    ColmapImage& image = images.emplace_back();
    image.id = in.next<std::uint32_t>();
    for (double& value : image.quaternion_wxyz) value = in.number();
    for (double& value : image.translation) value = in.number();
    image.camera_id = in.next<std::uint32_t>();
    image.name = in.text();
    in.skip(in.next<std::uint64_t>(), 24);  // x, y, point
  }
  in.finish();
  return images;
}

PointCloud text_points(const std::filesystem::path& file) {
  ColmapText in(file, "points");
  PointCloud cloud;
  std::string_view line;
  while (in.next(line)) {
    const auto words = split_words(line);
    if (words.size() < 8 || words.size() % 2 != 0)
      in.lines().fail("expected POINT3D_ID X Y Z R G B ERROR TRACK[] as COLMAP writes them");
    if (!is_whole(words[0])) in.lines().fail("POINT3D_ID: '{}' is not a whole number", words[0]);
    cloud.points_m.emplace_back(in.number(words[1]), in.number(words[2]), in.number(words[3]));
    Rgb& colour = cloud.colours.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t level = in.lines().count(words[4 + i], "colour");
      if (level > 255) in.lines().fail("colour: {} is not from 0 to 255", level);
      colour[i] = static_cast<std::uint8_t>(level);
    }
  }
  in.check_count(cloud.points_m.size());
  return cloud;
}

PointCloud binary_points(const std::filesystem::path& file) {
  ColmapBinary in(file);
  PointCloud cloud;
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    in.next<std::uint64_t>();  // its number
    Vec3& point = cloud.points_m.emplace_back();
    for (double& value : point) value = in.number();
    cloud.colours.push_back(in.next<Rgb>());
    in.skip(1, 8);                         // error
    in.skip(in.next<std::uint64_t>(), 8);  // image, index
  }
  in.finish();
  return cloud;
}

}  // namespace

// ---- Binary ----

ColmapBinary::ColmapBinary(const std::filesystem::path& file)
    : name_(file.string()), bytes_(read_file(file)) {}

const char* ColmapBinary::take(std::size_t size) {
  if (bytes_.size() - at_ < size) fail("is cut short");
  at_ += size;
  return bytes_.data() + at_ - size;
}

double ColmapBinary::number() {
  const auto value = next<double>();
  if (!std::isfinite(value)) fail("a number is not finite");
  return value;
}

void ColmapBinary::skip(std::uint64_t count, std::uint64_t size) {
  if (count > (bytes_.size() - at_) / size) fail("is cut short");
  at_ += count * size;
}

std::string ColmapBinary::text() {
  const std::size_t end = bytes_.find('\0', at_);
  if (end == std::string::npos) fail("is cut short");
  std::string value = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return value;
}

void ColmapBinary::finish() const {
  if (at_ != bytes_.size()) fail("has data after its last entry");
}

// ---- Text ----

ColmapText::ColmapText(const std::filesystem::path& file, std::string what)
    : bytes_(read_text_file(file)), what_(std::move(what)), lines_(bytes_, file.string()) {}

bool ColmapText::next(std::string_view& line, bool also_empty) {
  while (lines_.next(line)) {
    if (!line.starts_with('#')) {
      if (also_empty || !line.empty()) return true;
      continue;
    }
    const std::string mark = fmt::format("Number of {}:", what_);
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    std::string_view number = trim_blanks(line.substr(at + mark.size()));
    number = number.substr(0, number.find_first_not_of("0123456789"));
    if (!number.empty()) promised_ = lines_.count(number, mark);
  }
  return false;
}

void ColmapText::check_count(std::size_t entries) const {
  if (promised_ && *promised_ != entries)
    lines_.fail("the file's comments promise {} {}, but there are {}", *promised_, what_, entries);
}

double ColmapText::number(std::string_view word) const {
  const auto value = parse_double(word);
  if (!value || !std::isfinite(*value)) lines_.fail("'{}' is not a finite number", word.substr(0, 40));
  return *value;
}

std::uint32_t ColmapText::id(std::string_view word, std::string_view what) const {
  const std::uint64_t value = lines_.count(word, what);
  if (value > UINT32_MAX) lines_.fail("{}: {} is larger than 32 bits hold", what, value);
  return static_cast<std::uint32_t>(value);
}

// ---- Files ----

bool is_colmap_image_line(std::string_view line) {
  const auto words = first_words(line);
  if (words.size() != kImageWords || !is_whole(words[0]) || !is_whole(words[8])) return false;
  double norm2 = 0;
  for (std::size_t i = 1; i < 8; ++i) {
    const auto value = parse_double(words[i]);
    if (!value) return false;
    if (i < 5) norm2 += *value * *value;
  }
  return std::abs(norm2 - 1) < 0.01;
}

std::vector<ColmapImage> read_colmap_images(const std::filesystem::path& file) {
  return is_binary(file) ? binary_images(file) : text_images(file);
}

PointCloud read_colmap_points(const std::filesystem::path& file) {
  return is_binary(file) ? binary_points(file) : text_points(file);
}

bool is_colmap_points(const std::filesystem::path& file, std::string_view start) {
  const bool has_ending = is_binary(file) || lower_case(file.extension().string()) == ".txt";
  if (has_ending && lower_case(file.stem().string()).starts_with("points3d")) return true;
  return start.starts_with('#') && start.find("POINT3D_ID, X, Y, Z") != std::string_view::npos;
}

}  // namespace aqbench
