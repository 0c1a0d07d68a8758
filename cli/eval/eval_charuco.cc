#include "cli/eval/eval_modes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/error.h"
#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "metrics/charuco.h"
#include "scenes/cloud/cloud_file.h"

namespace aqbench::cli {
namespace {

constexpr double kMm = 1000;  // millimetres in a metre

std::vector<Vec3> read_corners(const std::string& file, double metres_per_unit) {
  std::vector<Vec3> corners_m = read_cloud_file(file).cloud.points_m;
  if (corners_m.empty()) throw Error(ErrorKind::input, file + ": has no corner");
  for (Vec3& corner : corners_m) corner *= metres_per_unit;
  return corners_m;
}

void print_errors(const CornerErrors& errors) {
  Table table;
  table.columns = {{"corner"}, {"error\nmm", Align::right}};
  for (std::size_t i = 0; i < errors.distance_m.size(); ++i)
    table.rows.push_back({{std::to_string(i)}, {fmt::format("{:.6g}", kMm * errors.distance_m[i])}});
  for (const auto& [name, value_m] : {std::pair("mean", errors.mean_m),
                                      {"median", errors.median_m},
                                      {"max", errors.max_m},
                                      {"rmse", errors.rmse_m}})
    table.rows.push_back({{name}, {fmt::format("{:.6g}", kMm * value_m.value())}});
  fmt::print("{}", render_table(table, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
}

}  // namespace

ExitCode eval_charuco(const EvalRequest& asked) {
  const double metres_per_unit = asked.cloud.metres_per_unit;
  const CornerErrors errors = charuco_errors(read_corners(asked.charuco_file, metres_per_unit),
                                             read_corners(asked.board_file, metres_per_unit));
  if (!asked.cloud.json) {
    fmt::print("{} against {}\n\n", printable(asked.charuco_file), printable(asked.board_file));
    print_errors(errors);
    return ExitCode::pass;
  }
  Json distances_mm = Json::array();
  for (const double distance_m : errors.distance_m) distances_mm.push_back(kMm * distance_m);
  const Json result = {{"corners", errors.distance_m.size()},    {"error_mm", distances_mm},
                       {"mean_mm", kMm * errors.mean_m.value()}, {"median_mm", kMm * errors.median_m.value()},
                       {"max_mm", kMm * errors.max_m.value()},   {"rmse_mm", kMm * errors.rmse_m.value()}};
  print_json(result.dump(1) + "\n");
  return ExitCode::pass;
}

}  // namespace aqbench::cli
