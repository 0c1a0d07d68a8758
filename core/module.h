#pragma once
// Modules: shared libraries with the code that needs LibTorch, OpenCV, Open3D or Embree. The program starts
// without them and loads one when something in it is first called, so that commands which need none of them
// start in milliseconds.
//
// A module gives tables of functions. A table is a plain struct of function pointers, declared in the header
// of the folder that calls it, and a constant with C linkage of that type in the module. Programs that link a
// module's code statically (tests, benchmarks) have the constant themselves and load nothing.
//
// This header also finds the files that belong to this program, relative to the file that holds this code, so
// that an installation can be moved.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// The modules that there are.
enum class Module {
  meshes,    // where rays meet meshes: Embree
  images,    // image files and Fourier transforms: OpenCV, libjpeg, libtiff, OpenEXR
  pipeline,  // real methods and workloads: LibTorch, OpenCV, Open3D
};

// Loads a module unless that is done already. Throws Error(input) that says where it was looked for if there
// is none, if it cannot be loaded, or if it is not the one that this program was built with.
void load_module(Module module);

// Returns the name of a module: "meshes".
const char* module_name(Module module);

// Returns the file that load_module() would load; empty where there is none in any of module_folders().
std::filesystem::path module_file(Module module);

// Returns whether the module has been loaded into this process.
bool is_loaded(Module module);

// Returns the file that holds this code: the running program, or the shared library that brings it into
// another one (into Python, say). Empty where the system does not tell.
std::filesystem::path own_file();

// Returns whether this code is part of a shared library and not of the running program.
bool is_in_shared_library();

// Returns the folders in which modules are looked for, in this order: beside own_file(), as in a build
// folder; the folder of an installation; ../lib/aqbench.
std::vector<std::filesystem::path> module_folders();

// Returns a file of the installation's data folder (share/aqbench), such as "baselines/seed.json"; empty
// where there is no such file, as in a build folder.
std::filesystem::path installed_data_file(const std::string& name);

// Returns `given` where that file is there. Else, where `given` is a plain word, the baseline of that name
// which was installed ("seed" is share/aqbench/baselines/seed.json) if there is one; else `given`.
std::filesystem::path baseline_file(const std::filesystem::path& given);

namespace detail {
// Returns the address of a symbol in a module. Throws as load_module(), and Error(input) where it has none.
const void* find_in_module(Module module, const char* symbol);
}  // namespace detail

// Returns a module's table of functions, loading the module if need be. `linked` is the address of the
// constant where the program itself has it (a weak symbol), else nullptr; `symbol` is its name. Throws as
// load_module().
template <class Table>
const Table& module_table(Module module, const char* symbol, const Table* linked) {
  static const Table& table =
      linked != nullptr ? *linked : *static_cast<const Table*>(detail::find_in_module(module, symbol));
  return table;
}

}  // namespace aqbench

// Declares the constant of a table so that a program without it still links: its address is then nullptr.
#define AQBENCH_MODULE_TABLE extern "C" __attribute__((weak)) const
