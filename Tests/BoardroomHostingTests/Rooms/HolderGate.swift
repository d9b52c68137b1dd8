import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Lets everyone in as a writer, and tells holders apart by the token's text.
struct HolderGate: Gatekeeper {
  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    Admission(role: .writer, tokenID: hello.token)
  }
}
