#pragma once
// The cloud view of a case, shown by a page in three dimensions: points on a grid with their errors, the
// holes with their causes, the mesh, the true surface, cameras and water. It is one small file,
// `viewer/CASE.bin` of a bundle. In this folder and in reports/ "view" alone means a cloud view.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The grid step for positions, mm. A rounded position is off by at most sqrt(3) / 2 of it: 0.0174 mm.
inline constexpr double kViewStep_mm = 0.02;

// The largest error in a view, mm; larger ones are clamped. Errors are stored as 127 sqrt(error /
// kViewError_mm), rounded: one of 1 mm is off by at most 0.035 mm, one of 0.1 mm by 0.012 mm.
inline constexpr double kViewError_mm = 20;

// A position on the grid, in steps from the origin of its view.
using GridPoint = std::array<std::int32_t, 3>;

// The value of an unknown half of a mark. A point's mark has the number of cameras that see its place in the
// low four bits (14: so many or more), and its confidence in fourteenths in the high four.
inline constexpr std::uint8_t kUnknownMark = 15;

// The three-dimensional display of one case.
struct CloudView {
  std::array<double, 3> origin_mm{};
  std::uint64_t scored = 0;  // points of the cloud inside the patch; points.size() of them are shown
  std::uint64_t far = 0;     // of these, those much farther away than the others: never shown
  std::vector<GridPoint> points;
  std::vector<std::int8_t> errors;          // error_code() for each point, positive towards the cameras
  std::vector<std::uint8_t> marks;          // for each point
  std::vector<std::uint16_t> colours = {};  // colour_code() for each point; empty if the cloud has none
  std::vector<GridPoint> holes;             // samples of the surface without a point within 2 mm
  std::vector<std::uint8_t> causes;         // for each hole, as Diagnosis::hole_causes has it
  std::vector<GridPoint> vertices;          // of the mesh; empty without one
  std::vector<std::int8_t> vertex_errors;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<GridPoint> rays = {};  // of the cameras (harness/viewing/camera_rays.h)
  // {"truth": ..., "cameras": [...], "water_z_mm": ..., "mesh": {"triangles": N, "kept": n, "moved_mm": x}},
  // compact; "{}" for none. Of N triangles of the mesh inside the patch n are kept, with vertices moved by at
  // most x.
  std::string scene_json;
  // Of a cloud without a truth: `errors` are agreement_code() of each point, and no true surface is known.
  bool is_agreement = false;
};

// Returns the step that selects at most `most` of `count` things evenly, always including the first; with
// `most` 0 only the first.
std::size_t stride_for(std::size_t count, std::size_t most);

// Returns the code of an error, -127 to 127, and the error of a code, mm.
std::int8_t error_code(double error_mm);
double error_of_code(std::int8_t code);

// Returns the code of how alike images show a point, -1 to 1: 127 times it, rounded; kUnknownAgreement for
// NaN, and the likeness of a code.
inline constexpr std::int8_t kUnknownAgreement = -128;
std::int8_t agreement_code(double likeness);
double agreement_of_code(std::int8_t code);

// Returns a colour in 16 bits: red in the upper five, green in the next six, blue in the lower five, each
// rounded (off by at most 4 of 255).
std::uint16_t colour_code(const std::array<std::uint8_t, 3>& rgb);

// Returns the bytes of the file: a line "aqbench-view 1", a line of JSON that describes the rest, and the
// arrays: positions as differences from the previous one, in zigzag varints (LEB128), colours in two bytes,
// low byte first. A view without colours or rays does not mention them.
std::string encode_view(const CloudView& view);

// Reads the bytes of such a file. Throws Error(input) naming `source` for anything that encode_view() does
// not write.
CloudView decode_view(std::string_view bytes, const std::string& source);

// Returns the view with only every n-th point (n = `every`), at most `most_holes` evenly chosen holes, and no
// mesh.
CloudView thinned(const CloudView& view, std::size_t every, std::size_t most_holes);

}  // namespace aqbench
