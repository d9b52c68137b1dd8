// A row of buttons for which there may be no room: it is scrolled, and shows at which ends there are more.

/**
 * @param {HTMLElement} row is scrolled
 * @param {HTMLElement} holder gets the marks of its ends (`has-before`, `has-after` in base.css)
 */
export function showEdges(row, holder) {
  const show = () => {
    const { scrollLeft, scrollWidth, clientWidth } = row;
    holder.classList.toggle("has-before", scrollLeft > 1);
    holder.classList.toggle("has-after", scrollLeft + clientWidth < scrollWidth - 1);
  };
  row.addEventListener("scroll", show, { passive: true });
  new ResizeObserver(show).observe(row);
}
