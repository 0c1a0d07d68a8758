#include "metrics/protocols/scan_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

std::string project(const std::string& attribute, const std::string& matrix) {
  return "<!DOCTYPE MeshLabDocument>\n<MeshLabProject><MeshGroup><MLMesh " + attribute +
         " label=\"a\"><MLMatrix44>" + matrix + "</MLMatrix44></MLMesh></MeshGroup></MeshLabProject>\n";
}

TEST(ScanProject, NamesInEitherQuotesWithEntities) {
  const TemporaryDirectory directory;
  directory.file("a&'b.xyz", "1 2 3\n");
  const std::string shift = "1 0 0 10\n0 1 0 20\n0 0 1 30\n0 0 0 1\n";
  for (const char* attribute : {"filename=\"a&amp;'b.xyz\"", "filename='a&amp;&apos;b.xyz'"}) {
    const auto scans = read_scan_project(directory.file("p.mlp", project(attribute, shift)), 0.001);
    ASSERT_EQ(scans.size(), 1U) << attribute;
    EXPECT_EQ(scans[0].points_m[0], Vec3(0.001, 0.002, 0.003));
    EXPECT_EQ(scans[0].world_from_scanner(2, 3), 0.03);
  }
}

TEST(ScanProject, WhatCannotBeReadIsNamed) {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& text) {
    const auto path = directory.file("p.mlp", text);
    return error_of(ErrorKind::input, [&] { read_scan_project(path); });
  };
  EXPECT_THAT(error(project("filename=\"&auml;.ply\"", "")), HasSubstr("'&auml;' is not one of XML's five"));
  EXPECT_THAT(error(project("name=\"a.ply\"", "")), HasSubstr("p.mlp: MLMesh: no filename"));
  EXPECT_THAT(error(project("filename=\"a.ply\"", "1 2")), HasSubstr("MLMatrix44: expected 16 numbers"));
  EXPECT_THAT(error(project("filename=\"a.ply\"", "2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1")),
              HasSubstr("MLMatrix44: not a rotation and a shift"));
  EXPECT_THAT(error("<MeshLabProject/>"), HasSubstr("p.mlp: no scan (MLMesh)"));
}

}  // namespace
}  // namespace aqbench
