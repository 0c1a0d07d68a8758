#include "scenes/cloud/text_spool.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/files.h"
#include "core/scratch_folder.h"

namespace aqbench {
namespace {

// A file that nobody else finds, and that is gone when it is closed.
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

}  // namespace

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
  return record_blocks({std::move(file_), name, layout.points * layout.record_bytes}, layout);
}

}  // namespace aqbench
