#include <fmt/format.h>

#include "core/text.h"
#include "reports/html/picture_parts.h"
#include "reports/html/sections.h"

namespace aqbench {

std::string worst_places(const Verdicts& verdicts, const TilesOfSide& tiles_of) {
  if (verdicts.rows.empty()) return "";
  const std::string& name = verdicts.rows.front().case_name;
  const std::string map = difference_map(tiles_of(name, false), tiles_of(name, true));
  return map.empty() ? ""
                     : figure(map, "", "How much larger the errors of this case are in B (red), from above.");
}

std::string tile_places_section(const Verdicts& verdicts, const TilesOfSide& tiles_of,
                                const std::string& lead) {
  constexpr std::size_t kMaxDrawnCases = 12;
  std::string text;
  std::size_t shown = 0;
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const std::string& name = one.worst->case_name;
    const std::string maps = tile_comparison(tiles_of(name, false), tiles_of(name, true));
    if (!maps.empty() && ++shown <= kMaxDrawnCases)
      text += fmt::format("<h3>{}</h3>\n{}", xml_escape(name), maps);
  }
  if (shown > kMaxDrawnCases)
    text += fmt::format("<p class=\"dim\">and {} more</p>\n", counted(shown - kMaxDrawnCases, "case"));
  return html_of(Section{"places",
                         "Where on the surface, tile by tile",
                         "Seen from above, x to the right, y down. " + lead,
                         {Picture{text}}});
}

}  // namespace aqbench
