#include "metrics/protocols/cloud_protocols.h"

#include <algorithm>

#include "core/error.h"
#include "core/parameters.h"

namespace aqbench {
namespace {

constexpr double kMmPerM = 1000, kPercent = 100;

std::vector<CloudProtocol> make_protocols() {
  std::vector<CloudProtocol> protocols;
  protocols.push_back({.name = "aqbench",
                       .summary = "distance to the true surface, samples of the surface to the cloud",
                       .source = "docs/metrics.md",
                       .knobs = {.accuracy = AccuracyRule::surface,
                                 .thresholds_m = {0.0005, 0.001, 0.002, 0.005, 0.01},
                                 .strict = false},
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
       .knobs = {.accuracy = AccuracyRule::beam,
                 .thresholds_m = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5},
                 .strict = false,
                 .averaging = Averaging::voxels,
                 .single_precision = true},
       .headline_threshold_m = 0.02,
       .published = {{"precision", "accuracy"}, {"recall", "completeness"}, {"f_score", "F1"}}});
  protocols.push_back(
      {.name = "tanks-and-temples",
       .summary = "voxels of tau/2, nearest points, strictly nearer than tau",
       .source = "Knapitsch et al., TOG 36(4), 2017; github.com/isl-org/TanksAndTemples "
                 "python_toolbox/evaluation/evaluation.py",
       .knobs = {.voxel_m = 0.0025, .thresholds_m = {0.005}},
       .headline_threshold_m = 0.005,
       .voxel_of_threshold = 0.5,
       .published = {{"precision", "precision"}, {"recall", "recall"}, {"f_score", "f-score"}}});
  protocols.push_back(
      {.name = "dtu",
       .summary = "thinned to 0.2 mm, observed parts, distances below 20 mm",
       .source = "Aanaes et al., IJCV 120, 2016; github.com/jzhangbs/DTUeval-python eval.py",
       .knobs = {.thinning_m = 0.0002, .mask = true, .drop_from_m = 0.02, .thresholds_m = {0.001, 0.002}},
       .headline_threshold_m = 0.001,
       .published = {{"accuracy_mean", "accuracy mean", kMmPerM, "mm"},
                     {"accuracy_median", "accuracy median", kMmPerM, "mm"},
                     {"completeness_mean", "completeness mean", kMmPerM, "mm"},
                     {"completeness_median", "completeness median", kMmPerM, "mm"},
                     {"overall", "overall", kMmPerM, "mm"}}});
  protocols.push_back(
      {.name = "scannet-mesh",
       .summary = "vertices in voxels of 2 cm, strictly nearer than 5 cm",
       .source = "Murez et al., ECCV 2020; github.com/magicleap/Atlas atlas/evaluation.py, eval_mesh",
       .knobs = {.voxel_m = 0.02, .thresholds_m = {0.05}},
       .headline_threshold_m = 0.05,
       .takes_vertices = true,
       .published = {{"accuracy_mean", "Acc", 1, "m"},
                     {"completeness_mean", "Comp", 1, "m"},
                     {"precision", "Prec"},
                     {"recall", "Recall"},
                     {"f_score", "F-score"}}});
  return protocols;
}

}  // namespace

std::span<const CloudProtocol> cloud_protocols() {
  static const std::vector<CloudProtocol> protocols = make_protocols();
  return protocols;
}

const CloudProtocol& find_cloud_protocol(std::string_view name) {
  std::vector<std::string> names;
  for (const CloudProtocol& protocol : cloud_protocols()) {
    if (protocol.name == name) return protocol;
    names.emplace_back(protocol.name);
  }
  throw Error(ErrorKind::usage, unknown_name_message("protocol", name, names));
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
