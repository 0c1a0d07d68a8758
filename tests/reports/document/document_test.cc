#include "reports/document/document.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A section with every kind of block, whose texts are what each format must escape.
Section everything() {
  Table table = table_with({"case", ">error\nmm"});
  table.rows = {{{"a|<b>"}, {"1.5"}}, {{"=x"}, {"n/a"}}};
  table.rows[0][1].spread = "0.2";
  table.rows[0][1].place = 1;
  table.rows[1][1].hint = "no <points>";
  table.subjects = {{"scene/\"a\"", true}, {"scene/x"}};
  table.left_out = 3;
  table.rows[1][0].fold = {"rmse <2>"};
  table.rows[1][0].hint = "1 more";
  return {"part",
          "Part & more",
          "Made by `aqbench x <y>`.",
          {Banner{Colour::red, "FAIL", "1 of 2 <cases> worse", "", ""}, Heading{"A <heading>"},
           Paragraph{"words \033[2J"}, Lines{{"one *", "two", "three"}, 2}, Command{"aqbench sweep"},
           std::move(table), Picture{"<svg></svg>"}}};
}

TEST(Document, HtmlEscapesEveryTextAndKeepsPictures) {
  const std::string html = html_of(everything());
  for (const char* const part :
       {"<section id=\"part\">\n<h2>Part &amp; more</h2>\n<p class=\"dim\">Made by <code>aqbench x "
        "&lt;y&gt;</code>.</p>\n",
        "<div class=\"verdict bad\">\n<p><b>FAIL</b> 1 of 2 &lt;cases&gt; worse</p>",
        "<h3>A &lt;heading&gt;</h3>", "<li>two</li>\n<li>and 1 more</li>", "<pre>aqbench sweep</pre>",
        "<tr data-case=\"scene/&quot;a&quot;\" title=\"scene/&quot;a&quot;\"><td>a|&lt;b&gt;</td>",
        "<td data-label=\"error [mm]\"><strong>1.5 ± 0.2</strong></td>",
        "<td data-label=\"error [mm]\" title=\"no &lt;points&gt;\">n/a</td>",
        "<details><summary>1 more</summary><ul>\n<li>rmse &lt;2&gt;</li>", "and 3 more rows, in results.json",
        "<svg></svg>"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_THAT(html, Not(HasSubstr("\033")));
  EXPECT_EQ(html_of(Section{"none", "None", "A note.", {Lines{}, table_with({"a"}), Paragraph{}}}), "");
}

TEST(Document, MarkdownHasNoMarkupOfTexts) {
  const std::string text = markdown_of(everything());
  for (const char* const part :
       {"\n## Part &amp; more\n\nMade by `aqbench x <y>`.\n\n**FAIL: 1 of 2 &lt;cases> worse**\n",
        "\n### A &lt;heading>\n", "\n- one \\*\n- two\n- and 1 more\n", "\n````sh\naqbench sweep\n````\n",
        "\n| case | error [mm] |\n| --- | ---: |\n| a\\|&lt;b> | **1.5 ± 0.2** |\n| =x | n/a (no "
        "&lt;points>) "
        "|\n\nand 3 more: results.json\n",
        "<details><summary>further values</summary>\n\n- =x: rmse &lt;2>\n\n</details>"})
    EXPECT_THAT(text, HasSubstr(part));
  for (const char* const none : {"\033", "<svg"}) EXPECT_THAT(text, Not(HasSubstr(none)));
}

TEST(Document, TerminalHasNoSequencesOfTexts) {
  const std::string text = terminal_of(everything(), {true, 60});
  for (const char* const part : {"\nPart & more: Made by aqbench x <y>.\n", "\033[31mFAIL\033[0m: 1 of 2",
                                 "\none *\ntwo\n... and 1 more\n", "a|<b>   \033[32m*1.5\033[0m\n",
                                 "\033[2m±0.2\033[0m\n", "and 3 more: results.json\n"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("\033[2J")));
}

TEST(Document, TablesForPapersAndSpreadsheets) {
  const Table table = std::get<Table>(everything().blocks[5]);
  EXPECT_THAT(latex_of(table),
              HasSubstr("\\begin{tabular}{lS[table-format=1.1(1)]}\n\\toprule\ncase & "
                        "{\\shortstack{error\\\\mm}} \\\\\n\\midrule\na|<b> & \\bfseries 1.5(2) \\\\\n"));
  EXPECT_EQ(latex_escape("a_b~50 %\\"), "a\\_b\\~{}50 \\%\\textbackslash{}");
  EXPECT_EQ(csv_of(table), "case,error [mm]\r\na|<b>,1.5\r\n'=x,n/a\r\n");
}

// A new writer, whole: Org mode.
struct OrgWriter {
  static std::string plain(const std::string& text) {
    std::string safe = printable(text);
    for (std::size_t at = 0; (at = safe.find('|', at)) != safe.npos; at += 6) safe.replace(at, 1, "\\vert{}");
    return safe;
  }
  std::string operator()(const Banner& banner) const { return "*" + plain(banner_line(banner)) + "*\n"; }
  std::string operator()(const Heading& heading) const { return "*** " + plain(heading.text) + "\n"; }
  std::string operator()(const Paragraph& text) const { return plain(text.text) + "\n"; }
  std::string operator()(const Lines& lines) const {
    std::string text;
    for (const std::string& item : lines.items) text += "- " + plain(item) + "\n";
    return text;
  }
  std::string operator()(const Command& command) const { return ": " + plain(command.text) + "\n"; }
  std::string operator()(const Table& table) const {
    std::string text, rule = "|";
    for (const TableColumn& column : table.columns) {
      text += "| " + plain(title_of(column)) + " ";
      rule += rule.size() > 1 ? "+---" : "---";
    }
    text += "|\n" + rule + "|\n";
    for (const auto& row : table.rows) {
      for (const TableCell& cell : row) text += "| " + plain(cell.text) + " ";
      text += "|\n";
    }
    return text;
  }
  std::string operator()(const Chart& chart) const { return "*** " + plain(chart.title) + "\n"; }
  std::string operator()(const Picture&) const { return ""; }
};

TEST(Document, ANewWriterIsShort) {
  std::string text;
  for (const ReportBlock& block : everything().blocks) text += std::visit(OrgWriter{}, block);
  EXPECT_THAT(text, HasSubstr("*FAIL: 1 of 2 <cases> worse*\n*** A <heading>\n"));
  EXPECT_THAT(text, HasSubstr("| case | error [mm] |\n|---+---|\n| a\\vert{}<b> | 1.5 |\n| =x | n/a |\n"));
}

}  // namespace
}  // namespace aqbench
