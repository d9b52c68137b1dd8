import BoardroomHTTP
import BoardroomWebhooks
import NIOPosix

/// What a database keeps beside the logs, for all nodes that serve it: images, and how far endpoints of webhooks were told.
/// Keys are files of each node.
package struct BesideLogs: Sendable {
  package var images: any ImagePlace
  package var cursors: CursorsForNodes
  /// Threads on which the database is asked for images. Two: one slow answer keeps no other image waiting, and each
  /// connection of each node counts for the database.
  package var threads: NIOThreadPool

  package init(images: any ImagePlace, cursors: CursorsForNodes, threads: NIOThreadPool) {
    (self.images, self.cursors, self.threads) = (images, cursors, threads)
  }
}

extension ImageStore {
  /// A server's images: files of its data folder, or what is beside the logs.
  convenience init(_ settings: ServerSettings, _ beside: BesideLogs?) {
    guard let beside else {
      self.init(
        inFolder: settings.folder, roomLimit: settings.roomImageBytes, countLimit: settings.roomImages)
      return
    }
    self.init(
      in: beside.images, limits: ImageLimits(bytes: settings.roomImageBytes, count: settings.roomImages),
      threads: beside.threads)
  }
}
