import EventLogModel

extension StoredRun {
  /// The run, unpacked if need be, with every record header checked against count and times.
  public func unpacked(of log: LogID) throws(LogError) -> Run {
    do throws(WireError) {
      let records: [UInt8]
      switch coding {
      case .plain: records = bytes
      case .lz4:
        var failure: WireError?
        records = bytes.withUnsafeBytes { packed in
          do throws(WireError) { return try LZ4.decompress(packed, count: rawLength) } catch {
            failure = error
            return []
          }
        }
        if let failure { throw failure }
      }
      let checked = records.withUnsafeBytes { raw -> Result<Timestamp, WireError> in
        do throws(WireError) { return .success(try Run.check(raw, count: count, base: base)) } catch {
          return .failure(error)
        }
      }
      return Run(first: first, count: count, base: base, last: try checked.get(), records: records)
    } catch {
      let lost = first.rawValue...max(first, lastRevision).rawValue
      throw .damaged(Damage(what: "\(error)", place: "a stored run", log: log, lost: lost))
    }
  }
}
