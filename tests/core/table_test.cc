#include "core/table.h"
#include "core/text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <limits>

namespace aqbench {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; start = end + 1, end = text.find('\n', start))
    lines.push_back(text.substr(start, end - start));
  return lines;
}

TEST(DisplayWidth, CountsWhatATerminalShows) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("±µ…"), 3u);
  EXPECT_EQ(display_width("水面"), 4u);       // wide
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\xFF\xC3"), 2u);   // broken: each byte shows as one
}

TEST(Printable, LetsNoTextSteerTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\tc\x7f"), "a?[31mb???c?");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "?2J");                                            // C1 control sequence introducer
  EXPECT_EQ(printable("x\xE2\x80\xAEy"), "x?y");               // right-to-left override
  EXPECT_EQ(printable("\xFF\xC0\xAF\xED\xA0\x80"), "??????");  // broken, overlong, surrogate
  EXPECT_EQ(printable("ä 水 😀"), "ä 水 😀");
}

TEST(ElideMiddle, KeepsBothEndsAndTheWidth) {
  EXPECT_EQ(elide_middle("undulating/roma_like", 20), "undulating/roma_like");
  EXPECT_EQ(elide_middle("undulating/roma_like/seed=43", 11), "undul…ed=43");
  EXPECT_EQ(elide_middle("水水水水水", 6), "水…水");
  EXPECT_EQ(elide_middle("abc", 1), "…");
  EXPECT_EQ(elide_middle("abc", 0), "");
  for (std::size_t width = 0; width < 30; ++width)
    EXPECT_LE(display_width(elide_middle("水a水b水c水de\xCC\x81水f水g水h", width)), width);
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
  // Even where nothing may shrink no line is wider than the screen.
  const Table stiff{{{"a"}, {"b"}}, {{{std::string(90, 'x')}, {std::string(90, 'y')}}}};
  for (const std::string& line : lines_of(render_table(stiff)))
    EXPECT_LE(display_width(line), kScreenColumns);
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

TEST(WrapText, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrap_text("one two three four", 10, 2), "one two\n  three\n  four\n");
  EXPECT_EQ(wrap_text("fits exactly", 12, 2), "fits exactly\n");
  EXPECT_EQ(wrap_text("", 10, 2), "\n");
  EXPECT_EQ(wrap_text(std::string(25, 'x'), 10, 2), "xxxxxxxxxx\n  xxxxxxxx\n  xxxxxxx\n");
  EXPECT_EQ(wrap_text("ab " + std::string(12, 'x'), 10, 2), "ab\n  xxxxxxxx\n  xxxx\n");
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
}

TEST(ShortNumber, ReadsWell) {
  EXPECT_EQ(short_number(2850), "2850");
  EXPECT_EQ(short_number(0.79788456), "0.79788");
  EXPECT_EQ(short_number(-12), "-12");
  EXPECT_EQ(short_number(1234567.8), "1234568");
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN()), "not finite");
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

}  // namespace
}  // namespace aqbench
