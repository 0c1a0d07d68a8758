#include "harness/eval/eval_cloud.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/records/case.h"
#include "harness/records/numbers.h"
#include "harness/records/one_case.h"
#include "harness/records/results.h"
#include "harness/scoring/evaluate.h"
#include "metrics/point_details.h"
#include "metrics/registry.h"
#include "metrics/score.h"
#include "metrics/score_options.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

// ---- Scoring ----

Json views_json(const std::vector<ViewShare>& rows) {
  Json list = Json::array();
  for (const ViewShare& row : rows)
    list.push_back({{"views", row.views},
                    {"surface_pct", row.surface_pct},
                    {"completeness_2mm_pct", row.completeness_pct ? Json(*row.completeness_pct) : Json()}});
  return list;
}

Json left_out_json(const ScoredCounts& counts) {
  return {{"scored", counts.scored},
          {"outside_patch", counts.outside_patch},
          {"non_finite", counts.non_finite},
          {"outside_crop", counts.outside_crop},
          {"beyond_border", counts.beyond_border},
          {"beyond_border_are_scored", counts.scored_beyond_border},
          {"beyond_max_distance", counts.beyond_max_distance}};
}

// Says what was not scored, and what was though the truth ends there.
void say_left_out(const ScoredCounts& counts, EvalAnswer& answer) {
  const std::size_t left_out = counts.left_out() + counts.non_finite + counts.outside_patch,
                    all = counts.scored + left_out;
  const auto share = [&](std::size_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(all);
  };
  std::vector<std::string> causes;
  for (const auto& [count, where] :
       {std::pair(counts.non_finite, "not finite"),
        {counts.outside_patch, "outside the true patch"},
        {counts.outside_crop, "outside the crop"},
        {counts.scored_beyond_border ? 0 : counts.beyond_border, "beyond a border of the truth"},
        {counts.beyond_max_distance, "beyond the largest distance"}})
    if (count > 0) causes.push_back(fmt::format("{} {}", count, where));
  if (left_out > 0)
    answer.say("left out: {} of {} points ({:.4g} %): {}\n", left_out, all, share(left_out),
               fmt::join(causes, ", "));
  if (counts.scored_beyond_border && counts.beyond_border > 0)
    answer.say(
        "{} of {} points ({:.4g} %) lie beyond an open border of the truth and are scored; see --border\n",
        counts.beyond_border, all, share(counts.beyond_border));
}

// Says what of the faces counts, and how a scan was thinned.
void say_truth_notes(const Surface& truth, const Score& score, double spacing_m, EvalAnswer& answer) {
  for (const auto& [what, counts] : {std::pair("truth", faces_of(truth)),
                                     std::pair("mesh", score.mesh_faces ? &*score.mesh_faces : nullptr)})
    if (const std::string text = counts != nullptr ? faces_text(*counts) : ""; !text.empty())
      answer.say("{}: {}\n", what, printable(text));
  if (score.samples_of > 0)
    answer.say("completeness: by {} of the {} true points, one in each cube of {:.4g} mm; see --spacing\n",
               score.samples, score.samples_of, 1e3 * spacing_m);
}

void say_score(const EvalCloudRequest& request, const Subject& subject, const Evaluation& done,
               const ScoreOptions& options, EvalAnswer& answer) {
  const Surface& truth = *subject.surface();
  const Score& score = done.score;
  answer.say("{} against {}\n", printable(request.cloud_file), printable(subject.scene->name));
  for (const std::string& note : done.placement.notes) answer.say("{}\n", printable(note));
  say_left_out(score.counts, answer);
  say_truth_notes(truth, score, options.sample_spacing_m, answer);
  answer.say("\n");
  answer.shown.emplace_back(MetricTable{request.all, positive_side(truth, subject.rig.has_value())});
  if (score.by_views.empty()) return;
  Table table;
  table.columns = {
      {"views", Align::right}, {"surface %", Align::right}, {"completeness 2 mm %", Align::right}};
  for (const ViewShare& row : score.by_views)
    table.rows.push_back({{std::to_string(row.views)},
                          {fmt::format("{:.4g}", row.surface_pct)},
                          {row.completeness_pct ? fmt::format("{:.4g}", *row.completeness_pct) : "n/a"}});
  answer.say("\nby the number of cameras that see a place through the water (auxiliary ones not counted):\n");
  answer.shown.emplace_back(std::move(table));
}

Json null_with_reason(const char* reason) { return {{"value", nullptr}, {"reason", reason}}; }

Json plane_json(const std::optional<PlaneFit>& plane, bool cameras) {
  if (!plane) return null_with_reason("no plane: fewer than 3 scored points, or all on a line");
  return {{"normal", {plane->normal.x(), plane->normal.y(), plane->normal.z()}},
          {"centroid_m", {plane->centroid_m.x(), plane->centroid_m.y(), plane->centroid_m.z()}},
          {"definition", fmt::format("total least-squares plane of the scored points; unit normal {}",
                                     cameras ? kTowardsCameras : "towards smaller z")}};
}

Json height_json(const std::optional<HeightDifference>& height) {
  if (!height) return null_with_reason("no scored point, or a truth that is no height field");
  return {
      {"points", height->points},
      {"mean_mm", 1e3 * height->mean_m},
      {"mean_abs_mm", 1e3 * height->mean_abs_m},
      {"rmse_mm", 1e3 * height->rmse_m},
      {"max_abs_mm", 1e3 * height->max_abs_m},
      {"definition",
       "vertical distance of the scored points from the true height at their (x, y), positive towards the "
       "cameras; on a slope it is larger than the distance along the normal"}};
}

Json reprojection_json(const std::optional<ReprojectionError>& error) {
  if (!error) return null_with_reason("no camera has a scored point in its image");
  return {
      {"projections", error->projections},
      {"mean_px", error->mean_px},
      {"median_px", error->median_px},
      {"rmse_px", error->rmse_px},
      {"definition",
       "distance in the undistorted image between a scored point and the closest point of the true surface, "
       "both through the water; over all cameras that are not auxiliary and have both in their image"}};
}

Json reprojection_json(const EachBlock& scored, const CloudBlocks& cloud, const Surface& truth,
                       const Rig& rig) {
  if (cloud.points() > BlockSizes{}.whole)
    return null_with_reason("not measured of a cloud of more than 20 million points");
  std::optional<ReprojectionError> error;
  scored([&](std::span<const Vec3> points_m, std::span<const std::uint32_t> index) {
    error = measure_reprojection(points_m, index, truth, rig);
  });
  return reprojection_json(error);
}

// Of how many samples completeness is, what error that brings, and which faces of a mesh count.
void add_sampling(const ScoreOptions& options, const Score& score, Json& effective) {
  effective["scoring"]["completeness_samples"] = score.samples;
  effective["scoring"]["thinned_from"] = score.samples_of > 0 ? Json(score.samples_of) : Json();
  Json& errors = effective["completeness_sampling_se_pct"] = Json::object();
  for (std::size_t i = 0; i < score.completeness_se_pct.size(); ++i)
    errors[metric_spec("completeness_{t}mm_pct", options.tolerances_m[i]).name] =
        score.completeness_se_pct[i];
  if (score.mesh_faces) effective["mesh_faces"] = faces_json(*score.mesh_faces);
}

// What the JSON says beyond the metrics, which are the same in every record.
Json effective_json(const EvalCloudRequest& request, const Subject& subject, const ScoreOptions& options,
                    const Evaluation& done) {
  const Surface& truth = *subject.surface();
  Json effective = {{"transforms", *done.placement.transforms},
                    {"scoring", scoring_json(request, truth, options)},
                    {"left_out", left_out_json(done.score.counts)}};
  add_sampling(options, done.score, effective);
  with_cloud(done.output, [&](const CloudBlocks& cloud) {
    const EachBlock scored = done.score.subset.of(cloud);
    effective["plane_fit"] = plane_json(done.score.plane, subject.rig || truth.patch() != nullptr);
    effective["height_difference"] = height_json(measure_height_difference(scored, truth));
    if (subject.rig) effective["reprojection"] = reprojection_json(scored, cloud, truth, *subject.rig);
  });
  if (subject.rig && casts_rays(truth)) effective["completeness_by_views"] = views_json(done.score.by_views);
  return effective;
}

}  // namespace

EvalAnswer eval_cloud(const EvalRequest& asked, const Arguments& arguments) {
  const EvalCloudRequest& request = asked.cloud;
  const Subject subject{.scene = make_truth(request), .rig = request_rig(request)};
  const Surface& truth = *subject.surface();
  if (subject.rig && is_rig_file(request.rig))
    for (const std::string& blind : tell_blind_cameras(*subject.rig, truth))
      request.host.tell("aqbench: warning: " + printable(blind));
  if (subject.rig && !request.views_file.empty() && !casts_rays(truth))
    throw usage_error("--views: what cameras see is only known of a scene by formula");
  Output output = open_cloud(request);
  const std::size_t points = with_cloud(output, [](const CloudBlocks& cloud) { return cloud.points(); });
  const EvaluateOptions options{.score = effective_options(request, truth, points),
                                .place = place_options(request, output)};
  CaseResult result;
  const Evaluation done = evaluate(subject, std::move(output), options, result);
  EvalAnswer answer;
  answer.metrics = std::move(result.record.metrics);
  if (!request.tiles_file.empty()) write_file(request.tiles_file, tiles_to_csv(done.score.tiles));
  if (!request.views_file.empty()) write_file(request.views_file, views_to_csv(done.score.by_views));
  if (asked.wants_record())
    answer.results = eval_results(
        {eval_record(*subject.scene, {}, request.cloud_file, answer.metrics, request.host.geometries)},
        arguments, request.host, effective_json(request, subject, options.score, done),
        positive_side(truth, subject.rig.has_value()));
  if (!request.json) say_score(request, subject, done, options.score, answer);
  return answer;
}

std::uint64_t seed_in(const std::string& file, const std::string& text) {
  const auto seed = parse_whole<std::uint64_t>(text);
  if (!seed || *seed > kMaxSeed) throw input_error("{}: its seed {} is too large", file, text);
  return *seed;
}

Record eval_record(const Scene& scene, const GivenCase& of_case, const std::string& file, MetricSet metrics,
                   const std::vector<GivenGeometry>& given) {
  Record record;
  record.scene = scene.name;
  record.method = of_case.method;
  record.case_name = of_case.name(scene.name);
  record.axes.emplace_back("seed", static_cast<std::int64_t>(of_case.seed));
  record.status = Status::ok;
  for (const auto& [name, value] : scene.parameters.items())
    (scene.parameters.is_default(name) ? record.defaults : record.options)
        .emplace_back(scene.name + "." + name, value);
  record.metrics = std::move(metrics);
  record.output_sha256 = geometry_sha256(given, file);
  return record;
}

Results eval_results(std::vector<Record> records, const Arguments& arguments, const EvalHost& host,
                     Json effective, const std::string& positive_side) {
  effective["threads"] = thread_count();
  for (const Record& record : records)
    for (const auto& [name, metric] : record.metrics)
      if (const std::string& definition = definition_with(name, positive_side); !definition.empty())
        effective["definitions"][name] = definition;
  return results_of_records(std::move(records),
                            {.started_utc = utc_now(),
                             .requested = Json{{kEvalRequest, arguments}},
                             .effective = std::move(effective),
                             .environment = host.environment ? host.environment() : JsonBox()});
}

}  // namespace aqbench
