/** Pixels from an edge where the board begins to scroll, and how far with each frame. */
const EDGE = 56;
const SPEED = 14;

/** Scroll the board, and the column under the point, as long as the point that `at` gives is near an edge. It ends when `at` gives none. */
export function scrollNearEdges(at: () => { readonly x: number; readonly y: number } | undefined): void {
  requestAnimationFrame(() => {
    const point = at();
    if (point === undefined) return;
    scrollNear(point.x, point.y);
    scrollNearEdges(at);
  });
}

function scrollNear(x: number, y: number): void {
  const columns = document.querySelector(".columns");
  if (columns) columns.scrollLeft += stepNear(x, columns.getBoundingClientRect(), "x");
  const box = document.elementFromPoint(x, y)?.closest(".column")?.querySelector(".card-box");
  if (box) box.scrollTop += stepNear(y, box.getBoundingClientRect(), "y");
}

function stepNear(at: number, { left, right, top, bottom }: DOMRect, axis: "x" | "y"): number {
  const [begin, end] = axis === "x" ? [left, right] : [top, bottom];
  if (at < begin + EDGE) return -SPEED;
  return at > end - EDGE ? SPEED : 0;
}
