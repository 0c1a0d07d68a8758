#include "harness/planning/suite.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/json_members.h"
#include "core/text.h"

namespace aqbench {
namespace {

std::vector<std::string> all_of_parts(const Suite& suite, std::vector<std::string> SuitePart::*names,
                                      std::vector<std::string> all) {
  for (const SuitePart& part : suite.more)
    for (const std::string& name : part.*names)
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  return all;
}

constexpr std::size_t kMaxSuiteEntries = 1000;  // keys of an object, and parts

std::vector<std::string> read_names(const JsonPlace& place) {
  std::vector<std::string> names;
  JsonOf<std::vector<std::string>>::read(place, names, kNotEmpty, {});
  return names;
}

std::vector<std::uint64_t> read_seeds(const JsonPlace& place) {
  std::vector<std::uint64_t> seeds;
  std::set<std::uint64_t> seen;
  for (const JsonPlace& element : place.elements()) {
    seeds.push_back(element.count());
    if (seeds.back() > static_cast<std::uint64_t>(INT64_MAX)) element.fail("is more than 2^63 - 1");
    if (!seen.insert(seeds.back()).second) element.fail("is a duplicate");
  }
  if (seeds.empty()) place.fail("is empty");
  return seeds;
}

// Parses a text like a flag; its errors name the place.
template <class Parse>
auto parse_at(const JsonPlace& place, const Parse& parse, const std::string& text) {
  try {
    return parse(text);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    place.fail(error.what());
  }
}

// Returns a list's values as a flag has them, separated by commas.
std::string read_list(const JsonPlace& place) {
  std::string values;
  for (const JsonPlace& element : place.elements())
    values += fmt::format("{}{}", values.empty() ? "" : ",", to_string(element.parameter()));
  return values;
}

Axis read_axis(const std::string& name, const JsonPlace& place) {
  const std::string values = place.value().is_string() ? place.text() : read_list(place);
  return parse_at(place, parse_axis, fmt::format("{}={}", name, values));
}

Override read_set(const std::string& key, const JsonPlace& place) {
  const std::string value = place.value().is_array() ? read_list(place) : to_string(place.parameter());
  return parse_at(place, parse_override, fmt::format("{}={}", key, value));
}

int read_count(const JsonPlace& place, std::uint64_t most) {
  if (place.count() < 1 || place.count() > most) place.fail("must be from 1 to {}", most);
  return static_cast<int>(place.count());
}

std::vector<Axis> read_axes(const JsonPlace& place) {
  std::vector<Axis> axes;
  for (const auto& [name, axis] : place.members()) axes.push_back(read_axis(name, axis));
  return axes;
}

std::vector<std::pair<std::string, int>> read_repetitions(const JsonPlace& place) {
  constexpr std::uint64_t kMaxRuns = 1000000;
  std::vector<std::pair<std::string, int>> repetitions;
  for (const auto& [workload, runs] : place.members())
    repetitions.emplace_back(workload, read_count(runs, kMaxRuns));
  return repetitions;
}

SuitePart read_part(const JsonPlace& place) {
  place.allow_only({"scenes", "methods", "axes"});
  SuitePart part{read_names(place.at("scenes")), read_names(place.at("methods"))};
  if (const auto axes = place.find("axes")) part.axes = read_axes(*axes);
  return part;
}

SuitePart part(const char* scene, const char* method, const char* axis) {
  return {{scene}, {method}, {parse_axis(axis)}};
}

// Small enough to run for every change.
Suite pipeline_suite() {
  return {.name = "pipeline",
          .description =
              "real methods on small images of 6 cameras; occlusion; contrast enhancement; kinds of surfaces",
          .scenes = {"flat_plane", "undulating", "ripple_field"},
          .methods = {"sparse"},
          .sets = {{"dense_flow", "surface", "none"},
                   // So steep that one camera or none sees some of it.
                   {"mound", "height_m", "0.14"},
                   {"mound", "radius_m", "0.015"}},
          .images = {.rig = "arc6", .imaging = "default", .width_px = 480, .height_px = 360},
          .more = {{.scenes = {"flat_plane", "undulating", "ripple_field", "mound"},
                    .methods = {"plane_sweep:fast"},
                    .axes = {parse_axis("plane_sweep.surface=none")}},
                   part("undulating", "plane_sweep:balanced", "plane_sweep.surface=none"),
                   {.scenes = {"undulating"}, .methods = {"dense_flow"}},
                   part("undulating", "sparse", "sparse.clahe=off,on"),
                   // With few points: kinds of surfaces are distinguished at 4 mm, too.
                   {.scenes = {"undulating"},
                    .methods = {"plane_sweep:fast"},
                    .axes = {parse_axis("plane_sweep.voxel_m=0.004"),
                             parse_axis("plane_sweep.surface=poisson,heightfield,ball_pivoting")}}}};
}

// Suites of scenes and methods.
std::vector<Suite> method_suites() {
  return {
      {.name = "seed",
       .description = "the two synthetic scenes with the two simulated matchers, one seed",
       .scenes = {"flat_plane", "undulating"},
       .methods = {"lightglue_like", "roma_like"}},
      pipeline_suite(),
      {.name = "presets",
       .description = "the presets of plane_sweep on images of 320 to 3200 px",
       .scenes = {"undulating"},
       .methods = {"plane_sweep:fast", "plane_sweep:balanced", "plane_sweep:quality"},
       .axes = {parse_axis("width=320,480,800,1200,1600,2400,3200")},
       .sets = {{"plane_sweep", "surface", "none"}},
       .images = {.rig = "arc6", .imaging = "default", .width_px = {}, .height_px = {}}},
      {.name = "sensitivity",
       .description = "effect of wrong calibrations on plane_sweep:fast on a plane",
       .scenes = {"flat_plane"},
       .methods = {"plane_sweep:fast"},
       .sets = {{"plane_sweep", "surface", "none"}},
       .images = {.rig = "ring12", .imaging = "default", .width_px = 480, .height_px = 360},
       .more = {part("flat_plane", "plane_sweep:fast", "perturb.water_z_m=0.001,0.002,0.005"),
                part("flat_plane", "plane_sweep:fast", "perturb.n_water=0.001,0.005"),
                part("flat_plane", "plane_sweep:fast", "perturb.tilt_deg=0.1,0.5"),
                part("flat_plane", "plane_sweep:fast", "perturb.focal_pct=0.1,0.5")}},
      {.name = "ports",
       .description = "cameras behind flat and dome ports: calibrated right, as pinholes at 1 m, and wrong",
       .scenes = {"flat_plane"},
       .methods = {"plane_sweep:fast", "sparse", "dense_flow"},
       .axes = {parse_axis("port_stereo.port_model=flat,dome"),
                parse_axis("port_stereo.range_m=0.5,0.7,1,1.5,2,3")},
       .sets = {{"plane_sweep", "surface", "none"}, {"dense_flow", "surface", "none"}},
       .images = {.rig = "port_stereo", .imaging = "default", .width_px = 480, .height_px = 360},
       .more = {{.scenes = {"flat_plane"},
                 .methods = {"plane_sweep:fast", "sparse", "dense_flow"},
                 .axes = {parse_axis("perturb.as_pinhole_m=1")}},
                {.scenes = {"flat_plane"},
                 .methods = {"plane_sweep:fast", "sparse", "dense_flow"},
                 .axes = {parse_axis("perturb.n_water=0.006")}}}},
      {.name = "pipeline_full",
       .description = "real methods on 1600 x 1200 images of 12 cameras and one at the centre",
       .scenes = {"flat_plane", "undulating", "ripple_field"},
       .methods = {"sparse", "plane_sweep:fast", "plane_sweep:balanced", "plane_sweep:quality", "dense_flow"},
       .images = {.rig = "ring12", .imaging = "default", .width_px = 1600, .height_px = 1200},
       .more = {part("flat_plane", "plane_sweep:balanced", "imaging=low_contrast,textureless")}},
  };
}

// Suites of workloads.
std::vector<Suite> workload_suites() {
  return {
      {.name = "synthetic_profile",
       .description = "a small LibTorch pipeline with known tensor memory per stage",
       .workloads = {"synthetic_profile"},
       .repetitions = {{"synthetic_profile", 3}}},
      {.name = "workloads",
       .description = "every kernel with its variants, small: verified, then timed warm",
       .axes = {{.name = "variant", .values = {"torch", "fused"}},
                {.name = "loader", .values = {"serial", "thread_pool", "ring", "prefetch"}}},
       .sets = {{"plane_sweep", "width", "160"},
                {"plane_sweep", "height", "120"},
                {"plane_sweep", "depths", "32"},
                {"equirect_views", "width", "512"},
                {"equirect_views", "view", "128"},
                {"equirect_pipeline", "width", "512"},
                {"equirect_pipeline", "view", "128"}},
       .workloads = {"absorption", "tricubic", "plane_sweep", "equirect_views", "equirect_pipeline"}},
      {.name = "batching",
       .description = "kernels at batch sizes 1, 8 and 16, vectorised and fused",
       .axes = {{.name = "variant", .values = {"torch", "fused"}},
                {.name = "absorption.size", .values = {"256", "512"}},
                {.name = "batch", .values = {"1", "8", "16"}}},
       .sets = {{"tricubic", "size", "128"},
                {"plane_sweep", "kernel", "torch"},
                {"plane_sweep", "width", "640"},
                {"plane_sweep", "height", "480"},
                {"plane_sweep", "depths", "64"},
                {"plane_sweep", "sources", "4"},
                {"equirect_views", "width", "256"},
                {"equirect_views", "view", "64"},
                {"equirect_views", "frames", "16"}},
       .workloads = {"absorption", "tricubic", "plane_sweep", "equirect_views"},
       .repetitions = {{"absorption", 200}}},
  };
}

}  // namespace

ImageChoice images_from_json(const JsonPlace& root) {
  ImageChoice images;
  if (const auto rig = root.find("rig")) images.rig = rig->text();
  if (const auto imaging = root.find("imaging")) images.imaging = imaging->text();
  if (const auto width = root.find("width")) images.width_px = read_count(*width, kMaxImageSide_px);
  if (const auto height = root.find("height")) images.height_px = read_count(*height, kMaxImageSide_px);
  return images;
}

void add_images(Json& json, const ImageChoice& images) {
  if (images.rig) json["rig"] = *images.rig;
  if (images.imaging) json["imaging"] = *images.imaging;
  if (images.width_px) json["width"] = static_cast<std::uint64_t>(*images.width_px);
  if (images.height_px) json["height"] = static_cast<std::uint64_t>(*images.height_px);
}

const std::vector<Suite>& suite_registry() {
  static const std::vector<Suite> all = [] {
    std::vector<Suite> suites = method_suites();
    std::ranges::move(workload_suites(), std::back_inserter(suites));
    return suites;
  }();
  return all;
}

std::vector<std::string> all_scenes(const Suite& suite) {
  return all_of_parts(suite, &SuitePart::scenes, suite.scenes);
}

std::vector<std::string> all_methods(const Suite& suite) {
  return all_of_parts(suite, &SuitePart::methods, suite.methods);
}

Suite read_suite_file(const std::filesystem::path& path) {
  JsonLimits limits = kMessageJson;
  limits.max_bytes = std::size_t{1} << 20;
  limits.max_keys = kMaxSuiteEntries;
  return suite_from_json(read_strict_json(path, limits), path.string());
}

Suite suite_from_json(const Json& json, const std::string& source) {
  return suite_at(JsonPlace(json, source));
}

Suite suite_at(const JsonPlace& root) {
  root.allow_only({"name", "description", "scenes", "methods", "seeds", "axes", "set", "workloads", "rig",
                   "imaging", "width", "height", "more", "repetitions", "poses", "alignment", "scoring",
                   "protocols"});
  Suite suite;
  suite.name = root.at("name").text();
  if (suite.name.empty() || one_line(suite.name) != suite.name)
    root.at("name").fail("must be one non-empty line of text");
  if (const auto description = root.find("description")) suite.description = one_line(description->text());
  if (const auto workloads = root.find("workloads")) suite.workloads = read_names(*workloads);
  if (suite.workloads.empty() || root.find("scenes") || root.find("methods")) {
    suite.scenes = read_names(root.at("scenes"));
    suite.methods = read_names(root.at("methods"));
  }
  if (const auto seeds = root.find("seeds")) suite.seeds = read_seeds(*seeds);
  if (const auto axes = root.find("axes")) suite.axes = read_axes(*axes);
  if (const auto sets = root.find("set"))
    for (const auto& [key, place] : sets->members()) suite.sets.push_back(read_set(key, place));
  if (const auto poses = root.find("poses")) {
    suite.poses = poses->text();
    if (suite.poses != "own" && suite.poses != "given") poses->fail("must be given or own");
  }
  for (const char* const owner : {kAlignmentOwner, kScoringOwner})
    if (const auto settings = root.find(owner))
      for (const auto& [key, place] : settings->members())
        suite.sets.push_back(read_set(fmt::format("{}.{}", owner, key), place));
  if (const auto protocols = root.find("protocols"))
    suite.sets.push_back(
        {kProtocolsOwner, "names", fmt::format("{}", fmt::join(read_names(*protocols), " "))});
  suite.images = images_from_json(root);
  if (const auto more = root.find("more")) {
    if (more->value().size() > kMaxSuiteEntries) more->fail("has more than {} parts", kMaxSuiteEntries);
    for (const JsonPlace& part : more->elements()) suite.more.push_back(read_part(part));
  }
  if (const auto repetitions = root.find("repetitions")) suite.repetitions = read_repetitions(*repetitions);
  return suite;
}

Json axes_json(const std::vector<Axis>& axes) {
  Json json = Json::object();
  for (const Axis& axis : axes) json[axis.name] = axis.values;
  return json;
}

Json to_json(const Suite& suite) {
  Json sets = Json::object();
  for (const Override& given : suite.sets) sets[given.owner + "." + given.parameter] = given.value;
  Json json = {{"name", suite.name},
               {"description", suite.description},
               {"seeds", suite.seeds},
               {"axes", axes_json(suite.axes)},
               {"set", sets}};
  if (!suite.workloads.empty()) json["workloads"] = suite.workloads;
  if (suite.workloads.empty() || !suite.scenes.empty() || !suite.methods.empty()) {
    json["scenes"] = suite.scenes;
    json["methods"] = suite.methods;
  }
  if (!suite.poses.empty()) json["poses"] = suite.poses;
  add_images(json, suite.images);
  for (const auto& [scenes, methods, axes] : suite.more)
    json["more"].push_back({{"scenes", scenes}, {"methods", methods}, {"axes", axes_json(axes)}});
  for (const auto& [workload, runs] : suite.repetitions)
    json["repetitions"][workload] = static_cast<std::uint64_t>(runs);
  return json;
}

}  // namespace aqbench
