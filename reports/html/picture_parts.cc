#include "reports/html/picture_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/drawing/drawing.h"
#include "core/text.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

std::string share(double pct) { return std::isfinite(pct) ? table_number(pct) + " %" : std::string("n/a"); }

struct PictureKind {
  std::string_view kind, lead;
  Rgb8 (*colour_of)(int step);
};
constexpr PictureKind kPictureKinds[] = {
    {"depth", "Depth of camera {} along its ray; the scale is the range of the truth. ", sequential_colour},
    {"depth_error", "Depth error of camera {}: red is nearer than the truth, blue is deeper. ",
     diverging_colour},
    {"confidence", "Confidence of camera {} in its depths, as the method gives it. ", sequential_colour}};

constexpr const char* kElsewhere = "in pictures/ of the bundle, left out here to keep the page small";

std::string picture_caption(const ReportPicture& picture, const PictureKind& kind, const CasePictures& of) {
  const bool has_truth = of.has("depth_error");
  std::string caption = fmt::format(fmt::runtime(kind.lead), picture.camera);
  if (picture.kind == "depth" && !has_truth)
    caption = fmt::format(
        "Depth of camera {} along its ray; {}. ", picture.camera,
        of.has_surface ? "a true surface is known, but no true depth map" : "no true depth is known");
  else if (picture.kind == "depth" && !of.shows("depth_error"))
    caption += fmt::format("Its error is {}. ", kElsewhere);
  if (has_truth || std::isfinite(picture.filled_pct))
    caption += fmt::format("Grey: no depth; {} of the {} has one.", share(picture.filled_pct),
                           has_truth ? "surface in view" : "image");
  if (picture.kind == "depth_error") caption += " Black: no surface to compare with.";
  if (picture.beyond_pct > 0) caption += fmt::format(" Beyond the scale: {}.", share(picture.beyond_pct));
  if (picture.every_px > 1) caption += fmt::format(" One pixel of {0} x {0} is shown.", picture.every_px);
  return caption;
}

}  // namespace

std::string colour_bar(const ColourScale& scale) {
  const auto& [low, high, unit_name, colour_of] = scale;
  const std::string unit = unit_name == "1" ? "" : " " + unit_name;  // a share has none to name
  const auto number = [](double value) { return fmt::format("{:.3g}", value); };
  constexpr double kWidth = 300, kStep = kWidth / kColourSteps;
  Drawing bar{kWidth, 26};
  for (int i = 0; i < kColourSteps; ++i)
    bar.shapes.push_back(rect_shape(kStep * i, 0, kStep + 0.5, 9, hex_of(colour_of(i))));
  bar.shapes.push_back(text_shape(0, 22, "start", number(low), "s"));
  bar.shapes.push_back(text_shape(kWidth / 2, 22, "middle", number((low + high) / 2), "s"));
  bar.shapes.push_back(text_shape(kWidth, 22, "end", number(high) + unit, "s"));
  bar.label = fmt::format("colours from {} to {}{}", number(low), number(high), unit);
  return svg_figure(bar);
}

std::string figure(const std::string& picture, const std::string& bar, const std::string& caption) {
  return fmt::format("<figure>{}{}<figcaption>{}</figcaption></figure>\n", picture, bar, xml_escape(caption));
}

std::string depth_figure(const ReportPicture& picture, const CasePictures& of) {
  const auto kind = std::ranges::find(kPictureKinds, std::string_view(picture.kind), &PictureKind::kind);
  if (kind == std::end(kPictureKinds)) return "";
  return figure(
      fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">",
                  xml_escape(fmt::format("{} of camera {}, {}", kind->kind, picture.camera, of.label)),
                  base64_text(picture.bytes)),
      colour_bar({picture.low, picture.high, picture.unit, kind->colour_of}),
      picture_caption(picture, *kind, of));
}

std::string depth_figures(const CasePictures& of) {
  std::string first, others;
  std::set<std::string> cameras;
  for (const ReportPicture& picture : of.shown) {
    cameras.insert(picture.camera);
    (picture.camera == of.shown.front().camera ? first : others) += depth_figure(picture, of);
  }
  if (!of.shows("confidence"))
    first += of.has("confidence")
                 ? fmt::format("<p class=\"dim\">The confidence is {}.</p>\n", kElsewhere)
                 : "<p class=\"dim\">The method gives no confidence with its depth maps.</p>\n";
  if (others.empty()) return first;
  return first +
         fmt::format("<details><summary>{} more</summary>\n<div class=\"maps\">\n{}</div></details>\n",
                     counted(cameras.size() - 1, "camera"), others);
}

}  // namespace aqbench
