#pragma once
// Names of functions in this process, from the symbol tables of its files.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aqbench {

// What a place in the program is called.
struct FunctionName {
  std::string name;  // demangled; "[libgomp.so.1]" where the file has no symbol for the place
  bool resolved = false;
};

// Looks up functions by address in the files that were loaded when this object was made. Reads each file's
// symbols when they are first needed.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // Returns the function that holds the instruction at `address`. For a caller, give one less than the return
  // address.
  const FunctionName& find(std::uintptr_t address);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// Returns a symbol's name for people: demangled, without anonymous namespaces and std::function's wrapper,
// with long template arguments and parameters left out as "<...>" and "(...)".
std::string readable_function(const std::string& symbol);

}  // namespace aqbench
