#include <cstdio>

int main() {
  std::puts("aqbench");
  return 0;
}
