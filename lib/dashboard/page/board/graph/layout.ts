import type { Edge, Spot } from "./around.js";
import { type LayerSlot, lanesOf, straightened } from "./lanes.js";

/** Size of a box and the room between boxes, in pixels. */
export const BOX = { width: 158, height: 44, across: 46, down: 14, margin: 6 } as const;
/** Height of a line that passes between boxes. */
const PASSING = 10;

export interface Placed extends Spot {
  readonly layer: number;
  /** Place among the tasks of its layer, from the top. */
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

export interface GraphLine extends Edge {
  /** Path of an SVG. */
  readonly path: string;
}

export interface Layout {
  readonly spots: readonly Placed[];
  readonly lines: readonly GraphLine[];
  readonly width: number;
  readonly height: number;
}

const heightOf = ({ spot }: LayerSlot): number => (spot === undefined ? PASSING : BOX.height);
const tallnessOf = (layer: readonly LayerSlot[]): number =>
  layer.reduce((sum, slot) => sum + heightOf(slot) + BOX.down, -BOX.down);

/** Tasks in layers from left to right, each behind everything that it waits for, with few crossings. */
export function layOutGraph(spots: readonly Spot[], edges: readonly Edge[]): Layout {
  const lanes = lanesOf(spots, edges);
  const layers = straightened(lanes);
  const tallest = Math.max(BOX.height, ...layers.map(tallnessOf));
  const placed: Placed[] = [];
  const middles = new Map<string, Middle>();
  for (const [layer, slots] of layers.entries()) {
    const x = BOX.margin + layer * (BOX.width + BOX.across);
    let y = BOX.margin + (tallest - tallnessOf(slots)) / 2;
    let row = 0;
    for (const slot of slots) {
      middles.set(slot.key, { x, y: y + heightOf(slot) / 2 });
      if (slot.spot !== undefined) placed.push({ ...slot.spot, layer, row: row++, x, y });
      y += heightOf(slot) + BOX.down;
    }
  }
  return {
    spots: placed,
    lines: edges.map((edge, at) => ({
      ...edge,
      path: pathOf((lanes.ways[at] ?? []).flatMap((key) => middles.get(key) ?? [])),
    })),
    width: 2 * BOX.margin + layers.length * BOX.width + Math.max(0, layers.length - 1) * BOX.across,
    height: 2 * BOX.margin + tallest,
  };
}

/** Left end and middle height of a slot. */
interface Middle {
  readonly x: number;
  readonly y: number;
}

/** A line from the right end of the first slot through those between to the left end of the last one. */
function pathOf(way: readonly Middle[]): string {
  const [first, ...rest] = way;
  if (first === undefined) return "";
  let path = `M${first.x + BOX.width} ${first.y}`;
  let from = first;
  for (const [at, to] of rest.entries()) {
    const bend = BOX.across / 2;
    path += `C${from.x + BOX.width + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
    if (at < rest.length - 1) path += `H${to.x + BOX.width}`;
    from = to;
  }
  return path;
}

/** The task that an arrow key leads to, or undefined at the border. */
export function neighbour({ spots }: Layout, id: string, key: string): string | undefined {
  const from = spots.find((spot) => spot.id === id);
  if (from === undefined) return undefined;
  if (key === "ArrowUp" || key === "ArrowDown") {
    const row = from.row + (key === "ArrowUp" ? -1 : 1);
    return spots.find((spot) => spot.layer === from.layer && spot.row === row)?.id;
  }
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const layer = from.layer + (key === "ArrowLeft" ? -1 : 1);
  const beside = spots.filter((spot) => spot.layer === layer);
  return beside.toSorted((a, b) => Math.abs(a.y - from.y) - Math.abs(b.y - from.y))[0]?.id;
}
