#pragma once
// The parts of figures on pages: the bar of their colours, and the depth maps of a case.

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "core/drawing/colour_map.h"
#include "reports/html/pictures.h"

namespace aqbench {

// What colours stand for.
struct ColourScale {
  double low, high;
  std::string unit;
  Rgb8 (*colour_of)(int step);
};

// Returns the bar under a picture, its ends and its middle as numbers.
std::string colour_bar(const ColourScale& scale);

// Returns a picture and its bar, which are HTML, over their caption.
std::string figure(const std::string& picture, const std::string& bar, const std::string& caption);

// The pictures of a case, and what of them and of its truth there is elsewhere.
struct CasePictures {
  const std::vector<ReportPicture>& shown;
  std::set<std::string> kinds;  // in the bundle
  bool has_surface;             // a true surface is known
  std::string label;

  bool shows(const char* kind) const {
    return std::ranges::find(shown, kind, &ReportPicture::kind) != shown.end();
  }
  bool has(const char* kind) const { return shows(kind) || kinds.contains(kind); }
};

// Returns a picture of a case; "" for an unknown kind.
std::string depth_figure(const ReportPicture& picture, const CasePictures& of);

// Returns the pictures of a case: those of the first camera, and those of the others, which are folded.
std::string depth_figures(const CasePictures& of);

}  // namespace aqbench
