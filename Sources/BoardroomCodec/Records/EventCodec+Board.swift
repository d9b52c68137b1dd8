import BoardroomModel
import EventLogModel

extension EventCodec {
  /// Kinds 33 to 48.
  static func writeBoard(_ event: Event, to writer: inout JSONWriter) {
    switch event {
    case .elementsChanged(let changed): writer.elementsChanged(changed.changes)
    case .elementsCopied(let copies): writer.elementsCopied(copies)
    case .sceneCleaned(let cleaned): writer.sceneCleaned(cleaned)
    case .scenesRemoved(let removed): writer.scenesRemoved(removed)
    case .sceneMoved(let moved): writer.sceneMoved(moved)
    case .pptStepped(let step): writer.pptStep(step)
    case .storeSet(let set): writer.storeSet(set)
    case .storeDeleted(let name): writer.object { $0.field("store", name) }
    case .historySet(let kept): writer.historyDepth(kept)
    case .undone(let compensation), .redone(let compensation): writer.compensation(compensation)
    case .roomBanned(let isBanned): writer.object { $0.field("banned", isBanned) }
    case .limitsSet(let patch): writer.limitsPatch(patch)
    case .roomDeleted: writer.object { _ in }
    case .banSet(let ban): writer.ban(ban)
    case .banLifted(let number): writer.object { $0.field("ban", number) }
    case .stroke, .pointer, .camera, .roomCreated, .memberJoined, .memberLeft, .memberPhase,
      .memberWritable, .memberKicked, .memberReplaced, .globalState, .memberState, .viewMode, .scenesPut,
      .sceneSwitched, .erased, .elementPut, .magix, .refused, .clientPhases, .space, .moderation,
      .nothingChanged, .contentErased, .unknown:
      break
    }
  }
}
