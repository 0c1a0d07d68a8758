#include "cli/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/parameters.h"
#include "core/table.h"
#include "core/text.h"

namespace aqbench::cli {
namespace {

std::string mm_text(double metres) { return short_number(1e3 * metres); }

Json difference_json(const std::optional<CloudDifference>& difference) {
  if (!difference) return nullptr;
  return {{"median_mm", 1e3 * difference->median_m},
          {"p95_mm", 1e3 * difference->p95_m},
          {"points", difference->points_a},
          {"points_changed", difference->points_b}};
}

std::vector<TableCell> row_of(const std::string& name, const std::string& changes,
                              const CloudDifference& difference, double spacing_m) {
  return plain_row({name, changes, fmt::format("{}", difference.points_b), mm_text(difference.median_m),
                    mm_text(difference.p95_m), short_number(difference.p95_m / spacing_m)});
}

}  // namespace

double scale_by_length(const KnownLength& length, const Rig& rig) {
  const auto centre = [&](const std::string& name) {
    const Camera* const camera = find_camera(rig, name);
    if (camera != nullptr) return camera_centre_m(camera->camera_from_world);
    throw input_error("--length: {}", unknown_name_message("camera", name, names_of(rig.cameras)));
  };
  const double metres = (centre(length.from) - centre(length.to)).norm();
  if (!(metres > 0)) throw input_error("--length: {} and {} are at one place", length.from, length.to);
  return length.metres / metres;
}

double CheckReport::limit_m(const CheckedRelation& relation) const {
  const double by_seed_m = again ? 2 * again->p95_m : 0;
  return std::max({by_seed_m, 1e-6 * extent_m, relation.is_exact ? 0.01 * spacing_m : spacing_m});
}

bool CheckReport::holds(const CheckedRelation& relation) const {
  return relation.difference && relation.difference->p95_m <= limit_m(relation);
}

bool CheckReport::holds() const {
  return std::ranges::all_of(relations, [&](const CheckedRelation& one) { return holds(one); });
}

std::string render_check(const CheckReport& report, bool colours, std::size_t columns) {
  Table table = table_with({"relation", "changed", ">points", ">median mm", ">95 % mm", ">in spacings", ""});
  const auto add = [&](std::vector<TableCell> cells, TableCell last) {
    cells.push_back(std::move(last));
    table.rows.push_back(std::move(cells));
  };
  if (report.again) add(row_of("(again)", "seed", *report.again, report.spacing_m), {"the noise"});
  for (const CheckedRelation& one : report.relations)
    if (!one.difference)
      add({{one.name}, {one.changes}, {""}, {""}, {""}, {""}}, {"fails", Colour::red});
    else
      add(row_of(one.name, one.changes, *one.difference, report.spacing_m),
          report.holds(one) ? TableCell{"holds"} : TableCell{"does not hold", Colour::red});
  if (report.halves) add(row_of("(halves)", "half the images", *report.halves, report.spacing_m), {""});
  std::string text = fmt::format("{} on {}: distances between clouds, points {} mm apart\n\n{}",
                                 printable(report.method), printable(report.dataset),
                                 mm_text(report.spacing_m), render_table(table, colours, columns));
  const auto say = [&](const std::string& line) { text += wrap_text(printable(line), columns, 2); };
  for (const CheckedRelation& one : report.relations)
    if (!one.problem.empty()) say(fmt::format("{}: {}", one.name, one.problem));
  text += "\n";
  say("Relations say nothing of accuracy: a method that is wrong in the same way every time keeps them. Not "
      "seen are differences below the noise of another seed, and below the spacing where the points are "
      "others.");
  if (!report.halves)
    say("halves: " + report.halves_problem);
  else
    say("halves: stability, no accuracy: what both halves share is not seen: calibration, scale, a bias of "
        "the method.");
  for (const BaselineGroup& group : report.baselines)
    say(fmt::format("depth maps of {} with baselines {} to {} m: reprojection {} px",
                    counted(group.pairs, "pair"), short_number(group.least_m), short_number(group.most_m),
                    short_number(group.reprojection_px)));
  if (!report.baselines.empty())
    say("Agreement of depth maps is no accuracy: depths that are wrong in the same way agree; a shift that "
        "grows with the baseline points to poses or scale.");
  if (report.scale)
    say(
        fmt::format("scale by the known length: {} x: all lengths of the dataset times this are metres; one "
                    "length does not show whether the others are consistent with it.",
                    short_number(*report.scale)));
  if (report.board)
    say(
        fmt::format("scale by the board ({} between {}): {} x: all lengths of the dataset times this are "
                    "metres; not seen is a scale that changes away from the board.",
                    counted(report.board->sides, "side"), counted(report.board->corners, "corner"),
                    short_number(report.board->factor)));
  return text;
}

Json to_json(const CheckReport& report) {
  Json relations = Json::array();
  for (const CheckedRelation& one : report.relations)
    relations.push_back({{"name", one.name},
                         {"changes", one.changes},
                         {"holds", report.holds(one)},
                         {"limit_mm", 1e3 * report.limit_m(one)},
                         {"difference", difference_json(one.difference)},
                         {"reason", one.problem.empty() ? Json(nullptr) : Json(one.problem)}});
  Json groups = Json::array();
  for (const BaselineGroup& group : report.baselines)
    groups.push_back({{"least_m", group.least_m},
                      {"most_m", group.most_m},
                      {"pairs", group.pairs},
                      {"reprojection_median_px", group.reprojection_px}});
  return {{"method", report.method},
          {"dataset", report.dataset},
          {"holds", report.holds()},
          {"spacing_mm", 1e3 * report.spacing_m},
          {"another_seed", difference_json(report.again)},
          {"relations", std::move(relations)},
          {"halves", difference_json(report.halves)},
          {"halves_reason", report.halves ? Json(nullptr) : Json(report.halves_problem)},
          {"depth_agreement", std::move(groups)},
          {"scale_by_length", report.scale ? Json(*report.scale) : Json(nullptr)},
          {"scale_by_board", report.board ? Json(report.board->factor) : Json(nullptr)},
          {"is_accuracy", false}};
}

}  // namespace aqbench::cli
