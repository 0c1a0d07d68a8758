#pragma once
// Lines and words of text files that hold points or triangles, with errors that name the line.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// Returns the text without blanks, tabs and carriage returns at both ends.
std::string_view trim_blanks(std::string_view text);

// Cuts the next word off `rest`: words are separated by blanks and tabs. Returns an empty word at the end.
std::string_view take_word(std::string_view& rest);

// Returns the words of a line.
std::vector<std::string_view> split_words(std::string_view line);

// Returns the columns of a line: separated by commas where it has any, else by blanks. A comma at the end
// adds none.
std::vector<std::string_view> split_columns(std::string_view line);

// Returns whether bytes after the data of a file hold nothing: writers fill up with zeros, blanks, tabs and
// line ends.
bool is_filling(std::string_view bytes);

// The lines of a text, one after the other. A line ends with \n, \r\n or \r.
class TextLines {
 public:
  // `bytes` must outlive this; `name` stands in errors for the file. A byte order mark at the start is
  // skipped.
  TextLines(std::string_view bytes, std::string name);

  // Continues with the next part of the text, which begins at the start of a line. The count of lines
  // continues, too.
  void go_on(std::string_view bytes) {
    rest_ = bytes;
    feed_ = nullptr;
  }

  // Goes to the next line, without blanks at its ends; returns false after the last one.
  bool next(std::string_view& line);

  // Goes to the next line that is neither empty nor starts with '#'; returns false after the last one.
  bool next_content(std::string_view& line);

  // Throw Error(input) "NAME: line N: WHAT", made printable; WHAT as it is or in the form of fmt::format().
  [[noreturn]] void fail(std::string_view what) const;
  template <class First, class... Args>
  [[noreturn]] void fail(fmt::format_string<First, Args...> what, First&& first, Args&&... args) const {
    fail(fmt::format(what, std::forward<First>(first), std::forward<Args>(args)...));
  }

  // Return a word as a number, a finite number or a whole number from 0 to 2^53; throw as fail() for anything
  // else. `what` names the number in the error.
  double number(std::string_view word, std::string_view what) const;
  double finite(std::string_view word, std::string_view what) const;
  std::uint64_t count(std::string_view word, std::string_view what) const;

  std::size_t bytes_left() const { return rest_.size(); }
  std::string_view rest() const { return rest_; }  // what follows the line
  const std::string& name() const { return name_; }

 private:
  std::string_view rest_;
  const char* feed_ = nullptr;  // the next \n, or the end; null or before rest_ where it is to be found
  std::string name_;
  std::size_t line_ = 0;
};

}  // namespace aqbench
