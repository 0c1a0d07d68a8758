#include "scenes/optics/calibration_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;
using ::testing::HasSubstr;

const CalibrationMetadata kMetadata{"2026-01-01T00:00:00Z", "aqbench 0.1.0", "abc"};

// Jittered, so that no number is round; one fisheye, one with 8 coefficients.
Rig awkward_rig() {
  Rig rig =
      make_rig("ring12", {{"ring12", "jitter_position_m", "0.02"}, {"ring12", "jitter_angle_deg", "1"}}, 5);
  rig.cameras[2].intrinsics.lens = LensModel::fisheye;
  rig.cameras[2].intrinsics.distortion = {0.1 / 3, -1e-300, 5e-324, 0};
  rig.cameras[4].intrinsics.distortion = {0.1, -0.2, 1e-3, 0.7 / 9, 0, 1.0 / 3, -0.0, 1e-17};
  set_interface(rig, WaterInterface{0.1 + 0.2 + 0.678, 1.000293, 4.0 / 3});
  return rig;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!same_bits(a.data()[i], b.data()[i])) return false;
  return true;
}

void expect_same_rig(const Rig& a, const Rig& b) {
  EXPECT_TRUE(same_bits(level_water(a)->water_z_m, level_water(b)->water_z_m));
  EXPECT_TRUE(same_bits(level_water(a)->n_air, level_water(b)->n_air));
  EXPECT_TRUE(same_bits(level_water(a)->n_water, level_water(b)->n_water));
  ASSERT_EQ(a.cameras.size(), b.cameras.size());
  for (std::size_t i = 0; i < a.cameras.size(); ++i) {
    const Camera &x = a.cameras[i], &y = b.cameras[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.is_auxiliary, y.is_auxiliary);
    EXPECT_EQ(x.intrinsics.lens, y.intrinsics.lens);
    EXPECT_EQ(x.intrinsics.width_px, y.intrinsics.width_px);
    EXPECT_EQ(x.intrinsics.height_px, y.intrinsics.height_px);
    EXPECT_TRUE(same_bits(x.intrinsics.K, y.intrinsics.K));
    ASSERT_EQ(x.intrinsics.distortion.size(), y.intrinsics.distortion.size());
    for (std::size_t k = 0; k < x.intrinsics.distortion.size(); ++k)
      EXPECT_TRUE(same_bits(x.intrinsics.distortion[k], y.intrinsics.distortion[k])) << k;
    EXPECT_TRUE(same_bits(x.camera_from_world.rotation, y.camera_from_world.rotation));
    EXPECT_TRUE(same_bits(x.camera_from_world.translation_m, y.camera_from_world.translation_m));
  }
}

Json good_json() { return Json::parse(calibration_json(make_rig("single_pair", {}, 0), kMetadata)); }

std::string refusal(const Json& json) {
  return error_of(ErrorKind::input, [&] { parse_calibration(json.dump(), "c.json"); });
}

TEST(CalibrationFile, ReadsBackToTheLastBit) {
  const Rig rig = awkward_rig();
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "aqbench_calibration.json";
  write_calibration(path, rig, kMetadata);
  expect_same_rig(read_calibration(path), rig);
  EXPECT_EQ(read_file(path), calibration_json(rig, kMetadata));
  std::filesystem::remove(path);
}

// The layout of docs/dataset.md, key by key.
TEST(CalibrationFile, HasTheDocumentedLayout) {
  const Json json = Json::parse(calibration_json(awkward_rig(), kMetadata));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys,
              ::testing::ElementsAre("version", "cameras", "interface", "board", "diagnostics", "metadata"));
  EXPECT_EQ(json["version"], "1.0");
  const Json& camera = json["cameras"]["cam02"];
  EXPECT_EQ(camera["name"], "cam02");
  EXPECT_EQ(camera["intrinsics"]["K"].size(), 3u);
  EXPECT_EQ(camera["intrinsics"]["image_size"], Json::array({1600, 1200}));
  EXPECT_EQ(camera["intrinsics"]["is_fisheye"], true);
  EXPECT_EQ(camera["extrinsics"]["R"].size(), 3u);
  EXPECT_EQ(camera["extrinsics"]["t"].size(), 3u);
  EXPECT_EQ(camera["water_z"], level_water(awkward_rig())->water_z_m);
  EXPECT_FALSE(camera.contains("is_auxiliary"));
  EXPECT_EQ(json["cameras"]["centre"]["is_auxiliary"], true);
  EXPECT_FALSE(json["cameras"]["centre"]["intrinsics"].contains("is_fisheye"));
  EXPECT_EQ(json["interface"]["normal"], Json::array({0.0, 0.0, -1.0}));
  EXPECT_EQ(json["board"]["dictionary"], "DICT_6X6_250");
  EXPECT_EQ(json["metadata"]["software_version"], "aqbench 0.1.0");
}

TEST(CalibrationFile, ReadsTheOlderNameOfTheWaterSurface) {
  Json json = good_json();
  for (auto& [name, camera] : json["cameras"].items()) {
    camera["interface_distance"] = camera["water_z"];
    camera.erase("water_z");
  }
  expect_same_rig(parse_calibration(json.dump(), "c.json"), make_rig("single_pair", {}, 0));
}

TEST(CalibrationFile, PassesOverUnknownFields) {
  Json json = good_json();
  json["diagnostics"]["per_frame_errors"] = {{"1", 0.5}};
  json["cameras"]["cam00"]["serial"] = 7;
  EXPECT_EQ(refusal(json), "(no error)");
}

// Takes every field away in turn; all of them are required.
void erase_each(const Json& whole, const Json::json_pointer& at, std::vector<std::string>& accepted) {
  const Json& node = whole.at(at);
  if (!node.is_object()) return;
  for (const auto& [key, value] : node.items()) {
    Json broken = whole;
    broken.at(at).erase(key);
    const std::string message = refusal(broken);
    if (message == "(no error)") {
      accepted.push_back((at / key).to_string());
    } else {
      EXPECT_THAT(message, HasSubstr(key)) << "the message names another field";
      EXPECT_THAT(message, ::testing::StartsWith("c.json: "));
    }
    erase_each(whole, at / key, accepted);
  }
}

TEST(CalibrationFile, RefusesAFileThatLacksAnyField) {
  std::vector<std::string> accepted;
  erase_each(good_json(), Json::json_pointer(), accepted);
  // One camera less is a smaller rig.
  EXPECT_THAT(accepted, ::testing::ElementsAre("/cameras/cam00", "/cameras/cam01"));
}

// A value put at a place, and the error after the path of that place.
struct Malformed {
  std::string pointer;
  const char* value;
  const char* message;
};

const Malformed kMalformed[] = {
    {"/version", "\"2.0\"", ": '2.0' is not supported"},
    {"/version", "1.0", ": expected text"},
    {"/cameras", "[]", ": expected an object"},
    {"/cameras", "{}", ": at least one is needed"},
    {"/cameras/cam01", "3", ": expected an object"},
    {"/cameras/cam01/name", "\"cam00\"", ": 'cam00' differs from its key"},
    {"/cameras/cam01/intrinsics/K", "[[1,0,0],[0,1,0]]", ": must be 3 rows of 3 numbers"},
    {"/cameras/cam01/intrinsics/K/1", "[0,1]", ": must be 3 numbers, got 2"},
    {"/cameras/cam01/intrinsics/K/0/0", "-1504.6", ": focal length must be positive"},
    {"/cameras/cam01/intrinsics/K/0/2", "null", ": expected a number"},
    {"/cameras/cam01/intrinsics/K/0/2", "\"NaN\"", ": expected a number"},
    {"/cameras/cam01/intrinsics/dist_coeffs", "[0,0,0,0]", ": a pinhole lens needs 5 or 8"},
    {"/cameras/cam01/intrinsics/dist_coeffs", "[[0,0,0,0,0]]", "[0]: expected a number"},
    {"/cameras/cam01/intrinsics/image_size", "[1600]", ": must be [width, height]"},
    {"/cameras/cam01/intrinsics/image_size", "[1600, 0.5]", "[1]: must be an integer"},
    {"/cameras/cam01/intrinsics/image_size", "[-1, 1200]", ": sides must be"},
    {"/cameras/cam01/extrinsics/R", "[[1,0,0],[0,1,0],[0,0,2]]", ": is not a rotation"},
    {"/cameras/cam01/extrinsics/R", "[[1,0,0],[0,1,0],[0,0,-1]]", ": is not a rotation"},
    {"/cameras/cam01/extrinsics/t", "[0,0]", ": must be 3 numbers, got 2"},
    {"/cameras/cam01/extrinsics/t", "{\"x\":1}", ": expected an array"},
    {"/cameras/cam01/water_z", "0.98", ": 0.98 m differs from"},
    {"/interface/normal", "[0,0,1]", ": only a level surface"},
    {"/interface/n_water", "-1.333", ": must be between"},
    {"/interface/n_air", "true", ": expected a number"},
    {"/board", "null", ": expected an object"},
    {"/metadata/software_version", "5", ": expected text"},
};

TEST(CalibrationFile, RefusesWrongValuesWithTheFieldsPath) {
  for (const Malformed& row : kMalformed) {
    Json json = good_json();
    json.at(Json::json_pointer(row.pointer)) = Json::parse(row.value);
    const std::string path = std::regex_replace(
        std::regex_replace(row.pointer.substr(1), std::regex("/([0-9]+)"), "[$1]"), std::regex("/"), ".");
    EXPECT_THAT(refusal(json), HasSubstr("c.json: " + path + row.message));
  }
}

TEST(CalibrationFile, RefusesInvalidFlags) {
  Json json = good_json();
  json["cameras"]["cam00"]["is_auxiliary"] = 1;
  EXPECT_THAT(refusal(json), HasSubstr("cameras.cam00.is_auxiliary: expected true or false"));
}

TEST(CalibrationFile, RefusesTextThatIsNotJson) {
  for (const char* text : {"", "{", "{\"version\": NaN}", "[1, 2]", "{\"version\": 1e999}", "\xff\xfe{}"}) {
    const std::string message = error_of(ErrorKind::input, [&] { parse_calibration(text, "c.json"); });
    EXPECT_THAT(message, ::testing::StartsWith("c.json:")) << text;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_THAT(error_of(ErrorKind::input, [] { read_calibration("/nonexistent/calibration.json"); }),
              HasSubstr("/nonexistent/calibration.json: no such file"));
  EXPECT_THAT(error_of(ErrorKind::input, [] { parse_calibration(std::string(200000, '['), "c.json"); }),
              HasSubstr("c.json: nested deeper than 32 levels"));
}

// 3.9 MB of keys took more than two minutes, as each was looked for among those before.
TEST(CalibrationFile, RefusesMoreKeysThanCamerasHave) {
  std::string keys, same;
  for (int i = 0; i < 200000; ++i) {
    keys += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
    same += i == 0 ? "\"a\":0" : ",\"a\":0";
  }
  const std::clock_t start = std::clock();
  EXPECT_EQ(error_of(ErrorKind::input, [&] { parse_calibration("{\"cameras\":{" + keys + "}}", "c.json"); }),
            "c.json: cameras: more than 10000 keys");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { parse_calibration("{" + same + "}", "c.json"); }),
            "c.json: document: duplicate key 'a'");
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

TEST(CalibrationFile, CannotHoldARigThatItWouldRefuse) {
  Rig rig = make_rig("single_pair", {}, 0);
  rig.cameras[1].camera_from_world.translation_m.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { calibration_json(rig, kMetadata); }),
              HasSubstr("cam01.extrinsics.t: must be finite"));
}

// Any change of bytes gives a rig that passes check() or one line of Error(input).
TEST(CalibrationFile, SurvivesMutatedFiles) {
  const std::string good = calibration_json(make_rig("single_pair", {}, 0), kMetadata);
  const std::vector<std::string> pieces = {
      "null", "-", "1e400", "[]", "{}", "\"\"", "9999999999999999999", "\\u0000",
      "\n",   ",", "]",     "}",  "e",  "0",    std::string(1, '\0'),  "\x80"};
  Draws draws{51};
  const auto position = [&](std::size_t size) {
    return static_cast<std::size_t>(draws.uniform(0, static_cast<double>(size)));
  };
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (int edits = 1 + i % 3; edits > 0 && !text.empty(); --edits) {
      const std::size_t at = position(text.size());
      switch (position(5)) {
        case 0:
          text[at] = static_cast<char>(position(256));
          break;
        case 1:
          text.erase(at, 1 + position(20));
          break;
        case 2:
          text.insert(at, pieces[position(pieces.size())]);
          break;
        case 3:
          text.resize(at);
          break;
        default:
          text.replace(at, 1 + position(30), good.substr(position(good.size()), position(60)));
      }
    }
    try {
      check(parse_calibration(text, "c.json"), "rig");
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      const std::string message = error.what();
      EXPECT_TRUE(std::ranges::all_of(message, [](unsigned char c) { return c >= ' ' && c < 127; }))
          << message;
    }
  }
  EXPECT_GT(refused, 2000);
}

// Version 1.1: what lacks water_z looks through no water; with n_water = n_air it still looks through level
// water.
TEST(Calibration, ACameraMayLackTheWaterInVersion11) {
  Rig rig = awkward_rig();
  const std::string with_water = calibration_json(rig, {});
  EXPECT_THAT(with_water, HasSubstr("\"version\": \"1.0\""));
  rig.cameras.back().interface = NoInterface{};
  rig.cameras.back().camera_from_world.translation_m.z() -= 100;  // far below the water
  const Rig mixed = parse_calibration(calibration_json(rig, {}), "c.json");
  EXPECT_EQ(mixed.cameras.back().interface, Interface(NoInterface{}));
  EXPECT_EQ(mixed.cameras.front().interface, rig.cameras.front().interface);
  EXPECT_FALSE(level_water(mixed).has_value());
  set_interface(rig, NoInterface{});
  const std::string dry = calibration_json(rig, {});
  EXPECT_THAT(dry, HasSubstr("\"version\": \"1.1\""));
  EXPECT_EQ(dry.find("\"interface\""), std::string::npos);
  EXPECT_EQ(calibration_json(parse_calibration(dry, "c.json"), {}), dry);
  std::string old = dry;
  old.replace(old.find("1.1"), 3, "1.0");
  EXPECT_THROW(parse_calibration(old, "c.json"), Error);
  Rig level = awkward_rig();
  WaterInterface thin = level_water(level).value();
  thin.n_water = thin.n_air;
  set_interface(level, thin);
  EXPECT_THAT(calibration_json(level, {}), HasSubstr("\"version\": \"1.0\""));
  EXPECT_EQ(level_water(parse_calibration(calibration_json(level, {}), "c.json")), thin);
}

}  // namespace
}  // namespace aqbench
