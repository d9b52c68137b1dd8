import BoardroomAccess
import BoardroomModel
import EventLogModel
import NIOPosix

/// The images of boards, for tasks: each call runs on a thread that may block.
package final class ImageStore: Sendable {
  /// The folder, where images are files; nil where they are in a database.
  package let folder: ImageFolder?
  private let place: any ImagePlace
  private let limits: ImageLimits
  private let threads: NIOThreadPool

  /// In the data folder. Calls run on NIO's pool for files.
  package init(inFolder data: String, roomLimit: Int, countLimit: Int = .max) {
    let folder = ImageFolder(in: data)
    (self.folder, place) = (folder, folder)
    limits = ImageLimits(bytes: roomLimit, count: countLimit)
    threads = .singleton
  }

  /// In a place that may take seconds to answer.
  ///
  /// - Parameter threads: for its calls alone, so that files do not wait for it. Started, and ended by who made it.
  package init(in place: any ImagePlace, limits: ImageLimits, threads: NIOThreadPool) {
    (folder, self.place, self.limits, self.threads) = (nil, place, limits, threads)
  }

  /// Durable when it returns.
  func put(_ bytes: [UInt8], kind: ImageKind, in room: RoomID) async throws -> ImageName {
    try await threads.runIfActive { [place, limits] in
      let name = ImageName(of: bytes, kind: kind)
      if let failure = place.put(bytes, as: name, in: room, limits) { throw failure }
      return name
    }
  }

  /// Nil if there is none. The bytes are hashed at each read, so that wrong bytes are never sent (IMG-1):
  /// when a disk flips a bit, the file's time does not show it.
  func image(_ name: ImageName, in room: RoomID) async throws -> [UInt8]? {
    try await threads.runIfActive { [place] in
      guard let bytes = try place.read(name, in: room).get() else { return nil }
      guard name.stands(for: bytes) else { throw ImageFailure.damaged(name) }
      return bytes
    }
  }

  /// At most `limit` images of all rooms, in the order of rooms and names, after the one named `room/name`.
  package func page(after last: String?, limit: Int) async throws -> [ListedImage] {
    try await threads.runIfActive { [place] in try place.page(after: last, limit: limit).get() }
  }

  /// Rooms that have images; none if they cannot be listed now.
  package func rooms() async -> [RoomID] {
    (try? await threads.runIfActive { [place] in try place.rooms().get() }) ?? []
  }

  /// Removes all images of a room, to which no more may be put. What cannot be removed now is removed by the
  /// next call.
  package func removeAll(of room: RoomID) async {
    _ = try? await threads.runIfActive { [place] in place.removeAll(of: room) }
  }

  /// Whether other servers have the same images.
  package var isShared: Bool { place.isShared }

  /// Runs `body` where calls to the place run. Throws what it throws, and where the server ends.
  package func onPlace<Value: Sendable>(
    _ body: @escaping @Sendable (any ImagePlace) throws -> Value
  ) async throws -> Value {
    try await threads.runIfActive { [place] in try body(place) }
  }
}
