// Archives of arrays, stored and packed, as numpy writes them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <variant>

#include "core/error.h"
#include "scenes/cloud/npy.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/images/plain_depth_files.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

std::string little(std::uint32_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

// Two floats, 1 and -2.
std::string array_file() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0v\0", 10) + header + "\n" + std::string("\0\0\x80\x3f\0\0\0\xc0", 8);
}

// An archive of one file, with the extra field of 20 bytes that numpy leaves before the data.
std::string archive(const std::string& name, const std::string& content, bool packed) {
  const std::string stream = packed_by_zlib(content);
  const std::string data = packed ? stream.substr(2, stream.size() - 6) : content;  // without zlib's frame
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  const std::string sizes = little(crc, 4) + little(static_cast<std::uint32_t>(data.size()), 4) +
                            little(static_cast<std::uint32_t>(content.size()), 4) +
                            little(static_cast<std::uint32_t>(name.size()), 2);
  const std::string start = little(packed ? 8 : 0, 2) + little(0, 4);
  const std::string local = "PK\3\4" + little(45, 2) + little(0, 2) + start + sizes + little(20, 2) + name +
                            std::string(20, 'x') + data;
  const std::string entry = "PK\1\2" + little(45, 2) + little(45, 2) + little(0, 2) + start + sizes +
                            little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                            little(0, 4) + name;
  return local + entry + "PK\5\6" + little(0, 4) + little(1, 2) + little(1, 2) +
         little(static_cast<std::uint32_t>(entry.size()), 4) +
         little(static_cast<std::uint32_t>(local.size()), 4) + little(0, 2);
}

TEST(Npz, StoredAndPackedArraysAreReadByTheirNames) {
  const TemporaryDirectory directory;
  for (const bool packed : {false, true}) {
    const auto arrays = read_npz(directory.file("a.npz", archive("points.npy", array_file(), packed)));
    ASSERT_EQ(arrays.size(), 1U);
    const NpyArray points = read_npy_bytes(arrays.at("points"), "points");
    EXPECT_EQ(points.shape, std::vector<std::size_t>{2});
    EXPECT_EQ(std::get<std::vector<float>>(points.values), (std::vector<float>{1, -2}));
  }
}

// Beside arrays of numbers archives hold names, single numbers and settings.
TEST(Npz, WhatIsNoArrayOfNumbersIsLeftToItsReader) {
  const TemporaryDirectory directory;
  std::string names = array_file();
  names.replace(names.find("'<f4'"), 5, "'<U2'");
  const auto arrays = read_npz(directory.file("a.npz", archive("names.npy", names, false)));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_npy_bytes(arrays.at("names"), "a.npz: names"); }),
              HasSubstr("a.npz: names: type '<U2'"));
}

TEST(Npz, WhatIsDamagedIsRefused) {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& bytes) {
    return error_of(ErrorKind::input, [&] { read_npz(directory.file("b.npz", bytes)); });
  };
  const std::string whole = archive("a.npy", array_file(), true);
  EXPECT_THAT(refused("PK"), HasSubstr("b.npz: is no .npz file, or it is damaged"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) EXPECT_FALSE(refused(whole.substr(0, cut)).empty());
  std::string other = whole;
  other[70] = static_cast<char>(other[70] ^ 16);  // of the data
  EXPECT_FALSE(refused(other).empty());
  EXPECT_THAT(refused(archive("a.txt", "text", false)), HasSubstr("holds no array"));
}

}  // namespace
}  // namespace aqbench
