#pragma once
// Reads tables with a header line strictly: they must be just as cases write them.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/tables/view_errors.h"

namespace aqbench {

// A table with a header line; it refers to its text.
struct CaseTable {
  std::vector<std::string_view> names;
  std::vector<std::string_view> fields;  // of all rows
  std::vector<std::size_t> ends;         // of each row, in fields

  std::size_t rows() const { return ends.size(); }
  std::span<const std::string_view> fields_of(std::size_t row) const;
};

// Splits a text into lines, and these at commas.
CaseTable read_table(std::string_view text);

// Returns why the text is no table with this header line: another first line, no row or one of another
// length, an end without a line break; "" where it is one.
std::string form_problem(std::string_view text, const CaseTable& table, std::string_view header);

// How numbers of a column are printed.
enum class Digits { shortest, six };

// Returns the number in a field; nullopt for one that is not finite or that aqbench prints in other words.
std::optional<double> printed_number(std::string_view field, Digits digits);

// Returns the range in which a number lies that was printed with six digits.
ErrorRange range_of_six_digits(double printed);

}  // namespace aqbench
