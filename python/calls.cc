// The functions of aqbench/*.h for the Python package, which calls them by ctypes: words and arrays in, an
// answer of JSON and arrays out. It needs nothing of Python, so one build serves every version of it.
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "aqbench/ab.h"
#include "aqbench/evaluate.h"
#include "aqbench/metrics.h"
#include "aqbench/scenes.h"

namespace aq = aqbench::v1;

namespace {

using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint16_t>>;

}  // namespace

extern "C" {

// Values of the caller.
struct AqArray {
  const void* data;
  std::int64_t count;
};

// What a call gives: an object to pass on, or JSON with arrays, or the text of an error.
struct AqAnswer {
  std::string text = {};
  std::vector<Values> arrays = {};
  std::optional<aq::Scene> scene = {};
  std::vector<aq::Camera> cameras = {};
};
}

namespace {

using Json = nlohmann::ordered_json;

// One call: its words, arrays and objects, in the order of the Python package.
struct Call {
  std::span<const char* const> words;
  std::span<const AqArray> arrays;
  std::span<const AqAnswer* const> objects;

  template <class Value>
  std::span<const Value> array(std::size_t i) const {
    if (i >= arrays.size()) return {};
    return {static_cast<const Value*>(arrays[i].data), static_cast<std::size_t>(arrays[i].count)};
  }
  const aq::Scene& scene() const { return objects[0]->scene.value(); }
  const aq::Camera& camera() const { return objects.back()->cameras.front(); }
  std::uint64_t number(std::size_t i) const { return std::stoull(words[i]); }

  // The words from number `first` on, in pairs.
  std::vector<aq::Setting> settings(std::size_t first) const {
    std::vector<aq::Setting> settings;
    for (std::size_t i = first; i + 1 < words.size(); i += 2) settings.push_back({words[i], words[i + 1]});
    return settings;
  }
};

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// [name, unit, value or null, reason, better, ideal or null] of each metric.
Json rows_of(const std::vector<aq::Metric>& metrics) {
  Json rows = Json::array();
  for (const aq::Metric& metric : metrics)
    rows.push_back({metric.name, metric.unit, optional(metric.value), metric.reason, metric.better,
                    optional(aq::ideal_of(metric.name))});
  return rows;
}

AqAnswer told(const Json& value) { return {.text = value.dump()}; }

AqAnswer cameras_answer(std::vector<aq::Camera> cameras) {
  Json list = Json::array();
  for (const aq::Camera& camera : cameras)
    list.push_back({camera.name(), camera.width_px(), camera.height_px(), aq::calibration_text({camera})});
  return {.text = list.dump(), .cameras = std::move(cameras)};
}

AqAnswer make_scene(const Call& call) {
  aq::Scene scene(call.words[0], call.settings(1));
  const double area_m2 = scene.area_m2();
  return {.text = Json({{"name", scene.name()}, {"area_m2", area_m2}}).dump(), .scene = std::move(scene)};
}

AqAnswer closest_points(const Call& call) {
  const auto points = call.array<double>(0);
  std::vector<double> closest(points.size()), normals(points.size()), distance(points.size() / 3);
  call.scene().closest_points(points, closest, normals, distance);
  return {.arrays = {std::move(closest), std::move(normals), std::move(distance)}};
}

AqAnswer sample(const Call& call) {
  aq::SurfacePoints points = aq::sample(call.scene(), call.array<double>(0)[0], call.number(0));
  return {.arrays = {std::move(points.points_m), std::move(points.normals)}};
}

AqAnswer project(const Call& call) {
  const auto points = call.array<double>(0);
  std::vector<double> pixels(points.size() / 3 * 2), depths(points.size() / 3);
  call.camera().project(points, pixels, depths);
  return {.arrays = {std::move(pixels), std::move(depths)}};
}

AqAnswer cast(const Call& call) {
  const auto pixels = call.array<double>(0);
  std::vector<double> origins(pixels.size() / 2 * 3), directions(pixels.size() / 2 * 3);
  call.camera().cast(pixels, origins, directions);
  return {.arrays = {std::move(origins), std::move(directions)}};
}

AqAnswer render(const Call& call) {
  aq::View view = aq::render(call.scene(), call.camera(),
                             {call.words[0], call.settings(3), call.number(1), call.number(2)});
  return {.text = Json({view.height_px, view.width_px, view.bits}).dump(),
          .arrays = {std::move(view.values), std::move(view.depth_along_ray_m)}};
}

// Words: the names of geometries, each with three arrays (points, normals, triangles), "--", the arguments.
AqAnswer evaluate(const Call& call) {
  std::vector<aq::Geometry> geometries;
  std::size_t i = 0;
  for (; std::string_view(call.words[i]) != "--"; ++i)
    geometries.push_back({call.words[i], call.array<double>(3 * i), call.array<double>(3 * i + 1),
                          call.array<std::uint32_t>(3 * i + 2)});
  const auto arguments = call.words.subspan(i + 1);
  const aq::Evaluation found = aq::evaluate({arguments.begin(), arguments.end()}, geometries);
  return told({{"json", found.json}, {"metrics", rows_of(found.metrics)}, {"notes", found.notes}});
}

AqAnswer compare(const Call& call) {
  const aq::Comparison found = aq::compare(call.array<double>(0), call.array<double>(1),
                                           std::string(call.words[0]) == "higher", call.words[1]);
  return told({{"verdict", found.verdict},
               {"reason", found.reason},
               {"change", found.change},
               {"change_low", found.change_low},
               {"change_high", found.change_high},
               {"p_worse", found.p_worse},
               {"p_better", found.p_better},
               {"pairs", found.pairs},
               {"kept", found.kept}});
}

AqAnswer open_bundle(const Call& call) {
  const aq::Bundle bundle = aq::open_bundle(call.words[0]);
  Json cases = Json::array();
  for (const aq::BundleCase& one : bundle.cases)
    cases.push_back({{"case", one.name},
                     {"scene", one.scene},
                     {"method", one.method},
                     {"workload", one.workload},
                     {"status", one.status},
                     {"reason", one.reason},
                     {"warm_ms", one.warm_ms},
                     {"metrics", rows_of(one.metrics)}});
  return told({{"run", bundle.run},
               {"suite", bundle.suite},
               {"started_utc", bundle.started_utc},
               {"complete", bundle.complete},
               {"cases", cases}});
}

const std::map<std::string, std::function<AqAnswer(const Call&)>>& functions() {
  static const std::map<std::string, std::function<AqAnswer(const Call&)>> table = {
      {"version", [](const Call&) { return told(aq::version()); }},
      {"names",
       [](const Call&) {
         return told({aq::scene_names(), aq::rig_names()});
       }},
      {"program", [](const Call&) { return AqAnswer{.text = aq::program()}; }},
      {"set_threads",
       [](const Call& call) {
         aq::set_threads(std::stoi(call.words[0]));
         return AqAnswer{};
       }},
      {"scene", make_scene},
      {"closest_points", closest_points},
      {"sample", sample},
      {"make_rig",
       [](const Call& call) {
         return cameras_answer(aq::make_rig(call.words[0], call.settings(2), call.number(1)));
       }},
      {"read_rig", [](const Call& call) { return cameras_answer(aq::read_rig(call.words[0])); }},
      {"camera", [](const Call& call) { return cameras_answer(aq::parse_rig(call.words[0])); }},
      {"project", project},
      {"cast", cast},
      {"score",
       [](const Call& call) {
         return told(rows_of(aq::score(call.array<double>(0), call.scene(), call.array<double>(1))));
       }},
      {"score_mesh",
       [](const Call& call) {
         return told(
             rows_of(aq::score_mesh(call.array<double>(0), call.array<std::uint32_t>(1), call.scene())));
       }},
      {"score_depth",
       [](const Call& call) {
         return told(rows_of(aq::score_depth(call.array<float>(0), call.array<float>(1))));
       }},
      {"render", render},
      {"evaluate", evaluate},
      {"compare", compare},
      {"open_bundle", open_bundle},
  };
  return table;
}

}  // namespace

extern "C" {

// Calls a function by name. Returns 0, or the program's exit code of an error, whose text is the answer's.
// The answer is the caller's, to be freed; nullptr where memory is missing.
__attribute__((visibility("default"))) int aqbench_call(const char* function, const char* const* words,
                                                        std::int64_t word_count, const AqArray* arrays,
                                                        std::int64_t array_count,
                                                        const AqAnswer* const* objects,
                                                        std::int64_t object_count, AqAnswer** answer) {
  *answer = nullptr;
  try {
    *answer = new AqAnswer();
    const Call call{{words, static_cast<std::size_t>(word_count)},
                    {arrays, static_cast<std::size_t>(array_count)},
                    {objects, static_cast<std::size_t>(object_count)}};
    **answer = functions().at(function)(call);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  } catch (const aq::Failure& failure) {
    (*answer)->text = failure.what();
    return failure.exit_code;
  } catch (const std::exception& error) {
    (*answer)->text = error.what();
    return 3;
  }
}

__attribute__((visibility("default"))) const char* aqbench_text(const AqAnswer* answer) {
  return answer->text.c_str();
}

// Returns the values of array i of an answer, which live as long as it.
__attribute__((visibility("default"))) AqArray aqbench_array(AqAnswer* answer, std::int64_t i) {
  return std::visit(
      [](const auto& values) {
        return AqArray{values.data(), static_cast<std::int64_t>(values.size())};
      },
      answer->arrays.at(static_cast<std::size_t>(i)));
}

__attribute__((visibility("default"))) void aqbench_free(AqAnswer* answer) { delete answer; }
}
