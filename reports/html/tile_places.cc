#include "reports/html/tile_places.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/text.h"
#include "reports/html/heatmaps.h"
#include "reports/html/page.h"

namespace aqbench {

std::string tile_places_section(const std::vector<TilePair>& cases, const std::string& lead) {
  constexpr std::size_t kMaxDrawnCases = 12;
  std::string text;
  std::size_t shown = 0, more = 0;
  for (const TilePair& one : cases) {
    if (one.a.empty() || one.b.empty()) continue;
    const std::string maps = tile_comparison(one.a, one.b);
    if (maps.empty()) continue;
    if (shown == kMaxDrawnCases) {
      ++more;
      continue;
    }
    ++shown;
    text += fmt::format("<h3>{}</h3>\n{}", xml_escape(one.case_name), maps);
  }
  if (more > 0) text += fmt::format("<p class=\"dim\">and {} more</p>\n", counted(more, "case"));
  return page_section("places", "Where on the surface, tile by tile", text,
                      "Seen from above, x to the right, y down. " + lead);
}

}  // namespace aqbench
