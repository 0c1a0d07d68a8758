#pragma once
// Modules: shared libraries with the code that needs LibTorch, OpenCV or Open3D. The program starts without
// them and loads one when something in it is first called, so that commands which need none of them start in
// milliseconds.
//
// A module gives tables of functions. A table is a plain struct of function pointers, declared in the header
// of the folder that calls it, and a constant with C linkage of that type in the module. Programs that link a
// module's code statically (tests, benchmarks) have the constant themselves and load nothing.

#include <filesystem>

namespace aqbench {

// The modules that there are.
enum class Module {
  meshes,    // closest points on meshes: Open3D
  images,    // image files and Fourier transforms: OpenCV
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
