// Binds what newer versions of the C library have renamed to the names that older ones have, too, so that a
// program built on Debian 12 also starts where glibc is 2.34 (Ubuntu 22.04 has 2.35, RHEL 9 2.34). The linker
// passes calls of hypot on to here (aqbench_bind_old_symbols() in cmake/AqbenchOptions.cmake).

#ifdef __x86_64__
extern "C" {
double hypot_of_glibc_2_2_5(double x, double y);
double __wrap_hypot(double x, double y);  // NOLINT: the linker's name
}
__asm__(".symver hypot_of_glibc_2_2_5, hypot@GLIBC_2.2.5");

double __wrap_hypot(double x, double y) { return hypot_of_glibc_2_2_5(x, y); }
#endif
