#include "scenes/cloud/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/files.h"
#include "scenes/cloud/cloud_file.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/cloud/joined_blocks.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Shape = std::vector<std::size_t>;

// A file of version 1.0 with this header text.
std::string npy(const std::string& header, const std::string& data, char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  if (major > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

const std::string two_floats("\0\0\x80\x3f\0\0\0\xc0", 8);  // 1 and -2

class Npy : public testing::Test {
 protected:
  std::string error(const std::string& bytes) const {
    const auto path = directory_.file("a.npy", bytes);
    const std::string message = error_of(ErrorKind::input, [&] { read_npy(path); });
    const std::string name = path.string() + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }

  TemporaryDirectory directory_;
};

TEST_F(Npy, RoundTripOfBothTypesAndEveryShape) {
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{3, 1, 2}, Shape{0}, Shape{4, 0}}) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    std::vector<double> doubles;
    std::vector<float> floats;
    for (std::size_t i = 0; i < count; ++i) {
      doubles.push_back(1.0 / (1.0 + static_cast<double>(i)));
      floats.push_back(static_cast<float>(doubles.back()));
    }
    write_npy(directory_ / "d.npy", std::span<const double>(doubles), shape);
    write_npy(directory_ / "f.npy", std::span<const float>(floats), shape);
    EXPECT_EQ(read_npy(directory_ / "d.npy").shape, shape);
    EXPECT_EQ(std::get<std::vector<double>>(read_npy(directory_ / "d.npy").values), doubles);
    EXPECT_EQ(std::get<std::vector<float>>(read_npy(directory_ / "f.npy").values), floats);
  }
}

TEST_F(Npy, NotANumberKeepsItsBits) {
  const std::vector<float> values{std::numeric_limits<float>::quiet_NaN(), -0.0f};
  write_npy(directory_ / "a.npy", std::span<const float>(values), Shape{2});
  const auto back = std::get<std::vector<float>>(read_npy(directory_ / "a.npy").values);
  EXPECT_TRUE(std::isnan(back[0]));
  EXPECT_TRUE(std::signbit(back[1]));
}

// What numpy 1.24 writes for numpy.array([1, -2], '<f4').
TEST_F(Npy, BytesAreThoseOfNumpy) {
  const std::vector<float> values{1, -2};
  write_npy(directory_ / "a.npy", std::span<const float>(values), Shape{2});
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const std::string padded = text + std::string(117 - text.size(), ' ') + "\n";
  EXPECT_EQ(read_file(directory_ / "a.npy"), npy(padded, two_floats));
}

TEST_F(Npy, HeadersOfOtherWritersAreRead) {
  for (const char* const header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n",
        "{'shape':(2,),'descr':'<f4','fortran_order':False}\n",
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2,)}            \n"})
    for (const char major : {1, 2, 3}) {
      const NpyArray array = read_npy(directory_.file("a.npy", npy(header, two_floats, major)));
      EXPECT_EQ(array.shape, Shape{2});
      EXPECT_THAT(std::get<std::vector<float>>(array.values), ElementsAre(1.0f, -2.0f));
    }
}

// Bytes by hand: NumPy's own of the same values.
TEST_F(Npy, ReadsEveryTypeOfNumber) {
  const auto values_of = [&](const std::string& descr, const std::string& data) {
    const auto path = directory_.file(
        "types.npy", npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,)}\n", data));
    const NpyArray array = read_npy(path);
    std::vector<double> values;
    std::visit([&](const auto& list) { values.assign(list.begin(), list.end()); }, array.values);
    return values;
  };
  using Values = std::vector<double>;
  EXPECT_EQ(values_of("<f2", std::string("\x00\xc1\x01\x00", 4)), (Values{-2.5, std::ldexp(1, -24)}));
  EXPECT_EQ(values_of(">f4", std::string("\x3f\xc0\x00\x00\xc0\x00\x00\x00", 8)), (Values{1.5, -2}));
  EXPECT_EQ(values_of("|b1", std::string("\x00\x01", 2)), (Values{0, 1}));
  EXPECT_EQ(values_of("|i1", std::string("\xff\x05", 2)), (Values{-1, 5}));
  EXPECT_EQ(values_of("|u1", std::string("\xff\x05", 2)), (Values{255, 5}));
  EXPECT_EQ(values_of(">u2", std::string("\x01\x02\xff\xff", 4)), (Values{258, 65535}));
  EXPECT_EQ(values_of("<i4", std::string("\xfe\xff\xff\xff\x01\x00\x01\x00", 8)), (Values{-2, 65537}));
  EXPECT_EQ(values_of("<i8", std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8) +
                                 std::string("\x00\x00\x00\x00\x01\x00\x00\x00", 8)),
            (Values{-2, 4294967296.0}));
  EXPECT_TRUE(std::isinf(values_of("<f2", std::string("\x00\x7c\x00\x7e", 4))[0]));
  EXPECT_TRUE(std::isnan(values_of("<f2", std::string("\x00\x7c\x00\x7e", 4))[1]));
}

TEST_F(Npy, TheFirstIndexOfFortranOrderVariesFastest) {
  std::string data;
  for (char i = 0; i < 24; ++i) data += i;
  const NpyArray array = read_npy(directory_.file(
      "f.npy", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 3, 2)}\n", data)));
  std::vector<float> expected;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 2; ++d) expected.push_back(static_cast<float>(a + 2 * (b + 2 * (c + 3 * d))));
  EXPECT_EQ(std::get<std::vector<float>>(array.values), expected);
}

TEST_F(Npy, ErrorsSayWhatIsWrong) {
  const auto with_header = [](const std::string& header) { return npy(header + "\n", two_floats); };
  EXPECT_EQ(error(""), "not a .npy file (wrong magic)");
  EXPECT_EQ(error("\x93NUMPX\x01"), "not a .npy file (wrong magic)");
  EXPECT_EQ(error("\x93NUMPY\x01"), "the file ends inside the header");
  EXPECT_EQ(error(std::string("\x93NUMPY\x04\0\0\0", 10)), "unknown .npy version 4.0");
  EXPECT_EQ(error(std::string("\x93NUMPY\x01\0\xff\x7f{}", 12)), "the file ends inside the header");
  EXPECT_EQ(error(with_header("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }")),
            "type '<c8' is not a 2, 4 or 8 byte float, an integer or bool");
  EXPECT_EQ(error(with_header("{'descr': '<U1', 'fortran_order': False, 'shape': (2,), }")),
            "type '<U1' is not a 2, 4 or 8 byte float, an integer or bool");
  EXPECT_EQ(error(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (), }")),
            "0 dimensions; 1 to 4 are supported");
  EXPECT_EQ(error(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,2), }")),
            "5 dimensions; 1 to 4 are supported");
  EXPECT_THAT(error(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }")),
              HasSubstr("header: shape[0]: "));
  EXPECT_EQ(error(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }")),
            "8 bytes of data do not hold shape (3) of 4 bytes each");
  EXPECT_EQ(error(with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }")),
            "8 bytes of data do not hold shape (2) of 8 bytes each");
  EXPECT_THAT(error(with_header("{'descr': '<f4', 'fortran_order': False, }")),
              HasSubstr("header: 'shape' is missing"));
  for (const char* const header : {"{'descr': '<f4', 'descr': '<f4', 'shape': (2,), }",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x",
                                   "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}"})
    EXPECT_THAT(error(with_header(header)), HasSubstr("header")) << header;
}

TEST_F(Npy, SizesThatOverflowAreRefused) {
  for (const char* const shape : {"(4611686018427387904, 4611686018427387904)", "(18446744073709551615,)",
                                  "(4294967296, 4294967296)", "(2305843009213693952, 8)"})
    EXPECT_THAT(
        error(npy(std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") + shape + "}\n", "")),
        HasSubstr("0 bytes of data do not hold shape"))
        << shape;
  EXPECT_THAT(error(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}\n", "")),
              HasSubstr("header: shape[0]: "));
}

TEST_F(Npy, WriterChecksTheShape) {
  const std::vector<double> values(6);
  for (const Shape& shape : {Shape{5}, Shape{2, 2}, Shape{}, Shape{1, 1, 1, 2, 3}})
    EXPECT_THAT(error_of(ErrorKind::input,
                         [&] { write_npy(directory_ / "a.npy", std::span<const double>(values), shape); }),
                HasSubstr("a.npy: 6 values do not have shape"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "a.npy"));
}

// ---- In blocks ----

// Of six columns the last three are a unit normal.
template <class Real>
std::vector<Real> numbers(std::size_t count, std::size_t columns = 3) {
  std::vector<Real> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(Real(0.1) * static_cast<Real>(i) - Real(3));
  for (std::size_t i = 0; columns == 6 && i + 6 <= count; i += 6) {
    values[i + 3] = Real(0.6);
    values[i + 4] = 0;
    values[i + 5] = Real(-0.8);
  }
  return values;
}

TEST(NpyBlocks, HoldWhatIsReadWhole) {
  const TemporaryDirectory directory;
  for (const Shape& shape : {Shape{60, 3}, Shape{30, 6}, Shape{5, 12, 3}})
    for (const bool double_precision : {false, true}) {
      const auto path = directory.file("c.npy", "");
      if (double_precision)
        write_npy(path, numbers<double>(180, shape[1]), shape);
      else
        write_npy(path, numbers<float>(180, shape[1]), shape);
      const PointCloud whole = read_cloud_file(path).cloud;
      const auto blocks = open_npy_blocks(path, whole.points_m.size());
      ASSERT_TRUE(blocks);
      EXPECT_EQ(blocks->points(), whole.points_m.size());
      EXPECT_EQ(blocks->has_normals(), shape[1] == 6);
      for (const std::size_t longest : {1u, 7u, 100u}) {
        const PointCloud read = joined(*blocks, longest);
        EXPECT_TRUE(equal_bits(read.points_m, whole.points_m)) << longest;
        EXPECT_TRUE(equal_bits(read.normals, whole.normals)) << longest;
      }
      EXPECT_EQ(open_npy_blocks(path, whole.points_m.size() + 1), nullptr) << "fewer points";
    }
}

TEST(NpyBlocks, LeaveToTheWholeReaderWhatHasToBeReadWhole) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.npy", "");
  for (const Shape& shape : {Shape{12}, Shape{3, 4}, Shape{1, 2, 6}}) {
    write_npy(path, numbers<float>(12), shape);
    EXPECT_EQ(open_npy_blocks(path, 1), nullptr) << shape.size();
  }
  write_npy(path, numbers<float>(12), Shape{4, 3});
  std::string columns = read_file(path);
  columns.replace(columns.find("False"), 5, "True ");
  EXPECT_EQ(open_npy_blocks(directory.file("f.npy", columns), 1), nullptr) << "Fortran order";
  EXPECT_EQ(open_npy_blocks(directory.file("t.npy", "1 2 3\n"), 1), nullptr) << "no NumPy file";
}

TEST(NpyBlocks, RefuseWhatTheWholeReaderRefuses) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.npy", "");
  write_npy(path, numbers<float>(12), Shape{4, 3});
  const std::string bytes = read_file(path);
  for (const std::size_t length : {9ul, 40ul, bytes.size() - 1}) {
    const auto cut = directory.file("cut.npy", bytes.substr(0, length));
    const std::string whole = error_of(ErrorKind::input, [&] { read_npy(cut); });
    EXPECT_EQ(error_of(ErrorKind::input, [&] { open_npy_blocks(cut, 1); }), whole) << length;
    EXPECT_THAT(whole, HasSubstr("cut.npy")) << length;
  }
}

// ---- Columns of clouds ----

TEST(NpyCloud, ColumnsFourToSixAreNormalsOnlyIfAllHaveLengthOne) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.npy", "");
  const auto write = [&](Vec3 first, Vec3 second) {
    const std::vector<double> values = {1, 2, 3, first.x(),  first.y(),  first.z(),
                                        4, 5, 6, second.x(), second.y(), second.z()};
    write_npy(path, values, Shape{2, 6});
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vec3& second :
       {Vec3(0, 0.6, 0.8), Vec3(0, 0, 0), Vec3(nan, nan, nan), Vec3(0.58, 0.58, -0.58)}) {
    write(Vec3(0, 0, -1), second);
    EXPECT_EQ(read_cloud_file(path).cloud.normals.size(), 2U) << second.transpose();
    EXPECT_TRUE(open_npy_blocks(path, 1)->has_normals()) << second.transpose();
  }
  for (const Vec3& colour : {Vec3(255, 0, 0), Vec3(1, 1, 1), Vec3(0.5, 0.4, 0.3), Vec3(0, 0, 1.02)}) {
    write(Vec3(0, 0, -1), colour);  // one other row is enough
    const std::string whole = error_of(ErrorKind::input, [&] { read_cloud_file(path); });
    EXPECT_THAT(whole, HasSubstr("a.npy: columns 4 to 6 are no normals"));
    EXPECT_THAT(whole, HasSubstr("--columns 1,2,3"));
    EXPECT_EQ(error_of(ErrorKind::input, [&] { open_npy_blocks(path, 1); }), whole);
  }
}

TEST(NpyCloud, ColumnsCanBeSaid) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.npy", "");
  for (const std::size_t columns : {4U, 6U, 7U, 9U}) {
    write_npy(path, numbers<float>(3 * columns), Shape{3, columns});
    const TextColumns said = {{1, 3, 2}};
    const PointCloud whole = read_cloud_file(path, said).cloud;
    ASSERT_EQ(whole.points_m.size(), 3U);
    EXPECT_TRUE(whole.normals.empty());
    const auto at = [&](std::size_t i) { return numbers<float>(3 * columns)[columns + i]; };
    EXPECT_EQ(whole.points_m[1], Vec3(at(1), at(3), at(2)));
    const auto blocks = open_npy_blocks(path, 1, said);
    EXPECT_FALSE(blocks->has_normals());
    EXPECT_TRUE(equal_bits(joined(*blocks, 2).points_m, whole.points_m));
    EXPECT_THAT(error_of(ErrorKind::input,
                         [&] {
                           read_cloud_file(path, TextColumns{{0, 1, columns}});
                         }),
                HasSubstr("there is no column " + std::to_string(columns + 1)));
  }
  write_npy(path, numbers<float>(12), Shape{3, 4});
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_cloud_file(path); }),
              HasSubstr("shape (3, 4) is not N x 3"));
}

}  // namespace
}  // namespace aqbench
