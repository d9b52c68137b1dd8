#include "CChecksum.h"

#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#endif

// Reflected polynomial 0x1EDC6F41 (Castagnoli).
static const uint32_t polynomial = 0x82F63B78u;

static uint32_t table_entry(uint32_t index)
{
    for (int bit = 0; bit < 8; bit++)
        index = index & 1 ? (index >> 1) ^ polynomial : index >> 1;
    return index;
}

static uint32_t table[256];

__attribute__((constructor)) static void fill_table(void)
{
    for (uint32_t i = 0; i < 256; i++)
        table[i] = table_entry(i);
}

uint32_t br_crc32c_portable(uint32_t seed, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    uint32_t crc = ~seed;
    while (length--)
        crc = table[(crc ^ *p++) & 0xff] ^ (crc >> 8);
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t with_instruction(uint32_t seed, const uint8_t *p, size_t length)
{
    uint64_t crc = (uint32_t)~seed;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __builtin_ia32_crc32di(crc, word);
        p += 8;
        length -= 8;
    }
    while (length--)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *p++);
    return ~(uint32_t)crc;
}

uint32_t br_crc32c(uint32_t seed, const void *bytes, size_t length)
{
    // Detected at load time; the answer is a load and a test of one word.
    if (__builtin_cpu_supports("sse4.2"))
        return with_instruction(seed, bytes, length);
    return br_crc32c_portable(seed, bytes, length);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

uint32_t br_crc32c(uint32_t seed, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    uint32_t crc = ~seed;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __crc32cd(crc, word);
        p += 8;
        length -= 8;
    }
    while (length--)
        crc = __crc32cb(crc, *p++);
    return ~crc;
}

#else

uint32_t br_crc32c(uint32_t seed, const void *bytes, size_t length)
{
    return br_crc32c_portable(seed, bytes, length);
}

#endif
