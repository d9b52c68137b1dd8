import BoardroomHosting
import Logging
import NIOCore
import NIOSSL
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of the server's certificate and key, both in PEM. The certificate's file holds the whole chain,
/// the server's own certificate first.
public struct TLSFiles: Sendable, Hashable {
  public var certificate: String
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// Why a certificate and its key cannot be used.
public enum TLSFilesError: Error, Sendable, Hashable, CustomStringConvertible {
  case missing(path: String)
  case unreadable(path: String)
  case noCertificate(path: String)
  case noKey(path: String)
  case notPaired(TLSFiles)

  public var description: String {
    switch self {
    case .missing(let path): "There is no file \(path). Check tls.certificate and tls.key."
    case .unreadable(let path): "\(path) cannot be read by this user. Give it the right to, or name another."
    case .noCertificate(let path): "\(path) holds no certificate in PEM. Name the file with the whole chain."
    case .noKey(let path): "\(path) holds no private key in PEM without a passphrase. Name one that does."
    case .notPaired(let files):
      "The key in \(files.key) is not that of the certificate in \(files.certificate). Name two that belong together."
    }
  }
}

/// The certificate with which the server proves who it is. It can be replaced while the server runs: new
/// connections get the new one, open connections keep the one with which they began.
public final class TLSIdentity: Sendable {
  /// How often the files are checked for changes. 10 s: renewals come weeks before a certificate ends, and
  /// two `stat` calls cost nothing.
  public static let lookEvery: Duration = .seconds(10)

  private struct State {
    var context: NIOSSLContext
    /// The state of the files when they were last read, with success or without.
    var seen: [FileStamp?]
  }

  private let files: TLSFiles
  private let logger: Logger
  private let state: Mutex<State>

  /// Reads the files.
  public init(_ files: TLSFiles, logger: Logger) throws(TLSFilesError) {
    self.files = files
    self.logger = logger
    let seen = FileStamp.all(of: files)
    state = Mutex(State(context: try files.context(), seen: seen))
  }

  /// The context for a new connection.
  var context: NIOSSLContext { state.withLock { $0.context } }

  /// Reads the files again. If the pair cannot be used, the old one stays in use, and the log says why.
  public func reload() { load(FileStamp.all(of: files)) }

  /// Reads the files again if one of them has changed.
  func reloadIfChanged() {
    let now = FileStamp.all(of: files)
    guard state.withLock({ $0.seen != now }) else { return }
    load(now)
  }

  private func load(_ seen: [FileStamp?]) {
    do throws(TLSFilesError) {
      let context = try files.context()
      state.withLock { $0 = State(context: context, seen: seen) }
      logger.notice("certificate reloaded", metadata: ["certificate": "\(files.certificate)"])
    } catch {
      state.withLock { $0.seen = seen }
      logger.error("certificate not reloaded: the old one stays", metadata: ["why": "\(error)"])
    }
  }

  /// Checks the files regularly while the loop runs.
  func watch(on loop: any RoomLoop) {
    loop.execute(after: Self.lookEvery) { [weak self] in
      guard let self else { return }
      reloadIfChanged()
      watch(on: loop)
    }
  }
}

extension TLSFiles {
  /// TLS 1.2 at least (RFC 8996 ends the older ones), and HTTP/1.1 inside it.
  fileprivate func context() throws(TLSFilesError) -> NIOSSLContext {
    let chain = try certificates()
    let key = try privateKey()
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    configuration.shutdownTimeout = Turnaway.patience
    do { return try NIOSSLContext(configuration: configuration) } catch { throw .notPaired(self) }
  }

  private func certificates() throws(TLSFilesError) -> [NIOSSLCertificate] {
    let bytes = try Self.content(certificate)
    guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
      throw .noCertificate(path: certificate)
    }
    return chain
  }

  private func privateKey() throws(TLSFilesError) -> NIOSSLPrivateKey {
    let bytes = try Self.content(key)
    do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch { throw .noKey(path: key) }
  }

  private static func content(_ path: String) throws(TLSFilesError) -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw errno == ENOENT || errno == ENOTDIR ? .missing(path: path) : .unreadable(path: path)
    }
    defer { fclose(file) }
    // 1 MiB: hundreds of certificates.
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { throw .unreadable(path: path) }
    return Array(bytes.prefix(count))
  }
}

/// Shows whether a file has changed, without reading it.
private struct FileStamp: Equatable {
  var seconds: Int
  var nanoseconds: Int
  var size: Int
  /// A renewal that moves a new file to this place may keep the time of change.
  var inode: UInt64

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    seconds = changed.tv_sec
    nanoseconds = changed.tv_nsec
    size = Int(status.st_size)
    inode = UInt64(status.st_ino)
  }

  static func all(of files: TLSFiles) -> [FileStamp?] {
    [FileStamp(files.certificate), FileStamp(files.key)]
  }
}
