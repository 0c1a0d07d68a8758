#pragma once
// Names of functions in this process, from the symbol tables of its files.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aqbench {

struct FunctionName {
  std::string name;  // demangled; "[libgomp.so.1]" where the file has no symbol for the place
  bool resolved = false;
};

// Reads what is loaded when it is made; symbol tables as they are needed.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // `address` within an instruction of the function: for a caller, one less than the return address.
  const FunctionName& find(std::uintptr_t address);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// Demangled if it is mangled; without anonymous namespaces and std::function's wrapper; long template
// arguments and parameters are left out as "<...>" and "(...)".
std::string readable_function(const std::string& symbol);

}  // namespace aqbench
