// The light of a laser: it follows a hand and fades behind it. Nothing of it is an element; others see it from the positions
// of a member who is pointing.

/** @typedef {{x: number, y: number, at: number}} Spark */

/** How long the light stays, in ms. */
export const FADES = 1200;
const COLOUR = "255, 59, 48";

export class Trail {
  constructor() {
    /** @type {Spark[]} */
    this.sparks = [];
  }

  /** @param {import("../core/geom.js").Spot} at @param {number} now */
  add({ x, y }, now) { this.sparks.push({ x, y, at: now }); }

  /** Begins anew: what comes next is not joined to what was. */
  lift() {
    if (this.sparks.length) this.sparks.push({ x: NaN, y: NaN, at: this.sparks[this.sparks.length - 1].at });
  }

  // Draws what has not faded; is anything left?
  /** @param {CanvasRenderingContext2D} ctx @param {number} now @param {number} scale */
  draw(ctx, now, scale) {
    const first = this.sparks.findIndex(({ at }) => now - at < FADES);
    this.sparks = first < 0 ? [] : this.sparks.slice(first);
    // Pieces meet at their ends: round ends would lie over each other and show as beads.
    ctx.lineCap = "butt";
    ctx.setLineDash([]);
    for (let index = 2; index < this.sparks.length; index += 1) {
      const [a, b, c] = [this.sparks[index - 2], this.sparks[index - 1], this.sparks[index]];
      const left = 1 - (now - c.at) / FADES;
      const width = (1.5 + 4 * left) / scale;
      ctx.beginPath();
      ctx.moveTo((a.x + b.x) / 2, (a.y + b.y) / 2);
      ctx.quadraticCurveTo(b.x, b.y, (b.x + c.x) / 2, (b.y + c.y) / 2);
      for (const [grow, alpha] of [[2.6, 0.18], [1, 0.9]]) {
        ctx.strokeStyle = `rgba(${COLOUR}, ${(alpha * left).toFixed(3)})`;
        ctx.lineWidth = width * grow;
        ctx.stroke();
      }
    }
    return this.sparks.length > 0;
  }

  // The point of light itself.
  /** @param {CanvasRenderingContext2D} ctx @param {import("../core/geom.js").Spot} at @param {number} scale */
  static dot(ctx, at, scale) {
    for (const [radius, alpha] of [[9, 0.2], [4.5, 0.95]]) {
      ctx.beginPath();
      ctx.arc(at.x, at.y, radius / scale, 0, 2 * Math.PI);
      ctx.fillStyle = `rgba(${COLOUR}, ${alpha})`;
      ctx.fill();
    }
  }
}
