#include "scenes/cloud/scan_project.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace aqbench {
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

Eigen::Matrix4d project_matrix(std::string_view text, const std::string& source) {
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

std::vector<ProjectScan> scans_of_project(const std::filesystem::path& project) {
  const std::string bytes = read_file(project);
  std::string_view rest = bytes;
  std::vector<ProjectScan> scans;
  while (auto mesh = take_between(rest, "<MLMesh ", "</MLMesh>")) {
    const auto file = attribute_of(*mesh, "filename", project.string());
    if (!file) throw Error(ErrorKind::input, project.string() + ": MLMesh: no filename", project.string());
    ProjectScan& scan = scans.emplace_back();
    scan.file = project.parent_path() / *file;
    if (const auto matrix = take_between(*mesh, "<MLMatrix44>", "</MLMatrix44>"))
      scan.world_from_scanner = project_matrix(*matrix, project.string());
  }
  if (scans.empty()) throw Error(ErrorKind::input, project.string() + ": no scan (MLMesh)", project.string());
  return scans;
}

std::vector<Scan> read_scans(const std::filesystem::path& file, double metres_per_unit) {
  if (lower_case(file.extension().string()) != ".mlp") return {read_scan(file, metres_per_unit)};
  std::vector<Scan> scans;
  for (const ProjectScan& one : scans_of_project(file)) {
    Scan& scan = scans.emplace_back(read_scan(one.file, metres_per_unit));
    const Eigen::Matrix3d turn = one.world_from_scanner.topLeftCorner<3, 3>();
    const Vec3 shift_m = metres_per_unit * one.world_from_scanner.topRightCorner<3, 1>();
    for (Vec3& point : scan.cloud.points_m) point = turn * point + shift_m;
    for (Vec3& normal : scan.cloud.normals) normal = turn * normal;
    scan.scanner_m = shift_m;
  }
  return scans;
}

}  // namespace aqbench
