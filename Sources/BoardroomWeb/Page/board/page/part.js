/** A part of the page around a board. */
export class Part {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
  }
}
