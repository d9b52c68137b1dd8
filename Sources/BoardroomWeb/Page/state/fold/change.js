// What the page needs to know of an event that was folded: which parts of the state it changed.
/** What an event changed. */
export class Change {
  /** False if the event did not fit the state. */
  fits = true;

  /** Everything may differ: a snapshot replaced the state. */
  all = false;

  /** @type {Set<string>} */
  elements = new Set();

  /** @type {Set<number>} Scenes whose elements or properties changed. */
  scenes = new Set();

  /**
   * Names of the parts of the state that differ from before. `roster`: the members who write;
   * `audience`: those who do not.
   * @type {Set<string>}
   */
  fields = new Set();

  /** @type {Set<number>} Members who came, went, or differ from before. */
  members = new Set();

  /** @param {RoomElement} element */
  addElement({ id, scene }) {
    this.elements.add(id);
    this.addScene(scene);
    this.addField("elements");
  }

  /** @param {number} id */
  addScene(id) {
    this.scenes.add(id);
  }

  /** @param {number} id */
  addMember(id) {
    this.members.add(id);
  }

  /** @param {string} name */
  addField(name) {
    this.fields.add(name);
  }
}
