#include "reports/exports/paper.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/drawing/colour_map.h"
#include "core/error.h"
#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "metrics/value_change.h"
#include "reports/content/case_columns.h"
#include "reports/content/environment_text.h"
#include "reports/content/method_tables.h"

namespace aqbench {
namespace {

std::string method_of(const Record& record) {
  if (!record.workload.empty()) return record.workload;
  return record.preset.empty() ? record.method : record.method + ":" + record.preset;
}

std::string latex_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      safe += fmt::format("\\{}{{}}", c);
    else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

const Metric* value_of(const Record& record, const std::string& name) {
  const Metric* const metric = find_metric(record.metrics, name);
  return metric != nullptr && metric->value ? metric : nullptr;
}

// The best value of a metric among the records of one ranking; nullopt where nothing is better or there are
// fewer than two.
std::optional<double> best_of(const Results& results, const std::string& name, const std::string& ranking) {
  std::optional<double> best;
  if (!is_ranked(name)) return best;
  std::size_t count = 0;
  for (const Record& record : results.records) {
    const Metric* const metric = ranking_of(record) == ranking ? value_of(record, name) : nullptr;
    if (metric == nullptr) continue;
    if (metric->better == Better::equal && !metric_ideal(name)) return std::nullopt;
    ++count;
    if (!best || worsening(name, metric->better, *best, *metric->value) < 0) best = metric->value;
  }
  return count < 2 ? std::nullopt : best;
}

void put_float(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
}

Rgb8 rgb_of_code(std::uint16_t code) {
  const auto level = [](int part, int most) {
    return static_cast<std::uint8_t>((part * 255 + most / 2) / most);
  };
  return {level(code >> 11, 31), level(code >> 5 & 63, 63), level(code & 31, 31)};
}

constexpr double kShownDepth_m = 0.06;

struct ShownCamera {
  std::string name;
  Eigen::Vector3d centre_m;
  std::array<Eigen::Vector3d, 4> corners;  // directions of depth 1 to the corners of the image, world frame
};

std::vector<ShownCamera> cameras_of(const CloudView& view, const std::string& source) {
  if (view.scene_json.empty()) return {};
  const Json scene = parse_strict_json(view.scene_json, source);
  if (!scene.contains("cameras")) return {};
  const JsonPlace root(scene, source);
  std::vector<ShownCamera> found;
  for (const JsonPlace& one : root.at("cameras").elements()) {
    ShownCamera camera{one_line(one.at("name").text()), {}, {}};
    const auto centre = one.at("centre_mm").elements(), corners = one.at("corners").elements();
    if (centre.size() != 3 || corners.size() != 12)
      throw Error(ErrorKind::input, source + ": cameras: expected 3 and 12 numbers");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<Eigen::Index>(axis);
      camera.centre_m[at] = (view.origin_mm[axis] + centre[axis].number()) / 1000;
      for (std::size_t corner = 0; corner < 4; ++corner)
        camera.corners[corner][at] = corners[3 * corner + axis].number();
    }
    found.push_back(std::move(camera));
  }
  return found;
}

// The corners go around the image from its beginning: to the right, down, back.
Eigen::Quaterniond world_from_camera(const ShownCamera& camera) {
  const Eigen::Vector3d right =
      (camera.corners[1] - camera.corners[0] + camera.corners[2] - camera.corners[3]).normalized();
  Eigen::Vector3d down = camera.corners[3] - camera.corners[0] + camera.corners[2] - camera.corners[1];
  down = (down - down.dot(right) * right).normalized();
  Eigen::Matrix3d axes;
  axes << right, down, right.cross(down);
  Eigen::Quaterniond rotation(axes);
  if (rotation.w() < 0) rotation.coeffs() = -rotation.coeffs();
  return rotation;
}

}  // namespace

std::string results_csv(const Results& results) {
  std::string text = "case,scene,method,status,metric,value,unit,better,reason\r\n";
  for (const Record& record : results.records) {
    const std::string head = fmt::format("{},{},{},{}", csv_field(record.case_name), csv_field(record.scene),
                                         csv_field(method_of(record)), to_string(record.status));
    if (record.metrics.empty()) text += fmt::format("{},,,,,{}\r\n", head, csv_field(record.reason));
    for (const auto& [name, metric] : record.metrics)
      text += fmt::format("{},{},{},{},{},{}\r\n", head, csv_field(name),
                          metric.value ? fmt::format("{}", *metric.value) : "", csv_field(metric.unit),
                          to_string(metric.better), csv_field(metric.value ? "" : metric.reason));
    if (const auto ms = typical_ms(record.timing))
      text += fmt::format("{},time_ms,{},ms,lower,\r\n", head, *ms);
  }
  return text;
}

// Imported numbers: a table of methods and scenes for each metric.
static std::string methods_latex(const Results& results, const std::vector<MethodTable>& tables) {
  std::string text = fmt::format("% {}; needs \\usepackage{{booktabs}}\n", latex_text(run_title(results)));
  for (const MethodTable& table : tables) {
    text += fmt::format("% {}\n\\begin{{tabular}}{{l{}}}\n\\toprule\nmethod", latex_text(table.title),
                        std::string(table.scenes.size(), 'r'));
    for (const std::string& scene : table.scenes) text += " & " + latex_text(scene);
    text += " \\\\\n\\midrule\n";
    for (std::size_t i = 0; i < table.methods.size(); ++i) {
      text += latex_text(table.methods[i]);
      for (const MethodCell& cell : table.cells[i]) {
        std::string shown = cell.text;
        if (const std::size_t at = shown.find("±"); at != shown.npos)
          shown.replace(at, std::string_view("±").size(), "$\\pm$");
        text += cell.best ? fmt::format(" & \\textbf{{{}}}", shown) : " & " + shown;
      }
      text += " \\\\\n";
    }
    text += "\\bottomrule\n\\end{tabular}\n";
  }
  return text;
}

std::string results_latex(const Results& results) {
  if (const auto tables = method_tables(results); !tables.empty()) return methods_latex(results, tables);
  const std::vector<MetricColumn> columns = metric_columns(results);
  const CaseLabels labels = label_cases(group_cases(results));
  std::string text = fmt::format(
      "% {} of suite {}; needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\ncase",
      latex_text(results.run.id), latex_text(results.run.suite), std::string(columns.size(), 'r'));
  for (const MetricColumn& column : columns) text += " & " + latex_text(column.title);
  text += " \\\\\n\\midrule\n";
  std::map<std::pair<std::string, std::string>, std::optional<double>> best;  // of ranking and metric
  for (const Record& record : results.records)
    for (const MetricColumn& column : columns)
      if (const auto [place, is_new] = best.try_emplace({ranking_of(record), column.metric}); is_new)
        place->second = best_of(results, column.metric, ranking_of(record));
  for (const Record& record : results.records) {
    text += latex_text(labels.of.at(record.case_name));
    for (const MetricColumn& column : columns) {
      const Metric* const metric = value_of(record, column.metric);
      const std::string value = metric == nullptr ? "n/a" : table_number(*metric->value);
      const bool bold = metric != nullptr && best.at({ranking_of(record), column.metric}) == metric->value;
      text += bold ? fmt::format(" & \\textbf{{{}}}", value) : " & " + value;
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string error_ply(const CloudView& view, double limit_mm) {
  const bool own = !view.colours.empty();
  const std::string colours = own ? "those of the method"
                              : view.is_agreement
                                  ? "agreement of the images, dark -1 to light 1"
                                  : fmt::format("signed error, blue -{0} mm to red +{0} mm", limit_mm);
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment colours: {}\nelement vertex {}\nproperty float "
      "x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar "
      "blue\nproperty float {}\nend_header\n",
      colours, view.points.size(), view.is_agreement ? "agreement" : "error_mm");
  for (std::size_t i = 0; i < view.points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      put_float(bytes, (view.origin_mm[axis] + view.points[i][axis] * kViewStep_mm) / 1000);
    const double value =
        view.is_agreement ? agreement_of_code(view.errors[i]) : error_of_code(view.errors[i]);
    const Rgb8 colour = own                 ? rgb_of_code(view.colours[i])
                        : std::isnan(value) ? Rgb8{128, 128, 128}
                        : view.is_agreement ? sequential_colour(colour_step(0.5 + 0.5 * value))
                                            : diverging_colour(colour_step(0.5 + 0.5 * value / limit_mm));
    for (const std::uint8_t part : {colour.r, colour.g, colour.b}) bytes += static_cast<char>(part);
    put_float(bytes, value);
  }
  return bytes;
}

std::string cameras_ply(const CloudView& view, const std::string& source) {
  const std::vector<ShownCamera> cameras = cameras_of(view, source);
  if (cameras.empty()) return "";
  std::string head =
      "ply\nformat ascii 1.0\ncomment metres, world frame, +Z down into the water\n"
      "comment of each camera: its centre, the corners of its image 0.06 m in front of it\n";
  std::string vertices, edges;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    head += fmt::format("comment camera {} {}\n", i, cameras[i].name);
    const auto put = [&](const Eigen::Vector3d& point) {
      vertices += fmt::format("{:.6f} {:.6f} {:.6f}\n", point.x(), point.y(), point.z());
    };
    put(cameras[i].centre_m);
    for (const Eigen::Vector3d& corner : cameras[i].corners)
      put(cameras[i].centre_m + kShownDepth_m * corner);
    for (std::size_t k = 0; k < 4; ++k)
      edges += fmt::format("{} {}\n{} {}\n", 5 * i, 5 * i + 1 + k, 5 * i + 1 + k, 5 * i + 1 + (k + 1) % 4);
  }
  return head +
         fmt::format(
             "element vertex {}\nproperty float x\nproperty float y\nproperty float z\nelement edge {}\n"
             "property int vertex1\nproperty int vertex2\nend_header\n",
             5 * cameras.size(), 8 * cameras.size()) +
         vertices + edges;
}

std::string cameras_tum(const CloudView& view, const std::string& source) {
  const std::vector<ShownCamera> cameras = cameras_of(view, source);
  if (cameras.empty()) return "";
  std::string text =
      "# index tx ty tz qx qy qz qw: metres, world frame (+Z down into the water), world from camera\n";
  std::string poses;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    text += fmt::format("# {} {}\n", i, cameras[i].name);
    const Eigen::Quaterniond q = world_from_camera(cameras[i]);
    const Eigen::Vector3d& centre = cameras[i].centre_m;
    poses += fmt::format("{} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f}\n", i, centre.x(), centre.y(),
                         centre.z(), q.x(), q.y(), q.z(), q.w());
  }
  return text + poses;
}

}  // namespace aqbench
