// CRC32C (Castagnoli), the checksum of every frame and block. RFC 3720, appendix B.4.
#ifndef BOARDROOM_CCHECKSUM_H
#define BOARDROOM_CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// The CRC32C of `length` bytes, going on from `seed` (0 for a new checksum).
/// Uses the processor's instruction where there is one.
uint32_t br_crc32c(uint32_t seed, const void *bytes, size_t length);

/// The same by table, on any processor: what the instruction is tested against.
uint32_t br_crc32c_portable(uint32_t seed, const void *bytes, size_t length);

#endif
