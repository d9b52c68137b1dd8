// The light of a laser: it follows a hand and fades behind it; others see it by where who points
// is.

/** How long the light stays, in ms. */
export const FADES = 1200;

const COLOUR = "255, 59, 48";

export class Trail {
  /** @type {{x: number, y: number, at: number}[]} */
  sparks = [];

  /**
   * @param {Spot} spot
   * @param {number} at
   */
  add({ x, y }, at) {
    this.sparks.push({ x, y, at });
  }

  /** What comes next is not joined to what was. */
  lift() {
    for (const { at } of this.sparks.slice(-1)) {
      this.add({ x: NaN, y: NaN }, at);
    }
  }

  /**
   * Draws what has not faded; is anything left?
   * @param {Ink} ctx
   * @param {number} now
   * @param {number} scale
   */
  draw(ctx, now, scale) {
    this.sparks = this.sparks.filter(({ at }) => now - at < FADES);
    // Pieces meet at their ends: round ends would lie over each other and show as beads.
    ctx.lineCap = "butt";
    ctx.setLineDash([]);
    this.sparks.slice(2).forEach((c, index) => {
      const [a, b] = this.sparks.slice(index, index + 2);
      const left = 1 - (now - c.at) / FADES;
      ctx.beginPath();
      ctx.moveTo((a.x + b.x) / 2, (a.y + b.y) / 2);
      ctx.quadraticCurveTo(b.x, b.y, (b.x + c.x) / 2, (b.y + c.y) / 2);
      for (const [grow, alpha] of [
        [2.6, 0.18],
        [1, 0.9],
      ]) {
        ctx.strokeStyle = `rgba(${COLOUR}, ${(alpha * left).toFixed(3)})`;
        ctx.lineWidth = ((1.5 + 4 * left) / scale) * grow;
        ctx.stroke();
      }
    });
    return this.sparks.length > 0;
  }

  /**
   * @param {Ink} ctx
   * @param {Spot} spot
   * @param {number} scale
   */
  static dot(ctx, { x, y }, scale) {
    for (const [radius, alpha] of [
      [9, 0.2],
      [4.5, 0.95],
    ]) {
      ctx.beginPath();
      ctx.arc(x, y, radius / scale, 0, 2 * Math.PI);
      ctx.fillStyle = `rgba(${COLOUR}, ${alpha})`;
      ctx.fill();
    }
  }
}
