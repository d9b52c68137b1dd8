import EventLogModel

/// A member as its room knows it.
public struct Member: Sendable, Hashable {
  public var id: MemberID
  public var session: SessionID
  public var generation: Generation
  public var uid: String?
  public var role: Role
  public var writable: Bool
  public var payload: JSONText?
  public var client: String?
  public var joined: Timestamp
  public var phase: MemberPhase
  public var viewMode: ViewMode
  /// The memberState of PARITY rows MS, by top-level key; what was never set has the value of
  /// `MemberStateDefaults`.
  public var state: [String: JSONText]
  public var camera: Camera?
  public var pointer: PointerMove?
  /// The last command of this session that was decided, and the revision of its last event: what tells a
  /// command sent again from a new one.
  public var lastCounter: CommandCounter
  public var lastRevision: Revision
  /// Whether it wants to write and may not: `writable` is then false.
  public var isKept = false
  /// An administrator does not let it write (MOD-5).
  public var isBarred = false
  /// Since when its hand has been up; nil: it is down.
  public var hand: Timestamp?
  /// The uid stands in its token, and was not only claimed by its client (RIGHT-6).
  public var isBound = false

  public init(
    id: MemberID, session: SessionID, generation: Generation = 1, uid: String?, role: Role, writable: Bool,
    payload: JSONText?, client: String?, joined: Timestamp, phase: MemberPhase = .connected,
    viewMode: ViewMode = .freedom, state: [String: JSONText] = [:], camera: Camera? = nil,
    pointer: PointerMove? = nil, lastCounter: CommandCounter = 0, lastRevision: Revision = .zero
  ) {
    self.id = id
    self.session = session
    self.generation = generation
    self.uid = uid
    self.role = role
    self.writable = writable
    self.payload = payload
    self.client = client
    self.joined = joined
    self.phase = phase
    self.viewMode = viewMode
    self.state = state
    self.camera = camera
    self.pointer = pointer
    self.lastCounter = lastCounter
    self.lastRevision = lastRevision
  }
}

/// A page of the board.
public struct Scene: Sendable, Hashable {
  public var id: SceneID
  /// Begins with `/`; only the root directory ends with one.
  public var directory: String
  public var name: String
  public var ppt: JSONText?
  /// Where a dynamic ppt stands, from 0 (SC-13).
  public var pptStep: Int

  public init(id: SceneID, directory: String, name: String, ppt: JSONText? = nil, pptStep: Int = 0) {
    self.id = id
    self.directory = directory
    self.name = name
    self.ppt = ppt
    self.pptStep = pptStep
  }

  /// What it counts for (BOUND-1).
  public var bytes: Int {
    Element.overhead + directory.utf8.count + name.utf8.count + (ppt?.bytes.count ?? 0)
  }

  public var path: String { directory == "/" ? "/" + name : directory + "/" + name }
}

/// Everything true of a room at one revision: what the log says, folded.
public struct RoomState: Sendable, Hashable {
  public var revision: Revision
  public var time: Timestamp
  public var created: RoomCreated?
  public var createdAt: Timestamp
  public var globalState: [String: JSONText]
  public var members: [MemberID: Member]
  public var nextMember: UInt64
  /// In order: directories by first appearance, pages as `putScenes` placed them.
  public var scenes: [Scene]
  public var currentScene: SceneID
  public var nextScene: SceneID
  public var broadcaster: MemberID?
  public var elements: ElementStore
  /// Nobody may join (RE-4). What is in the log can be read and replayed all the same (RP-9).
  public var isBanned: Bool
  public var isDeleted: Bool
  /// Nil: the room is not locked (MOD-6).
  public var lock: RoomLock?
  /// Users who left while they were not allowed to write, and so are not when they come back: the last
  /// `mostBarred`, in the order of their leaving (MOD-5).
  public var barredUsers: [String]
  /// 1,000: more than a room has people; the one who left first is forgotten.
  public static let mostBarred = 1_000
  /// Limits that an operator set for this room, by name; over those of the server.
  public var limits: [String: Int]
  /// SyncedStore (SS-1), by name.
  public var stores: [String: [String: JSONText]]
  /// What members may take back, of those who keep a history.
  public var histories: [MemberID: History]
  /// In the operators' log only: who may not come in, by the ban's number.
  public var bans: [UInt64: Ban]
  /// What a space without a board holds; nil in a room.
  public var space: SpaceState?

  /// Before the first event.
  public init() {
    revision = .zero
    time = .zero
    created = nil
    createdAt = .zero
    globalState = [:]
    members = [:]
    nextMember = 0
    scenes = []
    currentScene = 0
    nextScene = 1
    broadcaster = nil
    elements = ElementStore()
    isBanned = false
    isDeleted = false
    lock = nil
    barredUsers = []
    limits = [:]
    stores = [:]
    histories = [:]
    bans = [:]
    space = nil
  }

  /// Members in the order of their numbers.
  public var roster: [Member] { members.values.sorted { $0.id < $1.id } }

  public func scene(_ id: SceneID) -> Scene? { scenes.first { $0.id == id } }
  public func scene(path: String) -> Scene? { scenes.first { $0.path == path } }
  public func member(session: SessionID) -> Member? { members.values.first { $0.session == session } }
}
