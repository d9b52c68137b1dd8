import BoardroomServer

/// The pairs of Tests/Certificates.
public enum Certificates: String, Sendable {
  /// For 127.0.0.1 and localhost.
  case server
  /// The same, made later.
  case renewed
  /// For another name.
  case elsewhere
  /// For 127.0.0.1 and localhost; its time was over in 2021.
  case expired

  private static let folder =
    #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 } + "/Certificates"

  public var certificate: String { Self.folder + "/\(rawValue).pem" }
  public var key: String { Self.folder + "/\(rawValue)-key.pem" }
  public var files: TLSFiles { TLSFiles(certificate: certificate, key: key) }
}
