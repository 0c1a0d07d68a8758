#include "reports/html/page_views.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "harness/viewing/cloud_view.h"

namespace aqbench {
namespace {

constexpr std::size_t kLeastBytes = 8 << 10;  // of a view that is worth turning
constexpr std::size_t kThinHoles = 5000;

std::optional<CloudView> read_view(const std::string& bytes, const std::string& name) {
  try {
    return decode_view(bytes, name);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// None of a cloud without a truth.
std::vector<std::pair<int, std::size_t>> error_counts(const CloudView& view) {
  if (view.is_agreement) return {};
  std::map<int, std::size_t> counts;
  for (const std::int8_t code : view.errors) ++counts[code];
  return {counts.begin(), counts.end()};
}

// Leaves out points until the view has at most `most` bytes. A view of few bytes is not decoded for that.
std::string fitted(const std::string& bytes, const std::string& name, std::size_t most) {
  if (bytes.size() <= most) return bytes;
  if (most < kLeastBytes) return "";
  const CloudView view = decode_view(bytes, name);
  const auto next = [](std::size_t every) { return every + every / 4 + 1; };
  const std::size_t first = std::max<std::size_t>(1, bytes.size() / most), end = view.points.size() + 1;
  std::size_t last = first;
  while (next(last) <= end) last = next(last);
  // The fewest points first: where they do not fit, none do, and nothing else is tried.
  std::string fewest = first > end ? "" : encode_view(thinned(view, last, kThinHoles));
  if (fewest.size() > most) return "";
  for (std::size_t every = first; every < last; every = next(every))
    if (std::string thin = encode_view(thinned(view, every, kThinHoles)); thin.size() <= most) return thin;
  return fewest;
}

}  // namespace

std::vector<PageView> list_views(const std::map<std::string, std::string>& views, const Results& results) {
  std::vector<PageView> listed;
  for (std::size_t i = 0; i < results.records.size(); ++i)
    if (const auto found = views.find(results.records[i].case_name); found != views.end())
      if (const auto view = read_view(found->second, found->first))
        listed.push_back({i, {}, error_counts(*view)});
  return listed;
}

void fit_views(std::vector<PageView>& listed, const std::map<std::string, std::string>& views,
               const Results& results, std::size_t budget) {
  const auto name_of = [&](const PageView& view) { return results.records[view.record].case_name; };
  std::vector<PageView*> by_size;
  for (PageView& view : listed) by_size.push_back(&view);
  // The small ones first: what they leave of their share is for the large ones.
  std::ranges::stable_sort(by_size, {}, [&](const PageView* one) { return views.at(name_of(*one)).size(); });
  std::size_t left = by_size.size();
  for (PageView* const one : by_size) {
    const std::string name = name_of(*one);
    one->bytes = fitted(views.at(name), name, budget / left--);
    budget -= one->bytes.size();
  }
}

}  // namespace aqbench
