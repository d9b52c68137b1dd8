// What becomes of own commands: the log has their events, the server refuses them, or a
// reconnection shows what was decided meanwhile.
import { body, Rec } from "../protocol/records.js";
import { Refusal } from "../protocol/refusal.js";

const refusedKind = 31;

export class CommandAnswers {
  /** @param {import("./session.js").RoomSession} session */
  constructor(session) {
    this.session = session;
  }

  get #outbox() {
    return this.session.outbox;
  }

  /** @param {Message} message */
  applyReceipts({ receipts }) {
    for (const [n, revision] of receipts) {
      const command = this.#outbox.waiting.get(n);
      if (command) command.revision = revision;
    }
    this.resolveDone();
  }

  /** @param {Rec} rec the event of an own command */
  applyEvent(rec) {
    const command = this.#outbox.waiting.get(rec.n ?? 0);
    if (!command) return;
    if (rec.kind === refusedKind) {
      command.code = body(rec)?.code ?? "internal";
    } else {
      this.#outbox.waiting.delete(command.n);
      command.resolve({ revision: rec.rev });
    }
  }

  /**
   * Resolves commands that have a receipt and left no event: positions that a later one replaced.
   */
  resolveDone() {
    const { state, notifier } = this.session;
    const isDone = (/** @type {Pending} */ { revision }) =>
      revision !== null && revision <= state.revision;
    const done = this.#outbox.removeWhere(isDone);
    if (done.length > 0) notifier.watcher?.pendingRemoved();
    for (const { resolve, revision } of done) {
      resolve({ revision: revision ?? 0 });
    }
  }

  /** @param {any} message */
  handleRefused(message) {
    if (message.code === "outOfOrder" && message.allowed) {
      const again = this.#outbox.renumber(message.allowed);
      // What is on its way out already stays so.
      if (again.length === 0) return;
      this.session.outgoing = again;
      return this.session.flush();
    }
    const refused = this.#outbox.removeWhere(({ n }) => n === message.counter);
    return this.rejectAll(refused, new Refusal(message));
  }

  /**
   * @param {Pending} command that the server decided during an outage
   * @param {boolean} isResumed whether in this session
   */
  answerDecided(command, isResumed) {
    const { sawEvents, state } = this.session;
    const known = isResumed ? command.code : "notCarriedOut";
    const code = sawEvents || command.code ? known : "outcomeUnknown";
    if (code) this.rejectAll([command], new Refusal({ code }));
    else command.resolve({ revision: command.revision ?? state.revision });
  }

  /**
   * @param {Pending[]} commands that are not carried out
   * @param {Refusal} refusal
   */
  rejectAll(commands, refusal) {
    const { watcher, callbacks } = this.session.notifier;
    if (commands.length > 0) watcher?.pendingRemoved();
    for (const command of commands) {
      callbacks.refused?.(command, refusal);
      command.reject(refusal);
    }
  }
}
