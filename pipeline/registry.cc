#include <vector>

#include "core/error.h"
#include "core/module.h"
#include "core/parameters.h"
#include "pipeline/dense_flow/dense_flow.h"
#include "pipeline/external/external.h"
#include "pipeline/external/given.h"
#include "pipeline/method/method.h"
#include "pipeline/plane_sweep/plane_sweep_method.h"
#include "pipeline/simulated/simulated.h"
#include "pipeline/sparse/sparse.h"

AQBENCH_MODULE_TABLE aqbench::MethodsTable aqbench_methods_table;

namespace aqbench {
namespace {

// Calls a run in the module `pipeline`.
template <RealMethod MethodsTable::*method>
constexpr RealMethod kInModule = [](const Observation& observation, const MethodInput& input) {
  return (methods_table().*method)(observation, input);
};

// The file of a saved matcher.
std::vector<std::filesystem::path> model_file(const Observation&, const MethodInput& input) {
  return {input.parameters.text("model")};
}

// A method that sees the truth.
MethodSpec simulated_method(const char* name, const char* summary, const SimulatedProfile& profile) {
  return {.name = name,
          .summary = summary,
          .parameters = simulated_parameters(profile),
          .presets = {},
          .stages = simulated_stages(),
          .run = &simulate};
}

// Methods that see only an Observation.
std::vector<MethodSpec> real_methods() {
  return {
      {.name = "dense_flow",
       .summary = "dense inverse search flow between neighbouring cameras, triangulated by refracted rays",
       .parameters = dense_flow::parameters(),
       .presets = dense_flow::presets(),
       .stages = dense_flow::dense_stages(),
       .run = kInModule<&MethodsTable::dense_flow>,
       .dtype = "float32",
       .gives_depth_maps = true},
      {.name = "sparse",
       .summary = "features, matches and triangulation through the water: a sparse cloud",
       .parameters = sparse::method_parameters(),
       .presets = sparse::presets(),
       .stages = sparse::stages(),
       .run = kInModule<&MethodsTable::sparse>,
       .dtype = "float32"},
      {.name = "plane_sweep",
       .summary = "dense depth maps by plane-sweep stereo through the water, filtered and fused",
       .parameters = plane_sweep_parameters(),
       .presets = plane_sweep_presets(),
       .stages = plane_sweep_stages(),
       .run = kInModule<&MethodsTable::plane_sweep>,
       .dtype = "float32",
       .gives_depth_maps = true},
      {.name = "external",
       .summary = "any program that reads a dataset folder and writes a PLY file",
       .parameters = external_parameters(),
       .presets = {},
       .stages = external_stages(),
       .run = &run_external,
       .dtype = "unknown",
       .starts_program = true,
       .tells_own_stages = true,
       .reads = &external_reads,
       .guest = &external_guest},
      {.name = "torchscript",
       .summary = "dense_flow with a matcher saved by torch.jit",
       .parameters = dense_flow::torchscript_parameters(),
       .presets = {},
       .stages = dense_flow::torchscript_stages(),
       .run = kInModule<&MethodsTable::torchscript>,
       .dtype = "float32",
       .gives_depth_maps = true,
       .uses_libtorch = true,
       .tells_own_stages = true,
       .reads = &model_file,
       .guest = [](const MethodInput& input) -> std::vector<GuestPart> {
         return {{input.parameters.text("model"), input.parameters.text("model")}};
       }},
  };
}

}  // namespace

const MethodsTable& methods_table() {
  return module_table<MethodsTable>(Module::pipeline, "aqbench_methods_table", &aqbench_methods_table);
}

const std::vector<MethodSpec>& method_registry() {
  static const std::vector<MethodSpec> table = [] {
    std::vector<MethodSpec> methods = real_methods();
    methods.push_back(simulated_method(
        "lightglue_like", "simulated: few points, like a sparse matcher such as LightGlue", kLightglueLike));
    methods.push_back(simulated_method(
        "roma_like", "simulated: more points and less noise, like a dense matcher such as RoMa", kRomaLike));
    return methods;
  }();
  return table;
}

const MethodSpec& find_method(std::string_view name) { return find_named("method", name, method_registry()); }

MethodSpec declared_method(const MethodDeclaration& declaration) {
  const bool given = !declaration.given.empty();
  return {.name = declaration.name,
          .summary = declaration.summary,
          .parameters = declaration.parameters,
          .presets = declaration.presets,
          .stages = given ? std::vector<std::string>() : external_stages(),
          .run = given ? &run_given : &run_external,
          .starts_program = !given,
          .tells_own_stages = !given,
          .reads = given ? &given_reads : &external_reads,
          .guest = given ? &given_guest : &external_guest,
          .declaration = std::make_shared<const MethodDeclaration>(declaration)};
}

const std::vector<StageSpec>& stage_registry() {
  static const std::vector<StageSpec> table{
      {"simulation",
       "a simulated method as a whole: points of the true surface with the errors of a profile"},
      {"sampling", "area-uniform positions on the true surface"},
      {"noise", "dropout of whole points and Gaussian noise of the rest"},
      {"pipeline", "a real method as a whole, from the images to the cloud"},
      {"image_reading", "decoding a dataset's images and taking their grey values"},
      {"undistortion", "grey images resampled as the undistorted cameras would give them"},
      {"model_loading", "a matcher read from its file"},
      {"depth_range", "search for the plane or depths on which the images agree"},
      {"dense_matching", "match of each pixel of a view in its neighbours"},
      {"triangulation", "points where refracted rays of several views meet"},
      {"depth_refinement", "depths improved on the grey values of all sources at once"},
      {"filtering", "removal of depths that other views do not confirm"},
      {"fusion", "points of all cameras joined to one cloud with normals, outliers removed"},
      {"surface_reconstruction", "a triangle mesh through the cloud"},
      {"depth_estimation", "depth maps of all cameras: plane sweep and refinement"},
      {"build_cost_volume", "plane sweep: matching costs of every pixel and depth hypothesis"},
      {"grid_sample_warp", "plane sweep, torch kernel: the sources sampled where the hypotheses project"},
      {"extract_depth", "plane sweep: the cheapest hypothesis of each pixel, refined, and its confidence"},
      {"contrast_enhancement", "CLAHE of the undistorted images"},
      {"sparse_matching", "features, their matches and the tracks that these make"},
      {"external_command", "an external program, from start to end"},
      {"device_build", "OpenCL: a device opened, or its kernels compiled"},
      {"device_record", "OpenCL: calls recorded as command buffers"},
      {"absorption", "workload absorption: one image"},
      {"tricubic", "workload tricubic: all queries"},
      {"load", "bytes of a file read from disk"},
      {"decode", "PNG or JPEG to pixels"},
      {"stack", "frames of a batch laid side by side in memory"},
      {"copy", "a batch moved to the device and made floats"},
      {"sample", "views sampled from frames"},
      {"convert", "views back to bytes on the host"},
      {"encode", "pixels to PNG or JPEG"},
      {"write", "bytes of files written to disk, not flushed"},
  };
  return table;
}

}  // namespace aqbench
