#include "metrics/protocols/cloud_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"

namespace aqbench {
namespace {

[[noreturn]] void refuse_knob(const char* name, const std::string& text, std::string_view expected) {
  throw usage_error("knob {}: '{}': expected {}", name, text, expected);
}

double number_of_knob(const char* name, const std::string& text) {
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number) || *number < 0) refuse_knob(name, text, "a number of at least 0");
  return *number;
}

bool yes_of_knob(const char* name, const std::string& text) {
  if (text != "yes" && text != "no") refuse_knob(name, text, "yes or no");
  return text == "yes";
}

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

std::vector<double> thresholds_of_knob(const std::string& text) {
  std::vector<double> thresholds_m;
  for (const std::string_view part : split_at(text, ','))
    thresholds_m.push_back(number_of_knob("thresholds_m", std::string(part)));
  std::ranges::sort(thresholds_m);
  return thresholds_m;
}

std::string thresholds_text(const CloudKnobs& knobs) {
  std::vector<std::string> parts;
  for (const double threshold_m : knobs.thresholds_m) parts.push_back(fmt::format("{}", threshold_m));
  return fmt::format("{}", fmt::join(parts, ","));
}

constexpr std::array kRules = {"nearest", "beam", "surface"};  // in the order of AccuracyRule

void set_rule(CloudKnobs& knobs, const std::string& text) {
  const auto rule = std::ranges::find(kRules, text);
  if (rule == kRules.end()) refuse_knob("accuracy", text, "nearest, beam or surface");
  knobs.accuracy = static_cast<AccuracyRule>(rule - kRules.begin());
}

constexpr std::array kCulls = {"no", "cloud", "truth", "both"};  // in the order of Cull

void set_cull(CloudKnobs& knobs, const std::string& text) {
  const auto cull = std::ranges::find(kCulls, text);
  if (cull == kCulls.end()) refuse_knob("cull", text, "no, cloud, truth or both");
  knobs.cull = static_cast<Cull>(cull - kCulls.begin());
}

void set_averaging(CloudKnobs& knobs, const std::string& text) {
  if (text != "points" && text != "voxels") refuse_knob("averaging", text, "points or voxels");
  knobs.averaging = text == "voxels" ? Averaging::voxels : Averaging::points;
}

// A knob whose value is a length or an angle, and one that is yes or no.
template <double CloudKnobs::*member, const char* name>
CloudKnob number_knob(const char* help, std::vector<std::string> usual) {
  return {name, help, [](const CloudKnobs& knobs) { return fmt::format("{}", knobs.*member); },
          [](CloudKnobs& knobs, const std::string& text) { knobs.*member = number_of_knob(name, text); },
          std::move(usual)};
}

template <auto member, const char* name, std::int64_t most>
CloudKnob whole_knob(const char* help, std::vector<std::string> usual) {
  return {name, help, [](const CloudKnobs& knobs) { return fmt::format("{}", knobs.*member); },
          [](CloudKnobs& knobs, const std::string& text) {
            const double whole = number_of_knob(name, text);
            if (whole != std::floor(whole) || whole > static_cast<double>(most))
              refuse_knob(name, text, fmt::format("a whole number, at most {}", most));
            knobs.*member = static_cast<std::remove_reference_t<decltype(knobs.*member)>>(whole);
          },
          std::move(usual)};
}

template <bool CloudKnobs::*member, const char* name>
CloudKnob switch_knob(const char* help) {
  return {name,
          help,
          [](const CloudKnobs& knobs) { return std::string(yes_or_no(knobs.*member)); },
          [](CloudKnobs& knobs, const std::string& text) { knobs.*member = yes_of_knob(name, text); },
          {"yes", "no"}};
}

constexpr char kCrop[] = "crop", kCullBehind[] = "cull_behind_m", kVoxel[] = "voxel_m",
               kErosion[] = "cull_erosion_px", kThinning[] = "thinning_m", kThinningSeed[] = "thinning_seed",
               kMask[] = "mask", kBoxBelow[] = "box_below_m", kBoxAbove[] = "box_above_m",
               kBeamRadius[] = "beam_radius_m", kBeamAngle[] = "beam_halfangle_deg", kDrop[] = "drop_from_m",
               kStrict[] = "strict", kAveragingVoxel[] = "averaging_voxel_m", kSingle[] = "single_precision";

std::vector<CloudKnob> make_cloud_knobs() {
  return {
      switch_knob<&CloudKnobs::single_precision, kSingle>("coordinates, beams and voxels in 32 bits"),
      switch_knob<&CloudKnobs::crop, kCrop>(
          "points outside of the crop volume, if one is given, are left out"),
      {"cull",
       "what no camera sees is left out of the cloud, of the truth, or of both",
       [](const CloudKnobs& knobs) { return std::string(kCulls.at(static_cast<std::size_t>(knobs.cull))); },
       set_cull,
       {}},
      number_knob<&CloudKnobs::cull_behind_m, kCullBehind>(
          "a point so far behind what a camera sees of the truth is hidden from it", {}),
      whole_knob<&CloudKnobs::cull_erosion_px, kErosion, 10000>(
          "the masks of images shrink by so many pixels before cull looks at them", {}),
      number_knob<&CloudKnobs::voxel_m, kVoxel>(
          "both clouds become their means in voxels of this size; 0: off",
          {"0", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"}),
      number_knob<&CloudKnobs::thinning_m, kThinning>(
          "points of the cloud within this distance of one that is kept go; 0: off",
          {"0", "0.0002", "0.0005"}),
      whole_knob<&CloudKnobs::thinning_seed, kThinningSeed, 9000000000000000>(
          "seed of the order in which points are thinned", {"1"}),
      switch_knob<&CloudKnobs::mask, kMask>("DTU's box, observation mask and plane, if given, apply"),
      number_knob<&CloudKnobs::box_below_m, kBoxBelow>("how far DTU's box reaches below its low corner", {}),
      number_knob<&CloudKnobs::box_above_m, kBoxAbove>("how far DTU's box reaches above its high corner", {}),
      {"accuracy",
       "a point of the cloud is held against: the nearest truth point, beams, the true surface",
       [](const CloudKnobs& knobs) {
         return std::string(kRules.at(static_cast<std::size_t>(knobs.accuracy)));
       },
       set_rule,
       {"nearest", "beam", "surface"}},
      number_knob<&CloudKnobs::beam_radius_m, kBeamRadius>("radius of a beam at the scanner", {}),
      number_knob<&CloudKnobs::beam_halfangle_deg, kBeamAngle>("half angle of a beam's cone, degrees", {}),
      number_knob<&CloudKnobs::drop_from_m, kDrop>("distances from here on are not counted; 0: all are",
                                                   {"0", "0.005", "0.01", "0.02", "0.06", "0.1"}),
      {"thresholds_m",
       "what counts as near, for shares",
       thresholds_text,
       [](CloudKnobs& knobs, const std::string& text) { knobs.thresholds_m = thresholds_of_knob(text); },
       {"0.0005", "0.001", "0.002", "0.003", "0.005", "0.01", "0.02", "0.025", "0.03", "0.05", "0.1", "0.2",
        "0.5"}},
      switch_knob<&CloudKnobs::strict, kStrict>("a distance of exactly the threshold is beyond it"),
      {"averaging",
       "shares are averaged over points, or over voxels of two shifted grids",
       [](const CloudKnobs& knobs) {
         return std::string(knobs.averaging == Averaging::voxels ? "voxels" : "points");
       },
       set_averaging,
       {"points", "voxels"}},
      number_knob<&CloudKnobs::averaging_voxel_m, kAveragingVoxel>(
          "size of the voxels that shares are averaged over", {"0.005", "0.01", "0.02"}),
  };
}

// The knobs from `drop_from_m` on say only how distances are counted.
std::vector<CloudKnob> marked_cloud_knobs() {
  std::vector<CloudKnob> knobs = make_cloud_knobs();
  for (auto knob = knobs.rbegin(); knob != knobs.rend(); ++knob) {
    knob->of_distances = false;
    if (knob->name == std::string_view(kDrop)) break;
  }
  return knobs;
}

}  // namespace

std::span<const CloudKnob> cloud_knobs() {
  static const std::vector<CloudKnob> knobs = marked_cloud_knobs();
  return knobs;
}

void set_cloud_knob(CloudKnobs& knobs, std::string_view name, const std::string& text) {
  std::vector<std::string> names;
  for (const CloudKnob& knob : cloud_knobs()) {
    if (knob.name == name) return knob.set(knobs, text);
    names.emplace_back(knob.name);
  }
  throw Error(ErrorKind::usage, unknown_name_message("knob", name, names));
}

void check(const CloudKnobs& knobs) {
  if (knobs.thresholds_m.empty()) throw Error(ErrorKind::usage, "knob thresholds_m: there is none");
  if (!(knobs.thresholds_m.front() > 0))
    throw Error(ErrorKind::usage, "knob thresholds_m: must be greater than 0");
  if (!std::ranges::is_sorted(knobs.thresholds_m))
    throw Error(ErrorKind::usage, "knob thresholds_m: must be ascending");
  if (knobs.averaging == Averaging::voxels && !(knobs.averaging_voxel_m > 0))
    throw Error(ErrorKind::usage, "knob averaging_voxel_m: must be greater than 0");
}

}  // namespace aqbench
