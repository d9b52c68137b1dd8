import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import EventLog

/// OPS-3 and OPS-4 from the store's side: a folder that is not there any more stops it, and a commit that does not return can
/// be seen.
@Suite(.timeLimit(.minutes(15))) struct FolderWatchTests {
  private let log = DamagedFolder.log(1)

  enum Loss: CaseIterable { case moved, removed, replaced }

  @Test(
    "OPS-3: a data folder that is moved, removed or replaced under a store stops it, and nothing is acknowledged after that",
    arguments: Loss.allCases)
  func lostFolder(loss: Loss) async throws {
    let outer = TemporaryFolder()
    let folder = outer.path + "/data"
    let store = try EmbeddedLogStore.open(folder: folder, options: DamagedFolder.options())
    _ = try await store.create(log, at: .zero)
    try await DamagedFolder.append(1...3, to: 1, store)
    #expect(store.refusal == nil)
    switch loss {
    case .moved: try FileManager.default.moveItem(atPath: folder, toPath: outer.path + "/elsewhere")
    case .removed: try FileManager.default.removeItem(atPath: folder)
    case .replaced:
      try FileManager.default.moveItem(atPath: folder, toPath: outer.path + "/elsewhere")
      try EmbeddedLogStore.open(folder: folder, options: DamagedFolder.options()).abandon()
    }
    // Its own tick finds it; the test waits for that and nothing else.
    while store.refusal == nil { await Task.yield() }
    guard case .stopped(let reason) = store.refusal else {
      Issue.record("\(String(describing: store.refusal))")
      return
    }
    #expect(reason == "the data folder \(folder) was removed, moved or replaced")
    await #expect(throws: LogError.self) { try await DamagedFolder.append(4...4, to: 1, store) }
    await store.shutdown()
  }

  @Test("OPS-4: how long the commit has taken that is under way is told while it hangs, and nothing after it")
  func hangingFlush() async throws {
    let disk = HangingDisk()
    let store = try EmbeddedLogStore.open(
      folder: "/store",
      options: DamagedFolder.options {
        $0.disk = disk
        $0.sealed = ModelBackend.source(disk.disk)
      })
    _ = try await store.create(log, at: .zero)
    #expect(store.commitUnderWay == .zero)
    disk.hang()
    let appending = Task { [log] in
      let record = Record(kind: 1, time: .zero, actor: 0, body: [1])
      try await store.append([record], to: log, expecting: nil, epoch: nil)
    }
    while store.commitUnderWay < .milliseconds(5) { await Task.yield() }
    #expect(store.refusal == nil)
    #expect(store.statistics.commitUnderWay >= .milliseconds(5))
    disk.release()
    try await appending.value
    while store.commitUnderWay != .zero { await Task.yield() }
    await store.shutdown()
  }
}

/// A simulated disk whose flushes wait while it hangs.
private final class HangingDisk: Disk {
  final class File: DiskFile {
    let file: any DiskFile
    let disk: HangingDisk
    init(_ file: any DiskFile, _ disk: HangingDisk) { (self.file, self.disk) = (file, disk) }
    var path: String { file.path }
    func pwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
      try file.pwrite(bytes, at: offset)
    }
    func pread(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
      try file.pread(into: bytes, at: offset)
    }
    func flush() throws(LogError) {
      disk.gate.lock()
      while disk.isHanging { disk.gate.wait() }
      disk.gate.unlock()
      try file.flush()
    }
    func truncate(to length: Int) throws(LogError) { try file.truncate(to: length) }
    func size() throws(LogError) -> Int { try file.size() }
    func close() { file.close() }
  }

  let disk = SimulatedDisk()
  fileprivate let gate = NSCondition()
  /// Guarded by `gate`.
  nonisolated(unsafe) fileprivate var isHanging = false

  func hang() { gate.withLock { isHanging = true } }
  func release() {
    gate.withLock {
      isHanging = false
      gate.broadcast()
    }
  }

  func makeFolder(_ path: String) throws(LogError) { try disk.makeFolder(path) }
  func list(_ folder: String) throws(LogError) -> [String] { try disk.list(folder) }
  func open(_ path: String, create: Bool, readOnly: Bool) throws(LogError) -> any DiskFile {
    File(try disk.open(path, create: create, readOnly: readOnly), self)
  }
  func rename(_ path: String, to new: String) throws(LogError) { try disk.rename(path, to: new) }
  func unlink(_ path: String) throws(LogError) { try disk.unlink(path) }
  func size(of path: String) throws(LogError) -> Int? { try disk.size(of: path) }
  func flushFolder(_ path: String) throws(LogError) { try disk.flushFolder(path) }
  func lock(_ path: String) throws(LogError) -> any DiskFile { try disk.lock(path) }
}
