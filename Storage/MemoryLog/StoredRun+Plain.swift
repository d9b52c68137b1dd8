import EventLogModel

extension StoredRun {
  /// The run of a store that packs nothing, with every record header checked against count and times.
  func plain(of log: LogID) throws(LogError) -> Run {
    do throws(WireError) {
      guard coding == .plain else { throw .badField("coding", at: 0) }
      let checked = bytes.withUnsafeBytes { raw -> Result<Timestamp, WireError> in
        do throws(WireError) { return .success(try Run.check(raw, count: count, base: base)) } catch {
          return .failure(error)
        }
      }
      return Run(first: first, count: count, base: base, last: try checked.get(), records: bytes)
    } catch {
      let lost = first.rawValue...max(first, lastRevision).rawValue
      throw .damaged(Damage(what: "\(error)", place: "a stored run", log: log, lost: lost))
    }
  }
}
