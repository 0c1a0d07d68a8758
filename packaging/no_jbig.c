/* Stands in for libjbig, whose licence (GPL) would be that of the whole folder. libtiff calls it for bilevel images,
   which aqbench refuses; every call says that it failed. */
#define FAILS(name) \
  int name(void) { return 1; }
FAILS(jbg_newlen)
FAILS(jbg_dec_in)
int jbg_dec_getsize(void) { return 0; }
void *jbg_dec_getimage(void) { return 0; }
const char *jbg_strerror(void) { return "JBIG is not supported"; }
void jbg_dec_init(void) {}
void jbg_dec_free(void) {}
void jbg_enc_init(void) {}
void jbg_enc_out(void) {}
void jbg_enc_free(void) {}
