#include "metrics/protocols/scan_project.h"

#include <utility>

#include "scenes/cloud/scan_project.h"

namespace aqbench {
<<<<<<< HEAD
namespace {

// Returns what stands between `before` and `after`, and cuts `text` behind it; nullopt if it is not there.
std::optional<std::string_view> take_between(std::string_view& text, std::string_view before,
                                             std::string_view after) {
  const std::size_t first = text.find(before);
  if (first == text.npos) return std::nullopt;
  const std::size_t begin = first + before.size(), end = text.find(after, begin);
  if (end == text.npos) return std::nullopt;
  const std::string_view found = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return found;
}

Eigen::Matrix4d matrix_of(std::string_view text, const std::string& source) {
  Eigen::Matrix4d matrix;
  int count = 0;
  for (std::size_t begin = text.find_first_not_of(" \t\r\n"); begin != text.npos;
       begin = text.find_first_not_of(" \t\r\n", begin)) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    const auto number = parse_double(text.substr(begin, end - begin));
    if (!number || !std::isfinite(*number) || count == 16)
      throw Error(ErrorKind::input, source + ": MLMatrix44: expected 16 numbers", source);
    matrix(count / 4, count % 4) = *number;
    ++count;
    begin = end;
  }
  if (count != 16) throw Error(ErrorKind::input, source + ": MLMatrix44: expected 16 numbers", source);
  const Eigen::Matrix3d turn = matrix.topLeftCorner<3, 3>();
  const double off = (turn * turn.transpose() - Eigen::Matrix3d::Identity()).norm();
  if (off > 1e-3 || turn.determinant() < 0 || matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    throw Error(ErrorKind::input, source + ": MLMatrix44: not a rotation and a shift", source);
  return matrix;
}

// Returns the value of an attribute in either quotes, with the five entities of XML resolved.
std::optional<std::string> attribute_of(std::string_view element, const std::string& name,
                                        const std::string& source) {
  std::optional<std::string_view> quoted = take_between(element, name + "=\"", "\"");
  if (!quoted) quoted = take_between(element, name + "='", "'");
  if (!quoted) return std::nullopt;
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string value;
  for (std::size_t at = 0; at < quoted->size(); ++at) {
    const std::string_view rest = quoted->substr(at);
    const auto* const entity =
        std::ranges::find_if(kEntities, [&](const auto& known) { return rest.starts_with(known.first); });
    if (entity == std::end(kEntities) && rest[0] == '&')
      throw Error(ErrorKind::input,
                  fmt::format("{}: {}: '{}' is not one of XML's five entities", source, name,
                              printable(rest.substr(0, rest.find(';') + 1))),
                  source);
    value += entity == std::end(kEntities) ? rest[0] : entity->second;
    if (entity != std::end(kEntities)) at += entity->first.size() - 1;
  }
  return value;
}

}  // namespace
=======
>>>>>>> fb21707104f3a99472d6d94a128aba9c02e071c9

std::vector<BeamScan> read_scan_project(const std::filesystem::path& path, double metres_per_unit) {
  std::vector<BeamScan> scans;
  for (const ProjectScan& one : scans_of_project(path)) {
    BeamScan scan;
    scan.world_from_scanner = one.world_from_scanner;
    scan.world_from_scanner.topRightCorner<3, 1>() *= metres_per_unit;
    scan.points_m = read_cloud_file(one.file).cloud.points_m;
    for (Vec3& point : scan.points_m) point *= metres_per_unit;
    scans.push_back(std::move(scan));
  }
  return scans;
}

}  // namespace aqbench
