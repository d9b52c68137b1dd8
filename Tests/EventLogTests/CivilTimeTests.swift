import EventLogModel
import Testing

@Test("Moments are written as ISO 8601, also at the ends of years, on leap days and before 1970")
func civilTimes() {
  let known: [(Int64, String)] = [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_001, "2000-02-29T23:59:59.001Z"),
    (1_767_225_599_000, "2025-12-31T23:59:59.000Z"), (1_795_253_321_042, "2026-11-21T09:28:41.042Z"),
    (4_102_444_800_000, "2100-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
  ]
  for (milliseconds, text) in known { #expect(Timestamp(milliseconds: milliseconds).iso8601 == text) }
}
