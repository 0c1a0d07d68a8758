#include "core/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files.h"

#ifndef AQBENCH_MODULES_FROM_PROGRAM
#define AQBENCH_MODULES_FROM_PROGRAM "../lib/aqbench"
#endif
#ifndef AQBENCH_MODULES_FROM_LIBRARY
#define AQBENCH_MODULES_FROM_LIBRARY "aqbench"
#endif
#ifndef AQBENCH_DATA_FROM_PROGRAM
#define AQBENCH_DATA_FROM_PROGRAM "../share/aqbench"
#endif
#ifndef AQBENCH_DATA_FROM_LIBRARY
#define AQBENCH_DATA_FROM_LIBRARY "../share/aqbench"
#endif

// GNU build IDs of the modules that the program was built with, in the order of Module: hashes by the linker
// of their contents. So the program's own hash also identifies its modules. Absent in test programs.
extern "C" __attribute__((weak)) const char* const aqbench_module_build_ids[5];

namespace aqbench {

namespace {

namespace fs = std::filesystem;

constexpr char kAnchor = 0;  // an address in the file that holds this code

// Returns the loader's path of that file; "" for the running program.
std::string loaded_as() {
  Dl_info info{};
  link_map* map = nullptr;
  if (::dladdr1(&kAnchor, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return "";
  return map->l_name == nullptr ? "" : map->l_name;
}

bool is_in_shared_library() { return !loaded_as().empty(); }

fs::path relative_to_own_file(const char* from_program, const char* from_library) {
  const fs::path file = own_file();
  if (file.empty()) return {};
  return (file.parent_path() / (is_in_shared_library() ? from_library : from_program)).lexically_normal();
}

bool is_plain_word(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

}  // namespace

fs::path own_file() {
  std::error_code error;
  const std::string library = loaded_as();
  const fs::path file =
      library.empty() ? fs::read_symlink("/proc/self/exe", error) : fs::canonical(library, error);
  return error ? fs::path() : file;
}

std::vector<fs::path> module_folders() {
  const fs::path file = own_file();
  if (file.empty()) return {};
  std::vector<fs::path> folders = {file.parent_path()};
  for (const fs::path& folder :
       {relative_to_own_file(AQBENCH_MODULES_FROM_PROGRAM, AQBENCH_MODULES_FROM_LIBRARY),
        file.parent_path().parent_path() / "lib" / "aqbench"})
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  return folders;
}

fs::path installed_data_file(const std::string& name) {
  const fs::path folder = relative_to_own_file(AQBENCH_DATA_FROM_PROGRAM, AQBENCH_DATA_FROM_LIBRARY);
  if (folder.empty() || !is_file(folder / name)) return {};
  return folder / name;
}

fs::path baseline_file(const fs::path& given) {
  if (!is_plain_word(given.string()) || path_exists(given)) return given;
  const fs::path installed = installed_data_file("baselines/" + given.string() + ".json");
  return installed.empty() ? given : installed;
}

namespace {

constexpr std::array<const char*, 5> kModuleNames = {"meshes", "images", "pipeline", "torch",
                                                     "opencl"};  // as in Module

std::string file_name_of(Module module) { return fmt::format("libaqbench_{}.so", module_name(module)); }

struct LoadedModule {
  std::atomic<void*> handle{nullptr};
  std::mutex mutex;
};

LoadedModule& slot_of(Module module) {
  static std::array<LoadedModule, kModuleNames.size()> modules;
  return modules[static_cast<std::size_t>(module)];
}

// Returns the build ID from the notes of a loaded library in hexadecimal; "" if it has none.
std::string build_id_of(void* handle) {
  const link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return "";
  struct Search {
    ElfW(Addr) base;
    std::string id;
  } search{map->l_addr, ""};
  const auto look = [](dl_phdr_info* library, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (library->dlpi_addr != wanted.base) return 0;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = library->dlpi_phdr[i];
      if (header.p_type != PT_NOTE) continue;
      const char* at = reinterpret_cast<const char*>(library->dlpi_addr + header.p_vaddr);
      const char* const end = at + header.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
        const char* const name = at + sizeof *note;
        const char* const id = name + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID &&
            std::string_view(name, note->n_namesz) == std::string_view("GNU", 4))
          for (std::size_t k = 0; k < note->n_descsz; ++k)
            wanted.id += fmt::format("{:02x}", static_cast<unsigned char>(id[k]));
        at = id + (note->n_descsz + 3) / 4 * 4;
      }
    }
    return 1;
  };
  ::dl_iterate_phdr(look, &search);
  return search.id;
}

// The dynamic loader dies of SIGBUS on a truncated file, so check its end first: an ELF file ends with its
// section table.
bool is_whole(const std::filesystem::path& file) {
  ElfW(Ehdr) header{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  return !error && bytes >= header.e_shoff + std::uintmax_t{header.e_shnum} * header.e_shentsize;
}

// Modules resolve symbols of the lighter folders in the program. If a shared library provides those and was
// loaded with local visibility (as Python loads modules), make its symbols global.
void make_own_symbols_global() {
  const std::string library = own_file().string();
  if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD) == nullptr)
    throw input_error("{}: cannot make its symbols visible to modules: {}", library, ::dlerror());
}

void* open_module(Module module) {
  if (module == Module::torch) load_module(Module::pipeline);
  if (&aqbench_module_build_ids == nullptr) throw input_error("this program was built without modules");
  const std::string wanted = aqbench_module_build_ids[static_cast<std::size_t>(module)];
  if (wanted.empty()) throw input_error("this program was built without the module {}", module_name(module));
  const std::filesystem::path file = module_file(module);
  if (file.empty()) {
    std::string folders;
    for (const std::filesystem::path& folder : module_folders())
      folders += (folders.empty() ? "" : " and ") + folder.string();
    throw input_error(
        "module {} is missing in {}; it is in the package aqbench-pipeline and in the full "
        "portable folder (docs/install.md), not in the wheel",
        file_name_of(module), folders);
  }
  if (!is_whole(file)) throw input_error("{}: truncated or unreadable", file.string());
  if (is_in_shared_library()) make_own_symbols_global();
  // Global, because the thread counts of OpenBLAS and OpenMP are set by functions looked up by name.
  errno = 0;
  void* const handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (handle == nullptr && errno == ENOMEM) throw std::bad_alloc();
  if (handle == nullptr) throw input_error("{}: cannot load: {}", file.string(), ::dlerror());
  if (const std::string found = build_id_of(handle); found != wanted)
    throw input_error("{}: belongs to another build of aqbench (build ID {}, not {}); reinstall both",
                      file.string(), found.empty() ? "unknown" : found, wanted);
  return handle;
}

}  // namespace

const char* module_name(Module module) { return kModuleNames[static_cast<std::size_t>(module)]; }

std::filesystem::path module_file(Module module) {
  for (const std::filesystem::path& folder : module_folders())
    if (std::filesystem::path file = folder / file_name_of(module); path_exists(file)) return file;
  return {};
}

void load_module(Module module) {
  LoadedModule& slot = slot_of(module);
  if (slot.handle.load(std::memory_order_acquire) != nullptr) return;
  const std::lock_guard lock(slot.mutex);
  if (slot.handle.load(std::memory_order_relaxed) == nullptr)
    slot.handle.store(open_module(module), std::memory_order_release);
}

bool is_loaded(Module module) { return slot_of(module).handle.load(std::memory_order_acquire) != nullptr; }

const void* detail::find_in_module(Module module, const char* symbol) {
  load_module(module);
  const void* const found = ::dlsym(slot_of(module).handle.load(std::memory_order_acquire), symbol);
  if (found == nullptr) throw input_error("{} lacks symbol {}", file_name_of(module), symbol);
  return found;
}

}  // namespace aqbench
