#pragma once
// A report as data: sections of blocks, made once from records and verdicts. Small writers turn them into
// text for a terminal, Markdown, HTML, LaTeX and CSV. All texts are plain; each writer escapes them. In the
// notes of sections `code` stands in backticks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/table.h"

namespace aqbench {

// What a run comes to, as its reader sees it first.
struct Banner {
  Colour colour = Colour::none;  // green, yellow where nothing can be said yet, red
  std::string word;              // "PASS", "FAIL", "REGRESSED"; "" where nothing was decided
  std::string title;             // "1 of 4 cases worse"
  std::string detail = {};       // the worst case and its worst value; "" where there is none
  std::string origin = {};       // "accepted in run X, commit Y"; or ""
  std::string caution = {};      // what the numbers are not
  // Of pages alone: the value that decides on a line with what it may be, sentences below it, and a picture
  // as HTML that holds no text of a record unescaped.
  struct Move {
    double before = 0, after = 0, low = 0, high = 0;
    std::string from, to;  // "0.793", "4.52 mm"
  };
  std::optional<Move> move = {};
  std::vector<std::string> notes = {};
  std::string picture = {};
};

// Returns a banner in one line: "FAIL: 1 of 4 cases worse. CASE: ...; accepted in run X, commit Y".
std::string banner_line(const Banner& banner);

// A heading inside of a section.
struct Heading {
  std::string text;
};
// A paragraph beside what it explains; "" for none.
struct Paragraph {
  std::string text;
};
// A list, the first `most` items with a count of the others.
struct Lines {
  std::vector<std::string> items;
  std::size_t most = SIZE_MAX;
};
// A command to copy.
struct Command {
  std::string text;
};
// A chart of rows: bars one after the other, or changes with their intervals around one zero line.
struct Chart {
  struct Bar {
    double value = 0;
    std::string colour = {}, tip = {};  // "#rrggbb", "" for the usual one; what is said of it under the mouse
  };
  struct Row {
    std::string scene, label, tip;  // rows of one scene stand together
    std::vector<Bar> bars;
    std::optional<double> spread;  // around the end of the bars
    // In place of bars: a change, for the worse above 0, and what is allowed of it.
    struct Interval {
      double low = 0, estimate = 0, high = 0, least = 0, most = 0;
    };
    std::optional<Interval> interval;
    Colour colour = Colour::none;  // of the interval
    std::string number;            // behind
  };
  std::string title, note = {};
  std::vector<std::pair<std::string, std::string>> keys = {};  // names of bars and their colours
  std::vector<Row> rows = {};
  double most = 0;        // the end of the scale
  std::string unit = {};  // of intervals
};
// Returns where the scale of intervals ends to either side of zero; those that reach further are cut. And
// these ends in words: "110 % better", "110 % worse".
double interval_reach(const Chart& chart);
std::pair<std::string, std::string> interval_ends(const Chart& chart);
// A picture, as HTML that holds no text of a record unescaped: other writers leave it out.
struct Picture {
  std::string html;
};
using ReportBlock = std::variant<Banner, Heading, Paragraph, Lines, Command, Table, Chart, Picture>;

// A part of a report; without blocks it is not there.
struct Section {
  std::string id, title;  // id: what links lead to
  std::string note = {};  // what it shows
  std::vector<ReportBlock> blocks = {};
  std::string fold = {};  // where it is closed at first: the words that open it
};

// How wide a terminal is, and whether it has colours.
struct Screen {
  bool colours = false;
  std::size_t width = kScreenColumns;
};

// Returns what is behind a descriptor, such as STDOUT_FILENO.
Screen screen_of(int descriptor);

// The writers. On a terminal columns that may be left out go where a table is too wide; names are never cut.
std::string terminal_of(const ReportBlock& block, const Screen& screen = {});
std::string terminal_of(const std::vector<ReportBlock>& blocks, const Screen& screen = {});
std::string terminal_of(const Section& section, const Screen& screen = {});
std::string markdown_of(const ReportBlock& block);
std::string markdown_of(const std::vector<ReportBlock>& blocks);  // each after an empty line
std::string markdown_of(const Section& section);
std::string html_of(const ReportBlock& block);
std::string html_of(const Section& section);

// Returns the table for LaTeX's packages booktabs and siunitx: the best is bold, the second underlined,
// spreads are uncertainties of the last digits.
std::string latex_of(const Table& table);
std::string latex_escape(std::string_view text);

// Returns the table as CSV (RFC 4180). Cells of columns at the right are numbers.
std::string csv_of(const Table& table);

// Returns a cell that is a link or a picture on pages.
TableCell html_cell(std::string html, Colour colour = Colour::none);

// Returns words with `code` in backticks as HTML.
std::string html_words(std::string_view words);

}  // namespace aqbench
