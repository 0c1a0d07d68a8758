#pragma once
// Reads a large JSON document of which little is wanted, part after part, without keeping it (core/json.cc).

#include <string>
#include <string_view>

namespace aqbench {

struct JsonLimits;  // core/json.h

// Somebody who is told of the parts of a document in the order in which they stand. A key is followed by its
// value.
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

// Tells `visitor` the parts of a whole document. An exception of the visitor is passed on. Throws
// Error(input) as parse_strict_json() does, but accepts an object that gives a key twice or has too many
// keys: the visitor checks that for the objects that it wants.
void scan_json(std::string_view text, const std::string& source, const JsonLimits& limits,
               JsonVisitor& visitor);

}  // namespace aqbench
