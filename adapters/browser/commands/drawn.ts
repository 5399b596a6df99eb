import type { Row } from "../../../lib/browser/snapshot/row.js";

/** More numbers than that cannot be read. */
export const DRAWN_MOST = 100;

export interface Mark {
  readonly ref: string;
  readonly box: readonly number[];
}

/** Places of interactive elements that the window shows. */
export function drawn(
  rows: readonly Row[],
  view: { readonly width: number; readonly height: number } = { width: 1280, height: 800 },
): readonly Mark[] {
  return rows
    .flatMap(({ ref, box, interactive }) => {
      if (!interactive || ref === undefined || box === undefined) return [];
      const inside = box.x < view.width && box.y < view.height && box.x + box.width > 0 && box.y + box.height > 0;
      return inside ? [{ ref, box: [box.x, box.y, box.width, box.height] }] : [];
    })
    .slice(0, DRAWN_MOST);
}
