#include "harness/measuring/samplers.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace aqbench {

// The content of Symbols::Table; named, because a type with linkage may not contain unnamed types.
namespace symbols_detail {

struct FunctionSymbol {
  std::uintptr_t begin = 0, size = 0;
  std::string_view name;  // into the mapped file
};

// A memory-mapped file; empty on failure.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      void* const memory =
          ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (memory != MAP_FAILED)
        bytes_ = {static_cast<const char*>(memory), static_cast<std::size_t>(status.st_size)};
    }
    ::close(descriptor);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

struct LoadedFile {
  std::string path, name;  // full path, and its last part
  std::uintptr_t base = 0;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> code;  // [begin, end)
  bool read = false;
  std::unique_ptr<MappedFile> file, debug_file;
  std::vector<FunctionSymbol> functions;
};

}  // namespace symbols_detail

namespace {

using symbols_detail::FunctionSymbol;
using symbols_detail::LoadedFile;
using symbols_detail::MappedFile;

constexpr std::size_t kReadableLength = 100;

// Returns an array of T in a file, truncated at the file's end.
template <class T>
std::vector<T> elements_at(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  std::vector<T> elements(std::min<std::uint64_t>(size, bytes.size() - offset) / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), bytes.data() + offset, elements.size() * sizeof(T));
  return elements;
}

std::string_view name_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

// Returns the headers of an ELF file's sections; none for another file.
std::vector<ElfW(Shdr)> sections_of(std::string_view bytes) {
  if (bytes.size() < sizeof(ElfW(Ehdr)) || !bytes.starts_with(ELFMAG)) return {};
  const auto header = elements_at<ElfW(Ehdr)>(bytes, 0, sizeof(ElfW(Ehdr))).front();
  return elements_at<ElfW(Shdr)>(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(ElfW(Shdr)));
}

// Returns the functions of an ELF file, sorted by address.
std::vector<FunctionSymbol> function_symbols(std::string_view bytes) {
  std::vector<FunctionSymbol> functions;
  const auto sections = sections_of(bytes);
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_link >= sections.size()) continue;
    const std::uint64_t names = sections[section.sh_link].sh_offset;
    for (const auto& symbol : elements_at<ElfW(Sym)>(bytes, section.sh_offset, section.sh_size)) {
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_value == 0) continue;
      const std::string_view name = name_at(bytes, names + symbol.st_name);
      if (!name.empty()) functions.push_back({symbol.st_value, symbol.st_size, name});
    }
  }
  std::ranges::stable_sort(functions, {}, &FunctionSymbol::begin);
  return functions;
}

// Returns the file of debug symbols at Debian's place by build id; "" if there is none.
std::string debug_file_of(std::string_view bytes) {
  for (const auto& section : sections_of(bytes)) {
    if (section.sh_type != SHT_NOTE || section.sh_size < 16) continue;
    const auto note = elements_at<unsigned char>(bytes, section.sh_offset, section.sh_size);
    // Name size 4, id size, type, "GNU\0", the id.
    if (note.size() < 20 || note[0] != 4 || note[8] != NT_GNU_BUILD_ID || note[12] != 'G') continue;
    const std::size_t size = std::min<std::size_t>(note[4], note.size() - 16);
    const std::string hex = fmt::format(
        "{:02x}", fmt::join(note.begin() + 16, note.begin() + 16 + static_cast<std::ptrdiff_t>(size), ""));
    if (hex.size() > 2)
      return "/usr/lib/debug/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
  }
  return {};
}

int add_loaded_file(dl_phdr_info* info, std::size_t, void* list) {
  LoadedFile file;
  const std::string path = info->dlpi_name;
  auto& files = *static_cast<std::vector<LoadedFile>*>(list);
  file.path = path.empty() && files.empty() ? "/proc/self/exe" : path;  // the program itself comes first
  file.name = path.empty() ? (files.empty() ? "aqbench" : "vdso") : path.substr(path.rfind('/') + 1);
  file.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
      file.code.emplace_back(file.base + segment.p_vaddr, file.base + segment.p_vaddr + segment.p_memsz);
  }
  files.push_back(std::move(file));
  return 0;
}

// Replaces the text between each outermost `open` and its `close` by "...".
std::string without_insides(const std::string& text, char open, char close) {
  std::string shorter;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool arrow = i > 0 && (text[i - 1] == '-' || text.compare(i - 1, 2, "<<") == 0);
    if (text[i] == open && !shorter.ends_with("operator")) {
      if (depth++ == 0) shorter += std::string(1, open) + "...";
    } else if (text[i] == close && depth > 0 && !arrow) {
      --depth;
    }
    if (depth == 0) shorter += text[i];
  }
  return shorter;
}

// Returns the function called by std::function's wrapper: "std::_Function_handler<void (int),
// f(int)::{lambda(int)#1}>::_M_invoke(...)" -> "f(int)::{lambda(int)#1}".
std::string without_wrapper(const std::string& name) {
  constexpr std::string_view wrapper = "std::_Function_handler<";
  if (!name.starts_with(wrapper)) return name;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = wrapper.size(); i < name.size(); ++i) {
    const char c = name[i];
    if (c == '(' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == '}' || (c == '>' && depth > 0 && name[i - 1] != '-'))
      --depth;
    else if (c == '>' && depth == 0)
      return begin == 0 ? name : name.substr(begin, i - begin);
    if (c == ',' && depth == 0 && begin == 0) begin = i + 2;
  }
  return name;
}

// Removes "(anonymous namespace)::", which does not help a reader of a profile.
void drop_all(std::string& text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
}

}  // namespace

std::string readable_function(const std::string& symbol) {
  int status = -1;
  char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && demangled != nullptr ? demangled : symbol;
  std::free(demangled);
  drop_all(name, "(anonymous namespace)::");
  name = without_wrapper(name);
  if (name.size() > kReadableLength) name = without_insides(name, '<', '>');
  if (name.size() > kReadableLength) name = without_insides(name, '(', ')');
  for (char& c : name)
    if (c == ';' || static_cast<unsigned char>(c) < 0x20) c = ':';
  if (name.size() > 2 * kReadableLength) name = name.substr(0, 2 * kReadableLength) + "...";
  return name;
}

struct Symbols::Table {
  std::vector<symbols_detail::LoadedFile> files;
  std::unordered_map<std::uintptr_t, std::string> known;

  LoadedFile* file_of(std::uintptr_t address) {
    for (LoadedFile& file : files)
      for (const auto& [begin, end] : file.code)
        if (address >= begin && address < end) return &file;
    return nullptr;
  }

  std::string look_up(std::uintptr_t address) {
    LoadedFile* const file = file_of(address);
    if (file == nullptr) return "[unknown]";
    if (!file->read) {
      file->read = true;
      file->file = std::make_unique<MappedFile>(file->path);
      file->functions = function_symbols(file->file->bytes());
      file->debug_file = std::make_unique<MappedFile>(debug_file_of(file->file->bytes()));
      const auto more = function_symbols(file->debug_file->bytes());
      file->functions.insert(file->functions.end(), more.begin(), more.end());
      std::ranges::stable_sort(file->functions, {}, &FunctionSymbol::begin);
    }
    const std::uintptr_t offset = address - file->base;
    auto after = std::ranges::upper_bound(file->functions, offset, {}, &FunctionSymbol::begin);
    // Several symbols may start at one address, and small ones may lie within large ones, so look a few back.
    for (int step = 0; step < 8 && after != file->functions.begin(); ++step) {
      --after;
      if (offset < after->begin + std::max<std::uintptr_t>(after->size, 1))
        return readable_function(std::string(after->name));
    }
    return "[" + file->name + "]";
  }
};

Symbols::Symbols() : table_(std::make_unique<Table>()) {
  ::dl_iterate_phdr(&add_loaded_file, &table_->files);
}
Symbols::~Symbols() = default;

const std::string& Symbols::find(std::uintptr_t address) {
  const auto known = table_->known.find(address);
  if (known != table_->known.end()) return known->second;
  return table_->known.emplace(address, table_->look_up(address)).first->second;
}

}  // namespace aqbench
