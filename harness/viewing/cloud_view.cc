#include "harness/viewing/cloud_view.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"

namespace aqbench {
namespace {

constexpr std::string_view kMagic = "aqbench-view 1\n";
constexpr const char *kColours = "rgb565", *kAgreement = "agreement";
constexpr std::uint64_t kMaxElements = 20'000'000;

void put_varint(std::string& bytes, std::int64_t value) {
  auto zigzag = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (zigzag >= 0x80) {
    bytes += static_cast<char>(zigzag | 0x80);
    zigzag >>= 7;
  }
  bytes += static_cast<char>(zigzag);
}

template <class Triple>
std::string differences(const std::vector<Triple>& values) {
  std::string bytes;
  std::array<std::int64_t, 3> last{};
  for (const Triple& value : values)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      put_varint(bytes, static_cast<std::int64_t>(value[axis]) - last[axis]);
      last[axis] = value[axis];
    }
  return bytes;
}

// Triangles differ least from their own first corner.
std::string triangle_bytes(const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  std::string bytes;
  std::int64_t last = 0;
  for (const auto& triangle : triangles)
    for (const std::uint32_t corner : triangle) {
      put_varint(bytes, static_cast<std::int64_t>(corner) - last);
      last = corner;
    }
  return bytes;
}

class ViewReader {
 public:
  ViewReader(std::string_view rest, std::string source) : rest_(rest), source_(std::move(source)) {}

  [[noreturn]] void fail(const char* what) const { throw Error(ErrorKind::input, source_ + ": " + what); }

  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail("is not a cloud view: ends inside its header");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::int64_t varint() {
    std::uint64_t zigzag = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (rest_.empty()) fail("is not a cloud view: too short");
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      zigzag |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return static_cast<std::int64_t>(zigzag >> 1) ^ -static_cast<std::int64_t>(zigzag & 1);
    }
    fail("is not a cloud view: a number is too long");
  }

  std::vector<GridPoint> points(std::uint64_t count) {
    reserve(count, 3);
    std::vector<GridPoint> found(count);
    std::array<std::int64_t, 3> last{};
    for (GridPoint& point : found)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        last[axis] += varint();
        if (std::abs(last[axis]) > (1 << 30)) fail("is not a cloud view: a point is too far away");
        point[axis] = static_cast<std::int32_t>(last[axis]);
      }
    return found;
  }

  template <class Byte>
  std::vector<Byte> bytes(std::uint64_t count) {
    reserve(count, 1);
    std::vector<Byte> found(count);
    std::ranges::transform(rest_.substr(0, count), found.begin(),
                           [](char c) { return static_cast<Byte>(c); });
    rest_.remove_prefix(count);
    return found;
  }

  std::vector<std::uint16_t> words(std::uint64_t count) {
    const std::vector<std::uint8_t> halves = bytes<std::uint8_t>(2 * count);
    std::vector<std::uint16_t> found(count);
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] = static_cast<std::uint16_t>(halves[2 * i] | halves[2 * i + 1] << 8);
    return found;
  }

  std::vector<std::array<std::uint32_t, 3>> triangles(std::uint64_t count, std::uint64_t vertices) {
    reserve(count, 3);
    std::vector<std::array<std::uint32_t, 3>> found(count);
    std::int64_t last = 0;
    for (auto& triangle : found)
      for (std::uint32_t& corner : triangle) {
        last += varint();
        if (last < 0 || static_cast<std::uint64_t>(last) >= vertices)
          fail("is not a cloud view: a triangle has an unknown corner");
        corner = static_cast<std::uint32_t>(last);
      }
    return found;
  }

  void expect_end() const {
    if (!rest_.empty()) fail("is not a cloud view: bytes after its end");
  }

 private:
  void reserve(std::uint64_t count, std::uint64_t least_bytes) const {
    if (count > kMaxElements || count * least_bytes > rest_.size()) fail("is not a cloud view: too short");
  }

  std::string_view rest_;
  std::string source_;
};

}  // namespace

std::size_t stride_for(std::size_t count, std::size_t most) {
  return most == 0 ? count + 1 : std::max<std::size_t>(1, (count + most - 1) / most);
}

std::int8_t error_code(double error_mm) {
  const double share = std::min(1.0, std::abs(error_mm) / kViewError_mm);
  const double code = std::round(127 * std::sqrt(share));
  return static_cast<std::int8_t>(error_mm < 0 ? -code : code);
}

double error_of_code(std::int8_t code) {
  const double share = code / 127.0;
  return std::copysign(kViewError_mm * share * share, share);
}

std::int8_t agreement_code(double likeness) {
  return std::isnan(likeness) ? kUnknownAgreement
                              : static_cast<std::int8_t>(std::lround(127 * std::clamp(likeness, -1.0, 1.0)));
}

double agreement_of_code(std::int8_t code) { return code == kUnknownAgreement ? std::nan("") : code / 127.0; }

std::uint16_t colour_code(const std::array<std::uint8_t, 3>& rgb) {
  const auto level = [](int value, int most) { return (value * most + 127) / 255; };
  return static_cast<std::uint16_t>(level(rgb[0], 31) << 11 | level(rgb[1], 63) << 5 | level(rgb[2], 31));
}

std::string encode_view(const CloudView& view) {
  Json header = {{"step_mm", kViewStep_mm},
                 {"error_mm", kViewError_mm},
                 {"origin_mm", view.origin_mm},
                 {"scored", view.scored},
                 {"far", view.far},
                 {"points", view.points.size()},
                 {"holes", view.holes.size()},
                 {"vertices", view.vertices.size()},
                 {"triangles", view.triangles.size()}};
  if (!view.colours.empty()) header["colours"] = kColours;
  if (view.is_agreement) header["values"] = kAgreement;
  if (!view.rays.empty()) header["rays"] = view.rays.size();
  std::string line = header.dump();
  line.back() = ',';  // in place of the closing brace
  line += "\"scene\":" + (view.scene_json.empty() ? "{}" : view.scene_json) + "}\n";
  const auto append = [](std::string& bytes, const auto& values) {
    for (const auto value : values) bytes += static_cast<char>(value);
  };
  std::string bytes = std::string(kMagic) + line + differences(view.points);
  append(bytes, view.errors);
  append(bytes, view.marks);
  for (const std::uint16_t colour : view.colours) {
    bytes += static_cast<char>(colour & 0xff);
    bytes += static_cast<char>(colour >> 8);
  }
  bytes += differences(view.holes);
  append(bytes, view.causes);
  bytes += differences(view.vertices);
  append(bytes, view.vertex_errors);
  return bytes + triangle_bytes(view.triangles) + differences(view.rays);
}

CloudView decode_view(std::string_view bytes, const std::string& source) {
  ViewReader reader(bytes, source);
  if (std::string(reader.line()) + "\n" != kMagic) reader.fail("is not a cloud view: unknown version");
  const Json json = parse_strict_json(reader.line(), source);
  const JsonPlace header(json, source);
  CloudView view;
  if (header.at("step_mm").number() != kViewStep_mm || header.at("error_mm").number() != kViewError_mm)
    reader.fail("is not a cloud view: other units");
  const auto origin = header.at("origin_mm").elements();
  if (origin.size() != 3) reader.fail("origin_mm: expected three numbers");
  for (std::size_t axis = 0; axis < 3; ++axis) view.origin_mm[axis] = origin[axis].number();
  view.scored = header.at("scored").count();
  view.far = header.at("far").count();
  header.at("scene").members();
  view.scene_json = header.at("scene").value().dump();
  const std::uint64_t points = header.at("points").count(), holes = header.at("holes").count();
  const std::uint64_t vertices = header.at("vertices").count(), triangles = header.at("triangles").count();
  view.points = reader.points(points);
  view.errors = reader.bytes<std::int8_t>(points);
  view.marks = reader.bytes<std::uint8_t>(points);
  if (json.contains("colours")) {
    if (header.at("colours").text() != kColours) reader.fail("is not a cloud view: other colours");
    view.colours = reader.words(points);
  }
  if (json.contains("values")) {
    if (header.at("values").text() != kAgreement) reader.fail("is not a cloud view: other values");
    view.is_agreement = true;
  }
  view.holes = reader.points(holes);
  view.causes = reader.bytes<std::uint8_t>(holes);
  view.vertices = reader.points(vertices);
  view.vertex_errors = reader.bytes<std::int8_t>(vertices);
  view.triangles = reader.triangles(triangles, vertices);
  if (json.contains("rays")) view.rays = reader.points(header.at("rays").count());
  reader.expect_end();
  return view;
}

CloudView thinned(const CloudView& view, std::size_t every, std::size_t most_holes) {
  CloudView thin;
  thin.origin_mm = view.origin_mm;
  thin.scored = view.scored;
  thin.far = view.far;
  thin.scene_json = view.scene_json;
  thin.rays = view.rays;
  thin.is_agreement = view.is_agreement;
  for (std::size_t i = 0; i < view.points.size(); i += std::max<std::size_t>(every, 1)) {
    thin.points.push_back(view.points[i]);
    thin.errors.push_back(view.errors[i]);
    thin.marks.push_back(view.marks[i]);
    if (!view.colours.empty()) thin.colours.push_back(view.colours[i]);
  }
  for (std::size_t i = 0; i < view.holes.size(); i += stride_for(view.holes.size(), most_holes)) {
    thin.holes.push_back(view.holes[i]);
    thin.causes.push_back(view.causes[i]);
  }
  return thin;
}

}  // namespace aqbench
