#include "metrics/protocols/cloud_protocols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"

namespace aqbench {
namespace {

std::vector<CloudKnob> make_cloud_knobs() {
  return {
      choice_knob("mesh_cloud", &CloudKnobs::mesh_cloud, {"vertices", "faces", "centres"},
                  {"vertices", "centres"}),  // faces are tried by dtu-mesh alone: they are millions
      switch_knob("single_precision", &CloudKnobs::single_precision),
      switch_knob("crop", &CloudKnobs::crop),
      choice_knob("cull", &CloudKnobs::cull, {"no", "cloud", "truth", "both"}),
      number_knob("cull_behind_m", &CloudKnobs::cull_behind_m),
      choice_knob("cull_rule", &CloudKnobs::cull_in_all, {"any", "all"}),
      {"cull_dilate", [](const CloudKnobs& knobs) { return to_text(knobs.cull_dilate); },
       [](CloudKnobs& knobs, const std::string& text) {
         knobs.cull_dilate = reach_of_knob("cull_dilate", text);
       }},
      choice_knob("cull_outside", &CloudKnobs::cull_outside_stays, {"drop", "keep"}),
      choice_knob("cull_border", &CloudKnobs::cull_to_border, {"between", "nearest"}),
      choice_knob("cull_largest", &CloudKnobs::cull_largest, {"no", "yes"}),
      number_knob("voxel_m", &CloudKnobs::voxel_m,
                  {"0", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"}),
      number_knob("thinning_m", &CloudKnobs::thinning_m, {"0", "0.0002", "0.0005"}),
      whole_knob("thinning_seed", &CloudKnobs::thinning_seed, 0, 9e15, {"1"}),
      switch_knob("mask", &CloudKnobs::mask),
      number_knob("box_below_m", &CloudKnobs::box_below_m),
      number_knob("box_above_m", &CloudKnobs::box_above_m),
      choice_knob("accuracy", &CloudKnobs::accuracy, {"nearest", "beam", "surface"},
                  {"nearest", "beam", "surface"}),
      number_knob("beam_radius_m", &CloudKnobs::beam_radius_m),
      number_knob("beam_halfangle_deg", &CloudKnobs::beam_halfangle_deg),
      number_knob("drop_from_m", &CloudKnobs::drop_from_m, {"0", "0.005", "0.01", "0.02", "0.06", "0.1"}),
      numbers_knob("thresholds_m", &CloudKnobs::thresholds_m,
                   {"0.0005", "0.001", "0.002", "0.003", "0.005", "0.01", "0.02", "0.025", "0.03", "0.05",
                    "0.1", "0.2", "0.5"}),
      switch_knob("strict", &CloudKnobs::strict),
      choice_knob("averaging", &CloudKnobs::averaging, {"points", "voxels"}, {"points", "voxels"}),
      number_knob("averaging_voxel_m", &CloudKnobs::averaging_voxel_m, {"0.005", "0.01", "0.02"}),
  };
}

constexpr double kMmPerM = 1000, kPercent = 100;

CloudProtocol scannet_mesh() {
  const CloudKnobs knobs{.voxel_m = 0.02, .thresholds_m = {0.05}};
  return {.name = "scannet-mesh",
          .summary = "vertices in voxels of 2 cm, strictly nearer than 5 cm",
          .source = "Murez et al., ECCV 2020; github.com/magicleap/Atlas atlas/evaluation.py, eval_mesh",
          .knobs = knobs,
          .headline_threshold_m = 0.05,
          .takes_vertices = true,
          .published = {{"accuracy_mean", "Acc", 1, "m"},
                        {"completeness_mean", "Comp", 1, "m"},
                        {"precision", "Prec"},
                        {"recall", "Recall"},
                        {"f_score", "F-score"}}};
}

// What papers of 2024 to 2026 compute of meshes with the rules of a protocol of clouds.
CloudProtocol of_meshes(CloudProtocol protocol, const char* name, MeshCloud kind, const char* summary,
                        const char* source) {
  protocol.name = name;
  protocol.summary = summary;
  protocol.source = source;
  protocol.knobs.mesh_cloud = kind;
  protocol.is_of_clouds = false;
  return protocol;
}

void add_mesh_protocols(std::vector<CloudProtocol>& protocols) {
  const auto named = [&](std::string_view name) -> CloudProtocol {
    return *std::ranges::find(protocols, name,
                              [](const CloudProtocol& p) { return std::string_view(p.name); });
  };
  const CloudProtocol dtu = named("dtu"), tanks = named("tanks-and-temples");
  protocols.push_back(of_meshes(dtu, "dtu-mesh", MeshCloud::faces,
                                "as dtu, of the vertices and samples of the faces of a mesh",
                                "github.com/jzhangbs/DTUeval-python eval.py, mode mesh"));
  protocols.push_back(of_meshes(tanks, "tanks-and-temples-mesh", MeshCloud::centres,
                                "as tanks-and-temples, of the vertices and face centres of a mesh",
                                "github.com/hbb1/2d-gaussian-splatting scripts/eval_tnt/run.py"));
}

// Knobs are named objects: GCC 12 destroys a member that is initialised in nested braces twice where one
// after it throws.
std::vector<CloudProtocol> make_protocols() {
  const CloudKnobs of_surface{.accuracy = AccuracyRule::surface,
                              .thresholds_m = {0.0005, 0.001, 0.002, 0.005, 0.01},
                              .strict = false};
  const CloudKnobs of_beams{.accuracy = AccuracyRule::beam,
                            .thresholds_m = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5},
                            .strict = false,
                            .averaging = Averaging::voxels,
                            .single_precision = true};
  const CloudKnobs of_voxels{.voxel_m = 0.0025, .thresholds_m = {0.005}};
  const CloudKnobs of_dtu{
      .thinning_m = 0.0002, .mask = true, .drop_from_m = 0.02, .thresholds_m = {0.001, 0.002}};
  std::vector<CloudProtocol> protocols;
  protocols.push_back({.name = "aqbench",
                       .summary = "distance to the true surface, samples of the surface to the cloud",
                       .source = "docs/metrics.md",
                       .knobs = of_surface,
                       .headline_threshold_m = 0.002,
                       .published = {{"accuracy_mean", "accuracy mean", kMmPerM, "mm"},
                                     {"accuracy_median", "accuracy median", kMmPerM, "mm"},
                                     {"precision", "precision", kPercent, "%"},
                                     {"recall", "completeness", kPercent, "%"},
                                     {"f_score", "F-score", kPercent, "%"}}});
  protocols.push_back(
      {.name = "eth3d",
       .summary = "laser beams decide what is accurate, shares are averaged over voxels",
       .source = "Schoeps et al., CVPR 2017; github.com/ETH3D/multi-view-evaluation "
                 "src/{main,accuracy,completeness}.cc",
       .knobs = of_beams,
       .headline_threshold_m = 0.02,
       .published = {{"precision", "accuracy"}, {"recall", "completeness"}, {"f_score", "F1"}}});
  protocols.push_back(
      {.name = "tanks-and-temples",
       .summary = "voxels of tau/2, nearest points, strictly nearer than tau",
       .source = "Knapitsch et al., TOG 36(4), 2017; github.com/isl-org/TanksAndTemples "
                 "python_toolbox/evaluation/evaluation.py",
       .knobs = of_voxels,
       .headline_threshold_m = 0.005,
       .voxel_of_threshold = 0.5,
       .is_of_clouds = true,
       .published = {{"precision", "precision"}, {"recall", "recall"}, {"f_score", "f-score"}}});
  protocols.push_back({.name = "dtu",
                       .summary = "thinned to 0.2 mm, observed parts, distances below 20 mm",
                       .source = "Aanaes et al., IJCV 120, 2016; github.com/jzhangbs/DTUeval-python eval.py",
                       .knobs = of_dtu,
                       .headline_threshold_m = 0.001,
                       .is_of_clouds = true,
                       .published = {{"accuracy_mean", "accuracy mean", kMmPerM, "mm"},
                                     {"accuracy_median", "accuracy median", kMmPerM, "mm"},
                                     {"completeness_mean", "completeness mean", kMmPerM, "mm"},
                                     {"completeness_median", "completeness median", kMmPerM, "mm"},
                                     {"overall", "overall", kMmPerM, "mm"}}});
  protocols.push_back(scannet_mesh());
  add_mesh_protocols(protocols);
  return protocols;
}

}  // namespace

std::span<const CloudKnob> cloud_knobs() {
  static const std::vector<CloudKnob> knobs = [] {
    std::vector<CloudKnob> all = make_cloud_knobs();
    for (auto knob = std::ranges::find(all, std::string_view("drop_from_m"), &CloudKnob::name);
         knob != all.end(); ++knob)
      knob->of_distances = false;
    return all;
  }();
  return knobs;
}

void set_cloud_knob(CloudKnobs& knobs, std::string_view name, const std::string& text) {
  find_named("knob", name, cloud_knobs()).set(knobs, text);
}

void check(const CloudKnobs& knobs) {
  if (knobs.thresholds_m.empty())
    throw Error(ErrorKind::usage, "knob thresholds_m: needs at least one threshold");
  if (!(knobs.thresholds_m.front() > 0))
    throw Error(ErrorKind::usage, "knob thresholds_m: must be greater than 0");
  if (!std::ranges::is_sorted(knobs.thresholds_m))
    throw Error(ErrorKind::usage, "knob thresholds_m: must be ascending");
  if (knobs.averaging == Averaging::voxels && !(knobs.averaging_voxel_m > 0))
    throw Error(ErrorKind::usage, "knob averaging_voxel_m: must be greater than 0");
}

std::span<const CloudProtocol> cloud_protocols() {
  static const std::vector<CloudProtocol> protocols = make_protocols();
  return protocols;
}

const CloudProtocol& find_cloud_protocol(std::string_view name) {
  return find_named("protocol", name, cloud_protocols());
}

std::string unfit_output(const CloudProtocol& protocol, const CloudKnobs& knobs, bool has_mesh) {
  const bool of_faces = knobs.mesh_cloud != MeshCloud::vertices;
  if (has_mesh && protocol.is_of_clouds && !of_faces)
    return fmt::format("is a mesh: score it by {}-mesh, or give points sampled on its faces", protocol.name);
  if (!has_mesh && of_faces) return fmt::format("is no mesh, whose faces {} scores", protocol.name);
  return {};
}

CloudKnobs knobs_at(const CloudProtocol& protocol, std::span<const double> thresholds_m) {
  CloudKnobs knobs = protocol.knobs;
  if (!thresholds_m.empty()) knobs.thresholds_m.assign(thresholds_m.begin(), thresholds_m.end());
  std::ranges::sort(knobs.thresholds_m);
  if (protocol.voxel_of_threshold > 0 && !knobs.thresholds_m.empty())
    knobs.voxel_m = protocol.voxel_of_threshold * knobs.thresholds_m.front();
  return knobs;
}

double mesh_spacing_m(const CloudKnobs& knobs) {
  constexpr double kWithoutVoxels_m = 0.002 / 3;  // as `aqbench eval` samples a surface
  double spacing_m = kWithoutVoxels_m;
  if (knobs.voxel_m > 0)
    spacing_m = knobs.voxel_m / 2;
  else if (knobs.averaging == Averaging::voxels)
    spacing_m = knobs.averaging_voxel_m / 4;
  return knobs.thinning_m > 0 ? std::min(spacing_m, knobs.thinning_m) : spacing_m;
}

}  // namespace aqbench
