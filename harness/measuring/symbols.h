#pragma once
// Function names of this process from the symbol tables of its files.

#include <cstdint>
#include <memory>
#include <string>

namespace aqbench {

// The name of a place in the program.
struct FunctionName {
  std::string name;  // demangled; "[libgomp.so.1]" where the file has no symbol for the place
  bool resolved = false;
};

// Looks up functions by address in the files loaded when this object was made. Reads each file's symbols at
// their first use.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // Returns the function that contains the instruction at `address`. For a caller, pass the return address
  // minus one.
  const FunctionName& find(std::uintptr_t address);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// Returns a readable symbol name: demangled, without anonymous namespaces and std::function's wrapper, with
// long template arguments and parameters abbreviated as "<...>" and "(...)".
std::string readable_function(const std::string& symbol);

}  // namespace aqbench
