// The kinds of records and commands, docs/PROTOCOL.md, section 6. A number is never used again for another.

const hot = "stroke pointer camera";
const others = `roomCreated memberJoined memberLeft memberPhase memberWritable memberKicked memberReplaced
  globalState memberState viewMode scenesPut sceneSwitched erased elementPut magix refused clientPhases
  elementsChanged elementsCopied sceneCleaned scenesRemoved sceneMoved pptStepped storeSet storeDeleted
  historySet undone redone roomBanned limitsSet roomDeleted banSet banLifted spaceCreated attributesSet
  attributesCleared channelMessage numbersTold spaceExpired inboxMessage inboxAcked inboxExpired
  channelEntered channelLeft inviteMoved inviteHeard presence handRaised writingAllowed roomLocked`;
/** @param {string} names @param {number} first @returns {Array<[number, string]>} */
const numbered = (names, first) => names.split(/\s+/).map((name, place) => [first + place, name]);
const all = [...numbered(hot, 1), ...numbered(others, 16)];

/** @type {Readonly<Record<number, string>>} names by number */
export const KINDS = Object.freeze(Object.fromEntries(all));

/** @type {ReadonlyMap<string, number>} numbers by name */
export const KIND_NUMBERS = new Map(all.map(([number, name]) => [name, number]));
