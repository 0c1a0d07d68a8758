#include "reports/html/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/text.h"
#include "harness/records/numbers.h"
#include "reports/content/case_columns.h"
#include "reports/content/charts.h"
#include "reports/content/environment_text.h"
#include "reports/content/rivals.h"
#include "reports/content/run_sections.h"
#include "reports/content/verdict_text.h"
#include "reports/html/page_data.h"
#include "reports/html/sections.h"

namespace aqbench {
namespace {

// A page of many cases is at most 3 MB, one whose bundle keeps its clouds 10 MB; in base64 clouds and
// pictures take four thirds of their bytes.
constexpr std::size_t kMaxPageBytes = 2'900'000, kMaxPageWithClouds = 9'900'000, kScriptBytes = 190'000;

// Views of a bundle that keeps its clouds have all of their points.
bool keeps_clouds(const ReportPictures& pictures) {
  constexpr std::size_t kThinView = 300'000;  // more than the bytes of 20 000 points
  return std::ranges::any_of(pictures.views, [](const auto& view) { return view.second.size() > kThinView; });
}

// The answer as a card: what was decided, the value that decides, since when, why, and where.
Banner card_of(const BundleContent& content, const ReportPictures& pictures) {
  Banner card = banner_of(content);
  if (content.baseline && !card.origin.empty()) {
    const std::string now = content.baseline->accepted_repository.empty()
                                ? environment_value(*content.results.environment, "build.commit")
                                : users_commit(content.results);
    if (!now.empty()) card.origin += "; now commit " + now.substr(0, 12);
  }
  for (const Record& record : content.results.records)  // all stand in the table; one in the banner
    if (is_failure(record.status) && !card.detail.starts_with(record.case_name + ": ") &&
        card.notes.size() < 5)
      card.notes.push_back(
          fmt::format("{} {}: {}", to_string(record.status), record.case_name, record.reason));
  const Record* const record = leading_record(content.results, content.gated ? &*content.gated : nullptr);
  if (record == nullptr) return card;
  card.picture = case_picture(*record, pictures);
  const auto error = value_of(record->metrics, kAccuracyMetric);
  if (card.colour != Colour::red && (error || !card.picture.empty())) {
    const std::string name = name_cases(content.results).of.at(record->case_name).whole();
    card.notes.push_back(error
                             ? fmt::format("Least accurate: {}, mean error {} mm", name, table_number(*error))
                             : "Pictured: " + name);
  }
  if (const std::string words = rival_words(content, pictures, record->case_name); !words.empty()) {
    if (words.find("a common bias") != words.npos) card.caution = without_truth_note(content.results);
    card.notes.push_back(words);
  }
  return card;
}

std::string report_head(const BundleContent& content, const ReportPictures& pictures) {
  const Results& results = content.results;
  std::string text =
      fmt::format("<h1>{}</h1>\n{}", xml_escape(run_title(results)), html_of(card_of(content, pictures)));
  if (has_injected_faults(results)) text += "<p><span class=\"badge bad\">injected faults</span></p>\n";
  for (const std::string& sentence : run_sentences(content)) text += html_of(Paragraph{sentence});
  return text;
}

std::string clouds_section(std::size_t shown, std::size_t left_out, std::size_t photographs_left_out) {
  if (shown == 0) return "";
  std::string text =
      "Drag to turn, shift-drag to move, wheel or pinch to zoom, click a point to ask what it is. The "
      "colours have one scale for all cases.";
  if (left_out > 0) text += fmt::format(" Of {} there is no room for the cloud.", counted(left_out, "case"));
  if (photographs_left_out > 0)
    text +=
        fmt::format(" There is no room for {} in pictures/.", counted(photographs_left_out, "photograph"));
  return scripted_section("clouds", "3D view", text);
}

// What the shares of a profile are of.
constexpr const char* kShareBases =
    " Shares here are of all stages; `aqbench profile` prints them beside those of the whole run, which has "
    "time outside of stages, too.";

std::string stages_section(const std::vector<CaseGroup>& groups, const ReportPictures& pictures) {
  Section section{"stages", "Stages",
                  std::string("Self time, without nested stages; medians over the repetitions.") +
                      (pictures.stacks.empty() ? "" : kShareBases)};
  if (Chart chart = stages_chart(groups); !chart.rows.empty()) section.blocks = {std::move(chart)};
  return html_of(section);
}

// What stands above and below the clouds, which get the room that these two leave.
struct PageBody {
  std::string above_clouds, below_clouds;
};

PageBody page_body(const BundleContent& content, const BundleContent& page, const ReportPictures& pictures) {
  const Results& results = content.results;
  auto groups = group_cases(results);
  take_common_axes(groups);  // the tables say what it is
  std::string above;
  for (Section& section : leading_sections(content, page)) {
    if (const auto table = std::ranges::find_if(
            section.blocks, [](const ReportBlock& block) { return std::holds_alternative<Table>(block); });
        section.id == "methods" && table != section.blocks.end())
      add_map_thumbnails(page.results, pictures, std::get<Table>(*table));
    above += html_of(section);
  }
  above += rivals_section(content, pictures);
  std::string body = html_of(
      Section{"places",
              pictures.tiles.empty() && !pictures.pictures.empty() ? "Depth maps" : "Where the errors are",
              "",
              {Picture{case_pictures(page.results, pictures)}}});
  if (!results.records.empty() && numbers_source(*results.run.requested).empty())
    body += scripted_section("curves", "Curves",
                             "Choose cases; drag over a curve to zoom in, double click to zoom out.");
  body += stages_section(groups, pictures) + flames_section(pictures.stacks);
  for (const Section& section : trailing_sections(content, page)) body += html_of(section);
  return {std::move(above), std::move(body)};
}

int listing_rank(const Record& record, const std::set<std::string_view>& refused) {
  if (record.status != Status::ok && record.status != Status::skipped) return 0;
  return refused.contains(record.case_name) ? 1 : 2;
}

}  // namespace

BundleContent listed_on_page(const BundleContent& content) {
  std::set<std::string_view> refused, listed;
  if (content.gated)
    for (const VerdictRow& row : content.gated->rows)
      if (is_refused(row.verdict)) refused.insert(row.case_name);
  std::vector<const Record*> records;
  for (const Record& record : content.results.records) records.push_back(&record);
  std::ranges::stable_sort(records, {}, [&](const Record* record) { return listing_rank(*record, refused); });
  // Whatever the page names elsewhere opens in it.
  const std::vector<Rivals> pairs = rivals_of(content.results);
  for (std::size_t i = 0; i < std::min(pairs.size(), kMaxRivals); ++i)
    listed.insert({pairs[i].worse->case_name, pairs[i].best->case_name});
  for (const Record* const record : records)
    if (listed.size() < kMaxPageCases) listed.insert(record->case_name);

  BundleContent page{{content.results.run, content.results.environment, {}},
                     {},
                     {},
                     content.notes,
                     content.warnings,
                     content.tests};
  for (const Record& record : content.results.records)
    if (listed.contains(record.case_name)) page.results.records.push_back(record);
  if (!content.gated) return page;
  page.gated.emplace();
  page.gated->refusal = content.gated->refusal;
  page.gated->notes = content.gated->notes;
  for (const VerdictRow& row : content.gated->rows)
    if (listed.contains(row.case_name)) page.gated->rows.push_back(row);
  return page;
}

std::string render_html_report(const BundleContent& content, const ReportPictures& pictures) {
  const BundleContent page = listed_on_page(content);
  PageParts parts;
  parts.title = run_title(content.results);
  parts.header = report_head(content, pictures);
  PageBlocks photographs;
  parts.data_json =
      page_data_json(page, page_stacks(pictures.stacks), add_photographs(pictures.photographs, photographs));
  const PageBody body = page_body(content, page, pictures);
  const std::size_t others = parts.header.size() + parts.data_json.size() + body.above_clouds.size() +
                             body.below_clouds.size() + kScriptBytes;
  const std::size_t most = keeps_clouds(pictures) ? kMaxPageWithClouds : kMaxPageBytes;
  std::size_t room = others < most ? (most - others) / 4 * 3 : 0,
              without_room = pictures.photographs_left_out;
  const std::size_t taken = block_bytes(photographs);
  if (taken > room / 2)
    without_room += std::exchange(photographs, {}).size();
  else
    room -= taken;
  parts.blocks = fit_views(pictures.views, page.results, room);
  const std::size_t shown = parts.blocks.size();
  if (shown > 0) std::ranges::move(photographs, std::back_inserter(parts.blocks));
  const auto clouds = std::ranges::count_if(
      page.results.records, [&](const Record& record) { return pictures.views.contains(record.case_name); });
  parts.body = body.above_clouds +
               clouds_section(shown, static_cast<std::size_t>(clouds) - shown, without_room) +
               body.below_clouds;
  parts.plots = !content.results.records.empty();
  parts.flames = !pictures.stacks.empty();
  parts.viewer = shown > 0;
  return html_page(parts);
}

}  // namespace aqbench
