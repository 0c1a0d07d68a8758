#include "scenes/cloud/ply_blocks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "scenes/cloud/ply_read.h"
#include "scenes/cloud/ply_source.h"

namespace aqbench {
namespace {

constexpr std::size_t kPlyHeaderBytes = std::size_t{1} << 16;  // at most, of a header
constexpr std::size_t kReadGrain = std::size_t{1} << 15;       // records a read()

// A scalar property in the bytes of a record.
struct PlyField {
  PlyScalar type;
  std::size_t offset;
};

// Three fields; unset unless all are there as scalars.
using PlyVectorFields = std::optional<std::array<PlyField, 3>>;

// Where the vertices lie in the file, and what a record of them holds.
struct PlyLayout {
  std::string name;
  std::uint64_t first_byte = 0, vertices = 0;
  std::size_t record_bytes = 0;
  bool swap = false;
  std::array<PlyField, 3> position{};
  PlyVectorFields normal;
};

// Returns the bytes of a record; nullopt if they differ from record to record.
std::optional<std::size_t> fixed_record_bytes(const PlyElement& element) {
  std::size_t bytes = 0;
  for (const PlyProperty& property : element.properties) {
    if (property.is_list) return std::nullopt;
    bytes += ply_scalar_size(property.type);
  }
  return bytes;
}

PlyVectorFields vector_fields(const PlyElement& element, const std::array<std::string_view, 3>& names) {
  std::array<PlyField, 3> fields{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int index = element.find(names[axis]);
    if (index < 0) return std::nullopt;
    fields[axis].type = element.properties[static_cast<std::size_t>(index)].type;
    for (int before = 0; before < index; ++before)
      fields[axis].offset += ply_scalar_size(element.properties[static_cast<std::size_t>(before)].type);
  }
  return fields;
}

// Reads `bytes.size()` bytes at a place of the file, or what there is of them; returns how many.
std::size_t read_at(int file, std::uint64_t place, std::span<char> bytes, const std::string& name) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(place + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(name, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// Returns the layout of a file that can be read in blocks; else nullopt.
std::optional<PlyLayout> layout_of(const PlyHeader& header, std::uint64_t file_bytes,
                                   const std::string& name) {
  if (header.format == PlyFormat::ascii) return std::nullopt;
  PlyLayout layout;
  layout.name = name;
  layout.swap = swaps_ply_bytes(header.format);
  bool found = false;
  std::uint64_t place = header.data_offset;
  for (const PlyElement& element : header.elements) {
    if (element.count == 0) continue;
    if (element.name == "face") return std::nullopt;
    const auto record = fixed_record_bytes(element);
    if (!record || *record == 0 || element.count > (file_bytes - place) / *record) return std::nullopt;
    if (element.name == "vertex") {
      const PlyVectorFields position = vector_fields(element, {"x", "y", "z"});
      if (!position) return std::nullopt;
      found = true;
      layout.first_byte = place;
      layout.vertices = element.count;
      layout.record_bytes = *record;
      layout.position = *position;
      layout.normal = vector_fields(element, {"nx", "ny", "nz"});
    }
    place += element.count * *record;
  }
  if (!found || place != file_bytes) return std::nullopt;
  return layout;
}

// When a file was last written, and how large it is.
struct FileState {
  timespec written{};
  off_t bytes = 0;

  bool operator==(const FileState& other) const {
    return written.tv_sec == other.written.tv_sec && written.tv_nsec == other.written.tv_nsec &&
           bytes == other.bytes;
  }
};

FileState state_of(int file, const std::string& name) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw_file_error(name, errno);
  return {status.st_mtim, status.st_size};
}

class PlyBlocks final : public CloudBlocks {
 public:
  PlyBlocks(Descriptor file, PlyLayout layout)
      : file_(std::move(file)), layout_(std::move(layout)), state_(state_of(file_.get(), layout_.name)) {}
  std::size_t points() const override { return layout_.vertices; }
  bool has_normals() const override { return layout_.normal.has_value(); }
  void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const override {
    std::vector<Vec3> points_m, normals;
    for (std::size_t first = 0; first < points(); first += longest) {
      const std::size_t count = std::min(longest, points() - first);
      points_m.resize(count);
      if (layout_.normal) normals.resize(count);
      parallel_for(count, kReadGrain, [&](std::size_t begin, std::size_t end) {
        read_records(
            first + begin, std::span(points_m).subspan(begin, end - begin),
            std::span(normals).subspan(layout_.normal ? begin : 0, layout_.normal ? end - begin : 0));
      });
      // Several passes must see one cloud.
      if (state_of(file_.get(), layout_.name) != state_)
        fail_ply(layout_.name, "the file was changed while it was read");
      body({first, points_m, normals});
    }
  }

 private:
  void read_records(std::size_t first, std::span<Vec3> points_m, std::span<Vec3> normals) const {
    std::vector<char> bytes(points_m.size() * layout_.record_bytes);
    const std::uint64_t place = layout_.first_byte + first * layout_.record_bytes;
    if (read_at(file_.get(), place, bytes, layout_.name) != bytes.size())
      fail_ply(layout_.name, "the file became shorter while it was read");
    fill(bytes, layout_.position, points_m);
    if (normals.empty()) return;
    fill(bytes, *layout_.normal, normals);
    make_unit_length(normals);
  }

  void fill(std::span<const char> bytes, const std::array<PlyField, 3>& fields, std::span<Vec3> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char* const record = bytes.data() + i * layout_.record_bytes;
      for (std::size_t axis = 0; axis < 3; ++axis)
        out[i][static_cast<Eigen::Index>(axis)] =
            load_ply_value(fields[axis].type, record + fields[axis].offset, layout_.swap);
    }
  }

  Descriptor file_;
  PlyLayout layout_;
  FileState state_;
};

}  // namespace

std::shared_ptr<const CloudBlocks> open_ply_blocks(const std::filesystem::path& path,
                                                   std::uint64_t at_least) {
  const std::uint64_t file_bytes = regular_file_size(path);
  const std::string name = path.string();
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw_file_error(path, errno);
  std::string start(kPlyHeaderBytes, '\0');
  start.resize(read_at(file.get(), 0, start, name));
  if (!start.starts_with("ply") || start.find("end_header") == std::string::npos) return nullptr;
  auto layout = layout_of(parse_ply_header(start, name), file_bytes, name);
  if (!layout || layout->vertices < at_least) return nullptr;
  return std::make_shared<PlyBlocks>(std::move(file), *std::move(layout));
}

}  // namespace aqbench
