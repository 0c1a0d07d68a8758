#include "metrics/protocols/mask_cull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "metrics/protocols/knobs.h"

namespace aqbench {
namespace {

constexpr std::pair<const char*, MaskReach::Shape> kShapes[] = {{"square", MaskReach::Shape::square},
                                                                {"disk", MaskReach::Shape::disk},
                                                                {"ellipse", MaskReach::Shape::ellipse}};

// How many columns to each side the shape covers, row by row.
std::vector<int> half_widths(const MaskReach& reach) {
  const int px = std::abs(reach.px);
  std::vector<int> widths;
  for (int dy = -px; dy <= px; ++dy) {
    const double squared = static_cast<double>(px) * px - static_cast<double>(dy) * dy;
    const double width = reach.shape == MaskReach::Shape::square ? px
                         : reach.shape == MaskReach::Shape::disk ? std::floor(std::sqrt(squared))
                         : px == 0                               ? 0
                                                                 : std::nearbyint(std::sqrt(squared));
    widths.push_back(static_cast<int>(width));
  }
  return widths;
}

// How far each pixel is along its row from the nearest one that is `wanted`.
std::vector<int> distances_along_rows(const PixelMask& mask, bool wanted) {
  const int width = mask.width_px;
  const int far = std::numeric_limits<int>::max() / 2;
  std::vector<int> distances(mask.counts.size());
  for (std::size_t first = 0; first < distances.size(); first += static_cast<std::size_t>(width)) {
    int last = far;
    for (int x = 0; x < width; ++x)
      distances[first + x] = last = mask.counts[first + x] == wanted ? 0 : std::min(far, last + 1);
    last = far;
    for (int x = width - 1; x >= 0; --x) {
      last = std::min(distances[first + x], last + 1);
      distances[first + x] = last;
    }
  }
  return distances;
}

// A camera with what it takes out.
struct MaskView {
  Eigen::Matrix<double, 3, 4> pixel_from_world;
  int width_px = 0, height_px = 0;
  std::shared_ptr<const PixelMask> mask;

  bool keeps(const Vec3& position_m, const CullRules& rules) const {
    const Vec3 seen = pixel_from_world * position_m.homogeneous();
    const double u = seen.x() / seen.z(), v = seen.y() / seen.z();
    const Vec2 pixel(std::nearbyint(u), std::nearbyint(v));
    const bool inside =
        rules.to_border ? pixel.x() >= 0 && pixel.x() < width_px && pixel.y() >= 0 && pixel.y() < height_px
                        : u > 0 && u < width_px - 1 && v > 0 && v < height_px - 1;
    if (!inside) return rules.outside_stays;
    return mask == nullptr || mask->at(pixel);
  }
};

std::vector<MaskView> mask_views(const Rig& rig, const MaskReach& reach) {
  std::vector<MaskView> views;
  for (const Camera& camera : rig.cameras) {
    const auto& lens = camera.intrinsics.distortion;
    if (!std::holds_alternative<NoInterface>(camera.interface) ||
        std::ranges::any_of(lens, [](double coefficient) { return coefficient != 0; }))
      throw usage_error("knob cull_rule: all needs cameras without water and lens distortion; {} has some",
                        camera.name);
    MaskView view;
    view.pixel_from_world << camera.camera_from_world.rotation, camera.camera_from_world.translation_m;
    view.pixel_from_world = (camera.intrinsics.K * view.pixel_from_world).eval();
    view.width_px = camera.intrinsics.width_px;
    view.height_px = camera.intrinsics.height_px;
    if (camera.mask) view.mask = std::make_shared<const PixelMask>(reached(*camera.mask, reach));
    views.push_back(std::move(view));
  }
  return views;
}

using Corners = std::array<std::uint32_t, 3>;

// The faces that hang together by edges, each with the number of one of them. As in trimesh an edge of three
// faces joins none.
std::vector<std::uint32_t> components_of(const std::vector<Corners>& faces) {
  std::vector<std::uint32_t> parent(faces.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t face) {
    while (parent[face] != face) face = parent[face] = parent[parent[face]];
    return face;
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> edges;
  for (std::uint32_t f = 0; f < faces.size(); ++f)
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(faces[f][k], faces[f][(k + 1) % 3]);
      edges.emplace_back(std::uint64_t{low} << 32 | high, f);
    }
  std::ranges::sort(edges);
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].first == edges[begin].first) ++end;
    if (end - begin == 2) parent[root(edges[begin].second)] = root(edges[begin + 1].second);
  }
  for (std::uint32_t f = 0; f < faces.size(); ++f) parent[f] = root(f);
  return parent;
}

// Keeps the vertices that are marked, and the faces, whose vertices all are.
TriangleMesh with_vertices(const TriangleMesh& mesh, const std::vector<bool>& marked,
                           const std::vector<Corners>& faces) {
  TriangleMesh part;
  std::vector<std::uint32_t> place(marked.size());
  for (std::size_t v = 0; v < marked.size(); ++v) {
    if (!marked[v]) continue;
    place[v] = static_cast<std::uint32_t>(part.vertices_m.size());
    part.vertices_m.push_back(mesh.vertices_m[v]);
  }
  for (const auto& [a, b, c] : faces) part.triangles.push_back({place[a], place[b], place[c]});
  return part;
}

}  // namespace

MaskReach reach_of_knob(const char* name, const std::string& text) {
  if (text == "0") return {};
  const auto parts = split_at(text, ':');
  for (const auto& [word, shape] : kShapes)
    if (parts.size() == 2 && parts[0] == word)
      if (const auto px = parse_double(parts[1]); px && *px == std::floor(*px) && std::abs(*px) <= 10000)
        return {shape, static_cast<int>(*px)};
  refuse_knob(name, text, "0, or square:N, disk:N, ellipse:N pixels (negative: masks shrink)");
}

std::string to_text(const MaskReach& reach) {
  return reach.px == 0 ? "0" : fmt::format("{}:{}", kShapes[static_cast<int>(reach.shape)].first, reach.px);
}

PixelMask reached(const PixelMask& mask, const MaskReach& reach) {
  if (reach.px == 0) return mask;
  const bool grows = reach.px > 0;
  const std::vector<int> near = distances_along_rows(mask, grows), widths = half_widths(reach);
  const auto size = static_cast<std::size_t>(mask.width_px);
  std::vector<char> met(near.size(), 0);
  const int px = std::abs(reach.px);
  parallel_for(static_cast<std::size_t>(mask.height_px), 16, [&](std::size_t begin, std::size_t end) {
    for (auto y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
      for (int from = std::max(0, y - px); from <= std::min(mask.height_px - 1, y + px); ++from) {
        const int width = widths[from - y + px];
        const int* const row = near.data() + static_cast<std::size_t>(from) * size;
        char* const out = met.data() + static_cast<std::size_t>(y) * size;
        for (std::size_t x = 0; x < size; ++x) out[x] |= static_cast<char>(row[x] <= width);
      }
  });
  PixelMask changed = mask;
  for (std::size_t i = 0; i < met.size(); ++i) changed.counts[i] = (met[i] != 0) == grows;
  return changed;
}

std::vector<bool> in_all_masks(std::span<const Vec3> positions_m, const Rig& rig, const CullRules& rules) {
  const std::vector<MaskView> views = mask_views(rig, rules.masks);
  std::vector<char> stays(positions_m.size());
  parallel_for(positions_m.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      stays[i] =
          std::ranges::all_of(views, [&](const MaskView& view) { return view.keeps(positions_m[i], rules); });
  });
  return {stays.begin(), stays.end()};
}

TriangleMesh merged_vertices(const TriangleMesh& mesh) {
  const auto& vertices_m = mesh.vertices_m;
  std::vector<std::uint32_t> order(vertices_m.size()), first(vertices_m.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare(vertices_m[a].begin(), vertices_m[a].end(), vertices_m[b].begin(),
                                        vertices_m[b].end());
  };
  std::erase_if(order, [&](std::uint32_t v) { return !vertices_m[v].allFinite(); });
  std::ranges::stable_sort(order, less);
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] =
        i > 0 && vertices_m[order[i]] == vertices_m[order[i - 1]] ? first[order[i - 1]] : order[i];
  std::vector<bool> used(vertices_m.size(), false);
  std::vector<Corners> faces;
  for (const auto& [a, b, c] : mesh.triangles) {
    if (!vertices_m[a].allFinite() || !vertices_m[b].allFinite() || !vertices_m[c].allFinite()) continue;
    faces.push_back({first[a], first[b], first[c]});
    for (const std::uint32_t corner : faces.back()) used[corner] = true;
  }
  return with_vertices(mesh, used, faces);
}

TriangleMesh kept_part(const TriangleMesh& mesh, const std::vector<bool>& stays, bool largest) {
  std::vector<Corners> faces;
  for (const auto& [a, b, c] : mesh.triangles)
    if (stays[a] && stays[b] && stays[c]) faces.push_back({a, b, c});
  if (!largest) return with_vertices(mesh, stays, faces);
  const std::vector<std::uint32_t> component = components_of(faces);
  std::map<std::uint32_t, std::size_t> sizes;
  for (const std::uint32_t one : component) ++sizes[one];
  const auto most = std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
  std::vector<Corners> kept;
  std::vector<bool> used(mesh.vertices_m.size(), false);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (component[f] != most->first) continue;
    kept.push_back(faces[f]);
    for (const std::uint32_t corner : faces[f]) used[corner] = true;
  }
  return with_vertices(mesh, used, kept);
}

}  // namespace aqbench
