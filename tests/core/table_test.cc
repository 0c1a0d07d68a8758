#include "core/table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <set>

#include "core/text.h"

namespace aqbench {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; start = end + 1, end = text.find('\n', start))
    lines.push_back(text.substr(start, end - start));
  return lines;
}

TEST(RenderTable, AlignsByDisplayWidth) {
  const Table table{{{"name"}, {"value\nmm", Align::right}}, {{{"水面"}, {"1.5"}}, {{"x"}, {"-12.25"}}}};
  EXPECT_EQ(render_table(table),
            "name   value\n"
            "          mm\n"
            "----  ------\n"
            "水面     1.5\n"
            "x     -12.25\n");
}

TEST(RenderTable, StaysWithinItsWidthByShrinkingWhereAllowed) {
  Table table{{{"case", Align::left, true}, {"metric", Align::left, true}, {"value", Align::right}}, {}};
  table.rows.push_back({{std::string(200, 'a') + "水"}, {std::string(80, 'b')}, {"123456.789"}});
  table.rows.push_back({{"short"}, {"short"}, {"1"}});
  for (const std::string& line : lines_of(render_table(table)))
    EXPECT_LE(display_width(line), kScreenColumns) << line;
  EXPECT_NE(render_table(table).find("123456.789"), std::string::npos);  // numbers are never cut
  EXPECT_EQ(table_width(table, 60), 60u);
  // What does not fit then is not cut: a terminal wraps it.
  table.rows.push_back({{"short"}, {"short"}, {std::string(50, '7')}});
  EXPECT_EQ(table_width(table, 60), 8 + 8 + 50 + 4u);
  EXPECT_NE(render_table(table, false, 60).find(std::string(50, '7')), std::string::npos);
  // Where nothing may shrink nothing is cut.
  const Table stiff{{{"a"}, {"b"}}, {{{std::string(90, 'x')}, {std::string(90, 'y')}}}};
  for (const std::string& line : lines_of(render_table(stiff)))
    if (line.front() != 'a') {
      EXPECT_EQ(display_width(line), 182U) << line;
    }
}

// Cells that differ in the middle are not cut to the same text, though the table becomes wider than the
// screen.
TEST(RenderTable, RowsThatDifferStayApart) {
  Table table{{{"case", Align::left, true}, {"metric", Align::left, true}}, {}};
  for (const char* const method : {"flat", "dented", "flatter"})
    for (const char* const metric : {"completeness_0.5mm_pct", "completeness_inset_0.5mm_pct"})
      table.rows.push_back(
          {{std::string("flat_plane/mine:") + method + "/seed=42/rig=arc6/width=320/height=240"}, {metric}});
  for (const std::size_t columns : {40U, 60U, 200U}) {
    const std::vector<std::string> lines = lines_of(render_table(table, false, columns));
    EXPECT_EQ(std::set<std::string>(lines.begin() + 2, lines.end()).size(), 6U) << columns;
  }
}

TEST(RenderTable, ColoursOnlyWhenAskedAndOutsideTheMeasuredText) {
  const Table table{{{"v"}, {"n", Align::right}}, {{{"bad", Colour::red}, {"1", Colour::green}}}};
  EXPECT_EQ(render_table(table, false).find('\033'), std::string::npos);
  EXPECT_EQ(render_table(table, true), "v    n\n---  -\n\033[31mbad\033[0m  \033[32m1\033[0m\n");
}

TEST(RenderTable, ControlCharactersOfCellsDoNotReachTheTerminal) {
  const Table table{{{"v"}}, {{{"a\x1b[2Jb\nc"}}}};
  const std::string text = render_table(table, true);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(lines_of(text).size(), 3u);
}

TEST(MarkdownTable, HasARuleThatSaysWhereColumnsStand) {
  EXPECT_EQ(md_head({"name", "value"}, 1) + md_row({"a", "1"}),
            "| name | value |\n| --- | ---: |\n| a | 1 |\n");
}

TEST(WantsColours, NotOutsideATerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_FALSE(wants_colours(ends[1]));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(WantsColours, OnATerminalUnlessNoColorIsSet) {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(controller, 0);
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_colours(terminal));
  ::setenv("NO_COLOR", "", 1);  // set but empty: as if unset (no-color.org)
  EXPECT_TRUE(wants_colours(terminal));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colours(terminal));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_colours(terminal));
  ::setenv("TERM", "xterm", 1);
  ::close(terminal);
  ::close(controller);
}

TEST(CsvField, IsQuotedAndNoFormula) {
  for (const auto& [text, field] : {std::pair<std::string, std::string>{"", ""},
                                    {"a b", "a b"},
                                    {"a=b+c-d@e", "a=b+c-d@e"},
                                    {"a,b", "\"a,b\""},
                                    {"a \"b\"", "\"a \"\"b\"\"\""},
                                    {"a\nb", "\"a\nb\""},
                                    {"a;=1", "\"a;=1\""},
                                    {"=1", "'=1"},
                                    {"+1", "'+1"},
                                    {"-1", "'-1"},
                                    {"@a", "'@a"},
                                    {"\t=1", "\"'\t=1\""},
                                    {"\r=1", "\"'\r=1\""},
                                    {"=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""}})
    EXPECT_EQ(csv_field(text), field);
}

TEST(Screen, CutsNothingInAFileOrAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_GE(screen_columns(ends[1]), 100'000U);
  ::close(ends[0]);
  ::close(ends[1]);
  const int file = ::open("/dev/null", O_WRONLY);
  EXPECT_GE(screen_columns(file), 100'000U);
  ::close(file);
}

}  // namespace
}  // namespace aqbench
