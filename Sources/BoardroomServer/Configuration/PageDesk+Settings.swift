import BoardroomWeb

extension PageResponder {
  init(_ settings: ServerSettings) {
    let source: Source = settings.pageRoot.map { .folder($0) } ?? .builtIn
    self.init(settings.showsPage ? source : .off, frames: settings.pageFrames)
  }
}
