// The Python module aqbench._aqbench: numpy arrays in and out of aqbench/*.h. Arrays of float64 (depths:
// float32) in C order are used in place; others are converted. The global interpreter lock is released while
// aqbench works.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aqbench/ab.h"
#include "aqbench/metrics.h"
#include "aqbench/scenes.h"

namespace py = pybind11;
namespace aq = aqbench::v1;

namespace {

template <class Value>
using Array = py::array_t<Value, py::array::c_style | py::array::forcecast>;

template <class Value>
std::span<const Value> values_of(const Array<Value>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
template <class Value>
std::span<Value> room_of(py::array_t<Value>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

// Returns what numpy makes of an argument, in C order; what is masked becomes NaN. Throws unless it holds
// integers or floats: a cast would leave a part of a complex number out, and make numbers of dates and texts.
template <class Value>
Array<Value> numbers(const char* what, const py::object& given) {
  const py::module_ numpy = py::module_::import("numpy"), masks = numpy.attr("ma");
  py::array array = numpy.attr("asanyarray")(given);
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u' && kind != 'f')
    throw aq::Failure(2, std::string(what) + ": must be integers or floats, not " +
                             py::cast<std::string>(py::str(array.dtype())));
  if (py::isinstance(array, masks.attr("MaskedArray")))
    array = array.attr("astype")(py::dtype::of<Value>()).attr("filled")(numpy.attr("nan"));
  const Array<Value> converted = Array<Value>::ensure(array);
  if (!converted) throw py::error_already_set();
  return converted;
}

// Throws unless the array has n rows of `columns` values.
template <class Value>
void require_rows(const char* what, const Array<Value>& array, py::ssize_t columns) {
  if (array.ndim() != 2 || array.shape(1) != columns)
    throw aq::Failure(2, std::string(what) + ": must have the shape (n, " + std::to_string(columns) + ")");
}

// Moves a vector into a numpy array without a copy.
template <class Value>
py::array_t<Value> owned(std::vector<Value> values, py::ssize_t rows, py::ssize_t columns) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const py::capsule owner(kept, [](void* data) { delete static_cast<std::vector<Value>*>(data); });
  return py::array_t<Value>({rows, columns}, kept->data(), owner);
}

std::vector<aq::Setting> settings_of(const py::kwargs& given) {
  std::vector<aq::Setting> settings;
  for (const auto& [name, value] : given)
    settings.push_back({py::cast<std::string>(name), py::cast<std::string>(py::str(value))});
  return settings;
}

// (name, unit, value or None, reason, better, ideal or None) of each metric.
py::list rows_of(const std::vector<aq::Metric>& metrics) {
  py::list rows;
  for (const aq::Metric& metric : metrics)
    rows.append(py::make_tuple(metric.name, metric.unit, metric.value, metric.reason, metric.better,
                               aq::ideal_of(metric.name)));
  return rows;
}

aq::Scene make_scene(const std::string& name, const py::kwargs& given) {
  const std::vector<aq::Setting> settings = settings_of(given);
  const py::gil_scoped_release free;
  return aq::Scene(name, settings);
}

py::list score(const py::object& given_points, const aq::Scene& scene, const py::object& given_normals) {
  const auto points = numbers<double>("points", given_points);
  std::optional<Array<double>> normals;
  if (!given_normals.is_none()) normals = numbers<double>("normals", given_normals);
  require_rows("points", points, 3);
  if (normals) require_rows("normals", *normals, 3);
  const auto points_m = values_of(points);
  const auto unit_normals = normals ? values_of(*normals) : std::span<const double>();
  std::vector<aq::Metric> metrics;
  {
    const py::gil_scoped_release free;
    metrics = aq::score(points_m, scene, unit_normals);
  }
  return rows_of(metrics);
}

py::list score_mesh(const py::object& given_vertices, const Array<std::uint32_t>& triangles,
                    const aq::Scene& scene) {
  const auto vertices = numbers<double>("vertices", given_vertices);
  require_rows("vertices", vertices, 3);
  require_rows("triangles", triangles, 3);
  const auto vertices_m = values_of(vertices);
  const auto indices = values_of(triangles);
  std::vector<aq::Metric> metrics;
  {
    const py::gil_scoped_release free;
    metrics = aq::score_mesh(vertices_m, indices, scene);
  }
  return rows_of(metrics);
}

py::list score_depth(const py::object& given_predicted, const py::object& given_truth) {
  const auto predicted = numbers<float>("predicted", given_predicted),
             truth = numbers<float>("truth", given_truth);
  bool same_shape = predicted.ndim() == truth.ndim();
  for (py::ssize_t axis = 0; same_shape && axis < truth.ndim(); ++axis)
    same_shape = predicted.shape(axis) == truth.shape(axis);
  if (!same_shape) throw aq::Failure(2, "predicted: must have the shape of truth");
  const auto ours = values_of(predicted), theirs = values_of(truth);
  std::vector<aq::Metric> metrics;
  {
    const py::gil_scoped_release free;
    metrics = aq::score_depth(ours, theirs);
  }
  return rows_of(metrics);
}

py::tuple closest_points(const aq::Scene& scene, const py::object& given_points) {
  const auto points = numbers<double>("points", given_points);
  require_rows("points", points, 3);
  py::array_t<double> closest({points.shape(0), py::ssize_t{3}}), normals({points.shape(0), py::ssize_t{3}});
  py::array_t<double> distance(points.shape(0));
  const auto in = values_of(points);
  const auto out = room_of(closest), unit = room_of(normals), signed_m = room_of(distance);
  {
    const py::gil_scoped_release free;
    scene.closest_points(in, out, unit, signed_m);
  }
  return py::make_tuple(closest, normals, distance);
}

py::tuple project(const aq::Camera& camera, const py::object& given_points) {
  const auto points = numbers<double>("points", given_points);
  require_rows("points", points, 3);
  py::array_t<double> pixels({points.shape(0), py::ssize_t{2}}), depths(points.shape(0));
  const auto in = values_of(points);
  const auto out = room_of(pixels), depths_m = room_of(depths);
  {
    const py::gil_scoped_release free;
    camera.project(in, out, depths_m);
  }
  return py::make_tuple(pixels, depths);
}

py::tuple cast(const aq::Camera& camera, const py::object& given_pixels) {
  const auto pixels = numbers<double>("pixels", given_pixels);
  require_rows("pixels", pixels, 2);
  py::array_t<double> origins({pixels.shape(0), py::ssize_t{3}}),
      directions({pixels.shape(0), py::ssize_t{3}});
  const auto in = values_of(pixels);
  const auto from = room_of(origins), along = room_of(directions);
  {
    const py::gil_scoped_release free;
    camera.cast(in, from, along);
  }
  return py::make_tuple(origins, directions);
}

py::tuple render(const aq::Scene& scene, const aq::Camera& camera, const std::string& imaging,
                 std::uint64_t seed, std::uint64_t camera_index, const py::kwargs& settings) {
  const aq::RenderOptions options{imaging, settings_of(settings), seed, camera_index};
  aq::View view;
  {
    const py::gil_scoped_release free;
    view = aq::render(scene, camera, options);
  }
  return py::make_tuple(owned(std::move(view.values), view.height_px, view.width_px),
                        owned(std::move(view.depth_along_ray_m), view.height_px, view.width_px), view.bits);
}

py::dict compare(const py::object& given_a, const py::object& given_b, bool higher_is_better,
                 const std::string& policy) {
  const auto a = numbers<double>("a", given_a), b = numbers<double>("b", given_b);
  const auto ours = values_of(a), theirs = values_of(b);
  aq::Comparison found;
  {
    const py::gil_scoped_release free;
    found = aq::compare(ours, theirs, higher_is_better, policy);
  }
  py::dict result;
  result["verdict"] = found.verdict;
  result["reason"] = found.reason;
  result["change"] = found.change;
  result["change_low"] = found.change_low;
  result["change_high"] = found.change_high;
  result["p_worse"] = found.p_worse;
  result["p_better"] = found.p_better;
  result["pairs"] = found.pairs;
  result["kept"] = found.kept;
  return result;
}

py::dict open_bundle(const std::string& path) {
  aq::Bundle bundle;
  {
    const py::gil_scoped_release free;
    bundle = aq::open_bundle(path);
  }
  py::list cases;
  for (const aq::BundleCase& one : bundle.cases) {
    py::dict row;
    row["case"] = one.name;
    row["scene"] = one.scene;
    row["method"] = one.method;
    row["workload"] = one.workload;
    row["status"] = one.status;
    row["reason"] = one.reason;
    row["warm_ms"] = one.warm_ms;
    row["metrics"] = rows_of(one.metrics);
    cases.append(row);
  }
  py::dict result;
  result["run"] = bundle.run;
  result["suite"] = bundle.suite;
  result["started_utc"] = bundle.started_utc;
  result["complete"] = bundle.complete;
  result["cases"] = cases;
  return result;
}

// ---- The Python interface ----

// aqbench.Error, with the attribute exit_code.
void add_error(py::module_& module) {
  static py::object type;  // as long as the process
  type = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
      "aqbench.Error",
      "An error with the text printed by the program. exit_code is the program's: 2 for a wrong name, value "
      "or file, 6 for reading and writing, 3 for anything else.",
      PyExc_ValueError, nullptr));
  module.attr("Error") = type;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const aq::Failure& failure) {
      const py::object error = type(failure.what());
      error.attr("exit_code") = failure.exit_code;
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
}

void add_scene(py::module_& module) {
  py::class_<aq::Scene>(
      module, "Scene",
      "An exactly known surface under water.\n\n"
      "Scene(name, **settings): a registered scene (aqbench list scenes) with its parameters, "
      "or \"mesh:FILE.ply\".")
      .def(py::init(&make_scene), py::arg("name"))
      .def_property_readonly("name", &aq::Scene::name, "Its name.")
      .def_property_readonly("area_m2", &aq::Scene::area_m2, "Area of the scored part, square metres.")
      .def("closest_points", closest_points, py::arg("points"),
           "Finds the closest point of the surface to each of the points (n, 3), metres.\n\n"
           "Returns closest points (n, 3), metres; unit normals there (n, 3), towards the cameras; signed "
           "distances (n,), metres, positive on the cameras' side.");
}

void add_camera(py::module_& module) {
  py::class_<aq::Camera>(module, "Camera",
                         "A camera above the water that looks into it; from make_rig() or read_rig().\n\n"
                         "Pixels: centres at integers, of the undistorted camera. World: metres, +Z down.")
      .def_property_readonly("name", &aq::Camera::name, "Its name.")
      .def_property_readonly("width_px", &aq::Camera::width_px, "Width of its images, pixels.")
      .def_property_readonly("height_px", &aq::Camera::height_px, "Height of its images, pixels.")
      .def(
          "project", project, py::arg("points"),
          "Projects points (n, 3), metres, through the water.\n\n"
          "Returns pixels (n, 2) and depths (n,), metres along the refracted ray from the water surface. NaN "
          "for a point that is not below the water or not in front of the camera; pixels may lie outside the "
          "image.")
      .def("cast", cast, py::arg("pixels"),
           "Casts the rays of pixels (n, 2).\n\n"
           "Returns origins on the water surface (n, 3), metres, and unit directions in the water (n, 3). "
           "NaN for a ray that does not reach the water.");
}

void add_functions(py::module_& module) {
  module.def(
      "make_rig",
      [](const std::string& name, std::uint64_t seed, const py::kwargs& settings) {
        return aq::make_rig(name, settings_of(settings), seed);
      },
      py::arg("name") = "ring12", py::arg("seed") = 42,
      "Makes the cameras of a registered rig (aqbench list rigs). **settings are its parameters, such as "
      "width=800 (pixels); seed draws the jitter. Returns a list of Camera.");
  module.def("read_rig", &aq::read_rig, py::arg("calibration_json"),
             "Reads the cameras of a dataset: calibration.json (metres, pixels). Returns a list of Camera.");
  module.def("set_threads", &aq::set_threads, py::arg("count"),
             "Sets the number of threads of aqbench; it changes no result. Default: all processors.");
  module.def("score", score, py::arg("points"), py::arg("scene"), py::arg("normals") = py::none());
  module.def("score_mesh", score_mesh, py::arg("vertices"), py::arg("triangles"), py::arg("scene"));
  module.def("score_depth", score_depth, py::arg("predicted"), py::arg("truth"));
  module.def("render", render, py::arg("scene"), py::arg("camera"), py::arg("imaging") = "default",
             py::arg("seed") = 42, py::arg("camera_index") = 0);
  module.def("compare", compare, py::arg("a"), py::arg("b"), py::arg("higher_is_better") = false,
             py::arg("policy") = "sensitive");
  module.def("open_bundle", open_bundle, py::arg("path"));
}

}  // namespace

PYBIND11_MODULE(_aqbench, module) {
  module.attr("__version__") = aq::version();
  add_error(module);
  add_scene(module);
  add_camera(module);
  add_functions(module);
}
