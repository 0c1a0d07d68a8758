#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "core/error.h"
#include "core/files.h"
#include "scenes/cloud/npy.h"

namespace aqbench {
namespace {

// A ZIP archive that is read whole (PKWARE's APPNOTE.TXT, 4.3), without archives of several files.
class ZipArchive {
 public:
  ZipArchive(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  // Calls take(name, bytes) for each file.
  template <class Take>
  void for_each(const Take& take) const {
    const std::size_t end = end_record();
    std::size_t at = number<std::uint32_t>(end + 16);
    for (std::size_t left = number<std::uint16_t>(end + 10); left > 0; --left) {
      if (number<std::uint32_t>(at) != 0x02014b50) refuse();
      const auto of_name = number<std::uint16_t>(at + 28);
      const std::string name(part(at + 46, of_name));
      take(name, content(at, name));
      at += std::size_t{46} + of_name + number<std::uint16_t>(at + 30) + number<std::uint16_t>(at + 32);
    }
  }

 private:
  static constexpr std::size_t kEndRecord = 22;

  [[noreturn]] void refuse() const {
    throw input_error.of_file(name_, "is no .npz file, or it is damaged, cut short or larger than 4 GB");
  }

  std::string_view part(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) refuse();
    return bytes_.substr(at, size);
  }

  template <class Number>
  Number number(std::size_t at) const {
    Number value{};
    std::memcpy(&value, part(at, sizeof value).data(), sizeof value);
    return value;
  }

  // The place of the record at the end, behind which a comment may stand.
  std::size_t end_record() const {
    const std::size_t found = bytes_.rfind("PK\5\6");
    if (found == std::string_view::npos || found + kEndRecord > bytes_.size()) refuse();
    return found;
  }

  // The file whose entry of the directory stands at `entry`.
  std::string content(std::size_t entry, const std::string& name) const {
    const auto method = number<std::uint16_t>(entry + 10);
    const std::size_t packed = number<std::uint32_t>(entry + 20), size = number<std::uint32_t>(entry + 24);
    const std::size_t local = number<std::uint32_t>(entry + 42);
    if ((number<std::uint16_t>(entry + 8) & 1) != 0 || (method != 0 && method != 8))
      throw input_error.of_file(name_, "{} is encrypted, or packed by another method than Deflate", name);
    const std::size_t first =
        local + 30 + number<std::uint16_t>(local + 26) + number<std::uint16_t>(local + 28);
    const std::string_view data = part(first, packed);
    std::string content = method == 0 ? std::string(data) : inflated(data, size);
    if (content.size() != size || crc_of(content) != number<std::uint32_t>(entry + 16)) refuse();
    return content;
  }

  static std::uint32_t crc_of(const std::string& content) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  }

  std::string inflated(std::string_view data, std::size_t size) const {
    if (size / 1032 > data.size()) refuse();  // Deflate packs at most 1032 to 1
    std::string out(size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw input_error.of_file(name_, "zlib cannot start");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream, Z_FINISH);
    const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole) refuse();
    return out;
  }

  std::string_view bytes_;
  std::string name_;
};

}  // namespace

std::map<std::string, std::string> read_npz(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  std::map<std::string, std::string> arrays;
  ZipArchive(bytes, path.string()).for_each([&](const std::string& name, std::string content) {
    if (name.ends_with(".npy")) arrays.emplace(name.substr(0, name.size() - 4), std::move(content));
  });
  if (arrays.empty()) throw input_error.of_file(path.string(), "holds no array");
  return arrays;
}

}  // namespace aqbench
