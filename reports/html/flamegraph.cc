#include "reports/html/flamegraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kFlameWidth_px = 1200, kFlameMargin_px = 10, kFlameRow_px = 17, kFlameTop_px = 60,
                 kFlameBottom_px = 30;
constexpr double kFlameCharacter_px = 6.6;   // of the 11 px monospace font
constexpr double kFlameNarrowest_px = 0.15;  // narrower boxes are invisible and left out
constexpr std::size_t kFlameDepth = 400;

struct FlameNode {
  std::uint64_t before = 0, count = 0;
  std::map<std::string, FlameNode, std::less<>> children;
};

void add_stacks(FlameNode& root, const FoldedStacks& stacks, std::uint64_t FlameNode::*counter) {
  for (const auto& [stack, count] : stacks) {
    FlameNode* node = &root;
    node->*counter += count;
    std::size_t depth = 0;
    for (const std::string_view function : functions_of(stack)) {
      if (++depth > kFlameDepth) break;
      node = &node->children.try_emplace(std::string(function)).first->second;
      node->*counter += count;
    }
  }
}

std::string flame_text(std::string_view text) { return xml_escape(printable(text)); }

// Warm colours that depend on the name alone, so that a function looks the same in two graphs.
std::string warm_colour(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  const unsigned a = hash & 0xFFU, b = hash >> 8 & 0xFFU;
  if (name.starts_with(kStagePrefix)) return fmt::format("rgb({},{},{})", 120 + a / 8, 165 + b / 8, 225);
  if (is_unresolved(name)) return fmt::format("rgb({0},{0},{0})", 185 + a / 8);
  return fmt::format("rgb({},{},{})", 215 + a / 7, 90 + b / 2, 45 + a / 8);
}

// White where the shares are equal, red for more, blue for less; full colour at a tenth of all samples.
std::string change_colour(double change) {
  const auto faded = static_cast<int>(255 - 200 * std::min(1.0, std::sqrt(std::abs(change) / 0.1)));
  return change > 0 ? fmt::format("rgb(255,{0},{0})", faded) : fmt::format("rgb({0},{0},255)", faded);
}

struct FlamePainter {
  double before_total = 0, total = 0;
  bool differential = false;
  double height_px = 0;
  std::string svg;

  double share(std::uint64_t count) const { return static_cast<double>(count) / total; }
  double change(const FlameNode& node) const {
    const double before = before_total > 0 ? static_cast<double>(node.before) / before_total : 0;
    return share(node.count) - before;
  }

  void paint(std::string_view name, const FlameNode& node, double x, std::size_t depth) {
    const double width = share(node.count) * (kFlameWidth_px - 2 * kFlameMargin_px);
    if (width < kFlameNarrowest_px) return;
    const double y = height_px - kFlameBottom_px - static_cast<double>(depth + 1) * kFlameRow_px;
    std::string title =
        fmt::format("{} ({} samples, {:.2f} %", flame_text(name), node.count, 100 * share(node.count));
    if (differential) title += fmt::format(", {:+.2f} points", 100 * change(node));
    title += ")";
    const std::string colour = differential ? change_colour(change(node)) : warm_colour(name);
    const auto room = static_cast<std::size_t>(std::max(0.0, (width - 4) / kFlameCharacter_px));
    svg += fmt::format(
        "<g class=\"f\" data-x=\"{:.6f}\" data-w=\"{:.6f}\"><title>{}</title><rect x=\"{:.2f}\" y=\"{:.1f}\" "
        "width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"/><text x=\"{:.2f}\" y=\"{:.1f}\">{}</text></g>\n",
        x, share(node.count), title, kFlameMargin_px + x * (kFlameWidth_px - 2 * kFlameMargin_px), y, width,
        kFlameRow_px - 1, colour, kFlameMargin_px + x * (kFlameWidth_px - 2 * kFlameMargin_px) + 3, y + 12,
        room < 3 ? std::string() : flame_text(elide_middle(name, room)));
    double child_x = x;
    for (const auto& [child_name, child] : node.children) {
      paint(child_name, child, child_x, depth + 1);
      child_x += share(child.count);
    }
  }
};

std::size_t depth_of(const FlameNode& node) {
  std::size_t deepest = 0;
  for (const auto& [name, child] : node.children) deepest = std::max(deepest, depth_of(child));
  return deepest + 1;
}

constexpr const char* kFlameStyle = R"(<style>
text{font:11px monospace;fill:#000;pointer-events:none}
.title{font-size:16px;text-anchor:middle}.sub{text-anchor:middle;fill:#555}
.f rect{stroke:#fff;stroke-width:.3}.f:hover rect{stroke:#000;stroke-width:1}
.hit rect{fill:rgb(200,60,220)}.dim{opacity:.35}.button{cursor:pointer;pointer-events:all;fill:#036}
</style>
)";

// Each box has its place and share as data-x and data-w; zooming stretches a part of them to the whole width.
constexpr const char* kFlameScript = R"((function () {
  var svg = document.documentElement, frames = [].slice.call(svg.querySelectorAll('.f'));
  var width = 1180, left = 10, line = svg.querySelector('#line'), found = svg.querySelector('#found');
  function number(frame, name) { return parseFloat(frame.getAttribute(name)); }
  function label(frame) { return frame.querySelector('title').textContent; }
  function place(from, share) {
    frames.forEach(function (frame) {
      var x = (number(frame, 'data-x') - from) / share, w = number(frame, 'data-w') / share;
      var visible = x + w > 1e-9 && x < 1 - 1e-9;
      frame.style.display = visible ? '' : 'none';
      if (!visible) return;
      var a = Math.max(0, x), b = Math.min(1, x + w), px = (b - a) * width;
      var rect = frame.querySelector('rect'), text = frame.querySelector('text');
      rect.setAttribute('x', left + a * width);
      rect.setAttribute('width', px);
      text.setAttribute('x', left + a * width + 3);
      var name = label(frame).replace(/ \(\d+ samples.*$/, ''), room = Math.floor((px - 4) / 6.6);
      text.textContent = room < 3 ? '' : name.length <= room ? name : name.slice(0, room - 1) + '\u2026';
      frame.classList.toggle('dim', x < -1e-9 || x + w > 1 + 1e-9);
    });
  }
  function search(words) {
    var hits = 0, ends = -1;
    frames.map(function (frame) {
      var hit = words !== '' && label(frame).toLowerCase().indexOf(words.toLowerCase()) >= 0;
      frame.classList.toggle('hit', hit);
      return hit ? [number(frame, 'data-x'), number(frame, 'data-w')] : null;
    }).filter(Boolean).sort(function (a, b) { return a[0] - b[0] || b[1] - a[1]; }).forEach(function (span) {
      if (span[0] + 1e-9 >= ends) { hits += span[1]; ends = span[0] + span[1]; }
    });
    found.textContent = words === '' ? '' : '"' + words + '": ' + (100 * hits).toFixed(2) + ' %';
  }
  frames.forEach(function (frame) {
    frame.addEventListener('click', function () { place(number(frame, 'data-x'), number(frame, 'data-w')); });
    frame.addEventListener('mouseover', function () { line.textContent = label(frame); });
    frame.addEventListener('mouseout', function () { line.textContent = ''; });
  });
  svg.querySelector('#reset').addEventListener('click', function () { place(0, 1); search(''); });
  svg.querySelector('#search').addEventListener('click', function () {
    var words = window.prompt('Part of a name:', '');
    if (words !== null) search(words);
  });
})();
)";

std::string flame_svg(const FlameNode& root, bool differential, const FlamegraphText& text) {
  FlamePainter painter;
  painter.before_total = static_cast<double>(root.before);
  painter.total = static_cast<double>(std::max<std::uint64_t>(root.count, 1));
  painter.differential = differential;
  painter.height_px = kFlameTop_px + static_cast<double>(depth_of(root)) * kFlameRow_px + kFlameBottom_px;
  painter.svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n",
      kFlameWidth_px, painter.height_px);
  painter.svg += kFlameStyle;
  painter.svg += fmt::format(
      "<rect width=\"100%\" height=\"100%\" fill=\"#fdfdf8\"/>\n<text class=\"title\" x=\"{0:.0f}\" "
      "y=\"22\">{1}</text>\n<text class=\"sub\" x=\"{0:.0f}\" y=\"40\">{2}</text>\n<text class=\"button\" "
      "id=\"reset\" x=\"10\" y=\"22\">reset</text>\n<text class=\"button\" id=\"search\" x=\"{3:.0f}\" "
      "y=\"22\">search</text>\n<text id=\"found\" x=\"{3:.0f}\" y=\"40\"/>\n<text id=\"line\" x=\"10\" "
      "y=\"{4:.0f}\"/>\n",
      kFlameWidth_px / 2, flame_text(text.title), flame_text(text.subtitle), kFlameWidth_px - 160,
      painter.height_px - 10);
  painter.paint("all", root, 0, 0);
  return painter.svg + "<script>" + xml_escape(kFlameScript) + "</script>\n</svg>\n";
}

}  // namespace

std::string flamegraph_svg(const FoldedStacks& stacks, const FlamegraphText& text) {
  FlameNode root;
  add_stacks(root, stacks, &FlameNode::count);
  return flame_svg(root, false, text);
}

std::string differential_flamegraph_svg(const FoldedStacks& before, const FoldedStacks& after,
                                        const FlamegraphText& text) {
  FlameNode root;
  add_stacks(root, before, &FlameNode::before);
  add_stacks(root, after, &FlameNode::count);
  return flame_svg(root, true, text);
}

}  // namespace aqbench
