#pragma once
// Which file may include which: the table of folders in docs/architecture.md against the #include lines.

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

struct Include {
  std::string path;     // as written between the quotes or angle brackets
  bool quoted = false;  // "path", not <path>
  int line = 0;
};

struct SourceFile {
  std::string path;  // from the repository root: "scenes/cloud/ply.cc"
  std::vector<Include> includes;
  std::size_t lines = 0;
};

// A folder, and the folders that its files may include; every folder may include its own files.
using FolderTable = std::map<std::string, std::set<std::string>>;

// Returns one line for each folder that a row of the table names and that no file of the row's folder
// includes.
std::vector<std::string> unused_allowances(const std::vector<SourceFile>& files, std::string_view document);

// Reads the #include lines of a source text, as the preprocessor would.
std::vector<Include> parse_includes(std::string_view text);

// Reads every .h, .cc and .inc file of the source folders, sorted by path.
std::vector<SourceFile> read_source_files(const std::filesystem::path& root);

// Reads the table with the columns "folder" and "may use" out of the text of docs/architecture.md. A row
// names its folder as `core/`; "may use" lists folders in the same way, and "all above" stands for every
// folder of the rows above it. Throws std::runtime_error for a row that names itself, an unknown folder or a
// folder of a later row.
FolderTable parse_folder_table(std::string_view document);

// Returns one line for each broken rule, "FILE:LINE: ...", sorted. The rules:
// 1. An include leads into the file's own folder or one that the table allows; a folder that the table lacks
//    and a row without files are errors. Quoted includes are paths from the repository root, of files that
//    exist.
// 2. No two files of the project use each other, through any chain; a header counts together with its source.
// 3. Methods other than simulated ones do not reach scenes/scene.h or scenes/surfaces/surface.h, the truth,
//    through any chain of includes (pipeline/simulated/ and pipeline/registry.cc may).
// 4. Headers that other folders include do not bring in LibTorch, Open3D, Embree, OpenCV or all of nlohmann's
//    JSON. torch/torch.h and Open3D.h, 5 to 12 s each, are refused everywhere.
// 5. Boost.Program_options is known to cli/ alone.
// 6. A .cc file includes its own header first, so that compiling it shows that the header stands alone.
// 7. A file holds at most kMaxLinesPerFile lines.
std::vector<std::string> include_violations(const std::vector<SourceFile>& files, const FolderTable& table);

inline constexpr std::size_t kMaxLinesPerFile = 350;

}  // namespace aqbench
