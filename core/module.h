#pragma once
// Modules: shared libraries with the code that needs LibTorch, OpenCV, Open3D, Embree or OpenCL. The program
// loads one at its first use, so commands that need none start in milliseconds.
//
// A module provides tables of functions. A table is a plain struct of function pointers, declared in the
// header of the calling folder, and a constant with C linkage in the module. Programs that link a module's
// code statically (tests, benchmarks) contain the constant and load nothing.
//
// This header also finds the files that belong to this program, relative to the file that contains this code,
// so that an installation can be moved.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// The modules.
enum class Module {
  meshes,    // ray-mesh intersections: Embree
  images,    // image files and Fourier transforms: OpenCV, libjpeg, libtiff, OpenEXR
  pipeline,  // real methods: OpenCV, Open3D
  torch,     // workloads, and what else needs LibTorch; uses what `pipeline` holds
  opencl,    // devices: OpenCL; absent from builds without it
};

// Loads a module once. Throws Error(input) if it is missing (naming the folders searched), cannot be loaded,
// or is from another build.
void load_module(Module module);

// Returns the name of a module: "meshes".
const char* module_name(Module module);

// Returns the file that load_module() would load; empty if it is in none of module_folders().
std::filesystem::path module_file(Module module);

// Returns whether the module is loaded in this process.
bool is_loaded(Module module);

// Returns the file that contains this code: the running program, or the shared library loaded by another one
// (Python, say). Empty if the system does not report it.
std::filesystem::path own_file();

// Returns the folders that are searched for modules, in order: the one of own_file(), as in a build folder;
// the installation's; ../lib/aqbench.
std::vector<std::filesystem::path> module_folders();

// Returns a file of the installation's data folder (share/aqbench), such as "baselines/seed.json"; empty if
// it is missing, as in a build folder.
std::filesystem::path installed_data_file(const std::string& name);

// Returns `given` if that file exists. Otherwise, if `given` is a plain word, returns the installed baseline
// of that name ("seed": share/aqbench/baselines/seed.json) if it exists; else `given`.
std::filesystem::path baseline_file(const std::filesystem::path& given);

namespace detail {
// Returns the address of a symbol in a module. Throws like load_module(), and Error(input) if the symbol is
// missing.
const void* find_in_module(Module module, const char* symbol);
}  // namespace detail

// Returns a module's table of functions, loading the module if necessary. `linked` is the address of the
// constant if the program contains it (a weak symbol), else nullptr; `symbol` is its name. Throws like
// load_module().
template <class Table>
const Table& module_table(Module module, const char* symbol, const Table* linked) {
  static const Table& table =
      linked != nullptr ? *linked : *static_cast<const Table*>(detail::find_in_module(module, symbol));
  return table;
}

}  // namespace aqbench

// Declares a table's constant as a weak symbol: nullptr in programs without it.
#define AQBENCH_MODULE_TABLE extern "C" __attribute__((weak)) const
