// The trail of a laser pointer, which fades behind it. Other members see it by the pointer of
// whoever has `isPointing` set.

/** Ms that a point of the trail is shown. */
export const FADE_TIME = 1200;

const COLOUR = "255, 59, 48";

export class Trail {
  /** @type {{x: number, y: number, at: number}[]} */
  points = [];

  /**
   * @param {Spot} spot
   * @param {number} at
   */
  add({ x, y }, at) {
    this.points.push({ x, y, at });
  }

  /** The next point is not connected to those before. */
  endLine() {
    for (const { at } of this.points.slice(-1)) {
      this.add({ x: NaN, y: NaN }, at);
    }
  }

  /**
   * Draws what has not faded. Returns whether anything is left.
   * @param {Ink} ctx
   * @param {number} now
   * @param {number} scale
   */
  draw(ctx, now, scale) {
    this.points = this.points.filter(({ at }) => now - at < FADE_TIME);
    // Pieces meet at their ends: round ends would overlap and be seen as dots.
    ctx.lineCap = "butt";
    ctx.setLineDash([]);
    this.points.slice(2).forEach((c, index) => {
      const [a, b] = this.points.slice(index, index + 2);
      const left = 1 - (now - c.at) / FADE_TIME;
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
    return this.points.length > 0;
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
