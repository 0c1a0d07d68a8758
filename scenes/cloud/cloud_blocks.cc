#include "scenes/cloud/cloud_blocks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <limits>

#include "core/files.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"

namespace aqbench {
namespace {

class MovedBlocks final : public CloudBlocks {
 public:
  MovedBlocks(std::shared_ptr<const CloudBlocks> cloud, std::vector<Similarity> transforms)
      : cloud_(std::move(cloud)), transforms_(std::move(transforms)) {}
  std::size_t points() const override { return cloud_->points(); }
  bool has_normals() const override { return cloud_->has_normals(); }
  void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const override {
    PointCloud moved;
    cloud_->read(longest, [&](const CloudBlock& block) {
      moved.points_m.assign(block.points_m.begin(), block.points_m.end());
      moved.normals.assign(block.normals.begin(), block.normals.end());
      for (const Similarity& transform : transforms_) apply(transform, moved);
      body({block.first, moved.points_m, moved.normals});
    });
  }

 private:
  std::shared_ptr<const CloudBlocks> cloud_;
  std::vector<Similarity> transforms_;
};

constexpr std::size_t kReadGrain = std::size_t{1} << 15;  // records a read()

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

OpenFile opened(Descriptor file, std::string name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_file_error(name, errno);
  return {std::move(file), std::move(name), static_cast<std::uint64_t>(status.st_size), status.st_mtim};
}

class RecordBlocks final : public CloudBlocks {
 public:
  RecordBlocks(OpenFile file, const RecordLayout& layout) : file_(std::move(file)), layout_(layout) {}
  std::size_t points() const override { return layout_.points; }
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
      require_unchanged(file_);
      body({first, points_m, normals});
    }
  }

 private:
  void read_records(std::size_t first, std::span<Vec3> points_m, std::span<Vec3> normals) const {
    std::vector<char> bytes(points_m.size() * layout_.record_bytes);
    const std::uint64_t place = layout_.first_byte + first * layout_.record_bytes;
    if (read_at(file_.descriptor.get(), place, bytes, file_.name) != bytes.size())
      fail_ply(file_.name, "the file shrank while it was read");
    fill(bytes, layout_.position, points_m);
    if (normals.empty()) return;
    fill(bytes, *layout_.normal, normals);
    if (layout_.unit_normals) make_unit_length(normals);
  }

  void fill(std::span<const char> bytes, const std::array<RecordField, 3>& fields,
            std::span<Vec3> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char* const record = bytes.data() + i * layout_.record_bytes;
      for (std::size_t axis = 0; axis < 3; ++axis)
        out[i][static_cast<Eigen::Index>(axis)] =
            load_ply_value(fields[axis].type, record + fields[axis].offset, layout_.swap);
    }
  }

  OpenFile file_;
  RecordLayout layout_;
};

// Creates an anonymous file, which disappears when it is closed.
Descriptor nameless_file() {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "points";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0) throw_file_error(path, errno);
  return file;
}

std::array<RecordField, 3> fields_from(std::size_t offset) {
  return {
      {{PlyScalar::float64, offset}, {PlyScalar::float64, offset + 8}, {PlyScalar::float64, offset + 16}}};
}

// What some coordinates look like, in the unit of their file: the largest of the finite ones, whether those
// are numbers of 32 bits, and whether one of these uses its last bit.
struct CoordinateLook {
  double largest = 0;
  bool narrow = true, last_bit = false;
};

CoordinateLook look_at(std::span<const Vec3> points_m, double metres_per_unit) {
  constexpr double kRounding = 4e-16;  // relative, of what was multiplied by the unit
  CoordinateLook look;
  for (const Vec3& point : points_m) {
    for (const double value_m : point) {
      const double value = value_m / metres_per_unit;
      if (!std::isfinite(value)) continue;
      look.largest = std::max(look.largest, std::abs(value));
      if (!(std::abs(value) <= std::numeric_limits<float>::max())) continue;
      const auto rounded = static_cast<float>(value);
      look.narrow =
          look.narrow && std::abs(static_cast<double>(rounded) - value) <= kRounding * std::abs(value);
      look.last_bit = look.last_bit || (std::bit_cast<std::uint32_t>(rounded) & 1) != 0;
    }
  }
  return look;
}

}  // namespace

void SpanBlocks::read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const {
  for (std::size_t first = 0; first < points_m_.size(); first += longest) {
    const std::size_t count = std::min(longest, points_m_.size() - first);
    body({first, points_m_.subspan(first, count),
          normals_.empty() ? normals_ : normals_.subspan(first, count)});
  }
}

CoordinateSteps coordinate_steps(const CloudBlocks& cloud, double metres_per_unit) {
  constexpr std::size_t kBlock = std::size_t{1} << 20, kGrain = std::size_t{1} << 14;
  double largest = 0;
  bool narrow = true, last_bit = false;
  cloud.read(kBlock, [&](const CloudBlock& block) {
    std::vector<CoordinateLook> looks(block.points_m.size() / kGrain + 1);
    parallel_for(block.points_m.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      looks[begin / kGrain] = look_at(block.points_m.subspan(begin, end - begin), metres_per_unit);
    });
    for (const CoordinateLook& look : looks) {
      largest = std::max(largest, look.largest);
      narrow = narrow && look.narrow;
      last_bit = last_bit || look.last_bit;
    }
  });
  CoordinateSteps steps{largest * metres_per_unit, 0};
  if (!narrow || !last_bit || !(largest <= std::numeric_limits<float>::max())) return steps;
  const auto at = static_cast<float>(largest);
  const float next = std::nextafter(at, std::numeric_limits<float>::infinity());
  if (std::isfinite(next)) steps.float_step_m = (static_cast<double>(next) - at) * metres_per_unit;
  return steps;
}

std::shared_ptr<const CloudBlocks> moved_blocks(std::shared_ptr<const CloudBlocks> cloud,
                                                std::vector<Similarity> transforms) {
  if (transforms.empty()) return cloud;
  return std::make_shared<MovedBlocks>(std::move(cloud), std::move(transforms));
}

OpenFile open_file(const std::filesystem::path& path) {
  regular_file_size(path);  // throws if it is not a regular file
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw_file_error(path, errno);
  return opened(std::move(file), path.string());
}

void require_unchanged(const OpenFile& file) {
  struct stat now {};
  if (::fstat(file.descriptor.get(), &now) != 0) throw_file_error(file.name, errno);
  if (now.st_mtim.tv_sec != file.written.tv_sec || now.st_mtim.tv_nsec != file.written.tv_nsec ||
      static_cast<std::uint64_t>(now.st_size) != file.bytes)
    fail_ply(file.name, "the file changed while it was read");
}

std::string read_part(const OpenFile& file, std::uint64_t place, std::size_t most) {
  std::string part(most, '\0');
  part.resize(read_at(file.descriptor.get(), place, part, file.name));
  return part;
}

std::shared_ptr<const CloudBlocks> record_blocks(OpenFile file, RecordLayout layout) {
  return std::make_shared<RecordBlocks>(std::move(file), layout);
}

bool TextParts::next() {
  place_ += lines_bytes_;
  part_ = read_part(file_, place_, part_bytes_);
  lines_bytes_ = part_.size() < part_bytes_ ? part_.size() : part_.rfind(line_end_) + 1;
  return !part_.empty();
}

std::string long_line_text(std::size_t part_bytes) {
  return fmt::format("more than {} bytes without a line break", part_bytes);
}

PointSpool::PointSpool() : file_(nameless_file()) {}

void PointSpool::append(const PointCloud& cloud) {
  buffer_.clear();
  const auto add = [&](const Vec3& value) {
    buffer_.append(reinterpret_cast<const char*>(value.data()), sizeof(double) * 3);
  };
  for (std::size_t i = 0; i < cloud.points_m.size(); ++i) {
    add(cloud.points_m[i]);
    if (!cloud.normals.empty()) add(cloud.normals[i]);
  }
  if (const int error = write_all(file_.get(), buffer_); error != 0)
    throw_file_error(std::filesystem::temp_directory_path() / "(points of a text, without a name)", error);
  points_ += cloud.points_m.size();
  has_normals_ = has_normals_ || !cloud.normals.empty();
}

std::shared_ptr<const CloudBlocks> PointSpool::blocks(const std::string& name) && {
  RecordLayout layout;
  layout.points = points_;
  layout.record_bytes = has_normals_ ? 48 : 24;
  layout.position = fields_from(0);
  if (has_normals_) layout.normal = fields_from(24);
  return record_blocks(opened(std::move(file_), name), layout);
}

}  // namespace aqbench
