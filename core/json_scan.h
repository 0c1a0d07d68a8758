#pragma once
// Streaming reader for large JSON documents (core/json.cc).

#include <string>
#include <string_view>

namespace aqbench {

struct JsonLimits;  // core/json.h

// Receives the parts of a document in order. A key is followed by its value.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void open(bool is_array) = 0;  // an array or an object begins
  virtual void close() = 0;              // the innermost one ends
  virtual void key(std::string_view name) = 0;
  virtual void text(std::string_view value) = 0;
  virtual void number(double value) = 0;
  virtual void other() = 0;  // null, true or false
};

// Passes the parts of a whole document to `visitor`, and its exceptions on. Throws Error(input) like
// parse_strict_json(), but accepts duplicate and too many keys: the visitor checks the objects it uses.
void scan_json(std::string_view text, const std::string& source, const JsonLimits& limits,
               JsonVisitor& visitor);

}  // namespace aqbench
