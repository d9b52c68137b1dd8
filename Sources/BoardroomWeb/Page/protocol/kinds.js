// The kinds of records and commands, docs/PROTOCOL.md, section 6. A number is never used again for
// another.

/** Kinds with binary payloads, from 1 on. */
const binary = ["stroke", "pointer", "camera"];

/** All others, from FIRST_OTHER on. */
const others =
  `roomCreated memberJoined memberLeft memberPhase memberWritable memberKicked memberReplaced
  globalState memberState viewMode scenesPut sceneSwitched erased elementPut magix refused
  clientPhases elementsChanged elementsCopied sceneCleaned scenesRemoved sceneMoved pptStepped
  storeSet storeDeleted historySet undone redone roomBanned limitsSet roomDeleted banSet
  banLifted spaceCreated attributesSet attributesCleared channelMessage numbersTold spaceExpired
  inboxMessage inboxAcked inboxExpired channelEntered channelLeft inviteMoved inviteHeard
  presence handRaised writingAllowed roomLocked nothingChanged contentErased`.split(/\s+/);

const FIRST_OTHER = 16;

/** Numbers by name. */
export const KIND_NUMBERS = new Map(
  [...binary.entries()].map(([place, name]) => [name, place + 1]),
);

for (const [place, name] of others.entries()) {
  KIND_NUMBERS.set(name, place + FIRST_OTHER);
}

/** @type {Readonly<Record<number, string>>} names by number */
export const KINDS = Object.freeze(
  Object.fromEntries([...KIND_NUMBERS].map(([name, kind]) => [kind, name])),
);
