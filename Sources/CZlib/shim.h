#include <zlib.h>

// `deflateInit2` is a macro, which Swift does not see. 31: the largest window, in gzip's frame. 9: the most memory.
static inline int czlib_begin_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
}

// `inflateInit2` likewise.
static inline int czlib_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 31); }
