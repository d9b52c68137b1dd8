import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

/// Golden messages of a client that may be sent to another address or be a spectator, and of a server that sends it there.
enum AddressSamples {
  static let client: [(name: String, notice: ClientNotice)] = [
    (
      "hello-address",
      .hello(
        Hello(
          room: LogID(high: 0x0123_4567_89ab_cdef, low: 1), token: "secret", acceptsQuiet: true,
          acceptsAddress: true))
    ),
    (
      "hello-spectating",
      .hello(
        Hello(
          room: LogID(high: 0x0123_4567_89ab_cdef, low: 1), token: "secret", isWritable: false,
          acceptsQuiet: true, acceptsSpectating: true))
    ),
  ]

  static let server: [(name: String, notice: Notice)] = [
    (
      "farewell-address",
      .farewell(
        Farewell(
          Refusal(.goingAway), kick: .GatewayAdjust, comeBack: true,
          address: ServerAddress(host: "b.example.org", port: 8_443, isSecure: true)))
    )
  ]
}

@Suite struct FarewellAddressTests {
  private static let rest =
    #"{"m":"farewell","code":"goingAway","cause":"c","cure":"h","comeBack":true"#

  private func address(_ text: String) throws(CodecError) -> ServerAddress? {
    let message = Array("\(Self.rest)\(text)}".utf8)
    guard case .farewell(let farewell) = try WireCodec(.json, limits: WireLimits()).decodeServer(message)
    else { return nil }
    return farewell.address
  }

  @Test("ADDR-8: a farewell without an address has none, and one with an address names host, port and TLS")
  func readable() throws {
    #expect(try address("") == nil)
    #expect(try address(#","address":null"#) == nil)
    let text = #","address":{"host":"::1","port":65535,"isSecure":false,"region":"eu"}"#
    #expect(try address(text) == ServerAddress(host: "::1", port: 65_535, isSecure: false))
  }

  @Test(
    "ADDR-8: an address that cannot be one is badParameter",
    arguments: [
      #"{"host":"","port":1,"isSecure":false}"#, #"{"host":"a","port":0,"isSecure":false}"#,
      #"{"host":"a","port":65536,"isSecure":false}"#, #"{"host":"a","port":1}"#, #""a:1""#,
      #"{"host":"\#(String(repeating: "a", count: 256))","port":1,"isSecure":false}"#,
    ])
  func wrong(_ text: String) {
    do throws(CodecError) {
      _ = try address(",\"address\":\(text)")
      Issue.record("taken")
    } catch { #expect(error.refusal.code == .badParameter) }
  }
}
