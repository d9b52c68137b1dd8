import BoardroomAccess

extension OpenRule {
  init(_ settings: ServerSettings) {
    self.init(
      hosts: settings.openHosts.names, origins: settings.corsOrigins.named + settings.origins.named)
  }
}
