extension [Run] {
  /// The last revision whose time is not after `time`; `nil` if there is none. Times never fall.
  package func revision(at time: Timestamp) -> Revision? {
    var found: Revision?
    for run in self {
      if run.last <= time {
        found = run.lastRevision
        continue
      }
      run.forEach { view, _ in
        if view.time <= time { found = view.revision }
      }
      break
    }
    return found
  }
}
