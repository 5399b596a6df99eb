import type { Edge, Spot } from "./around.js";

/** Size of a box and the room between boxes, in pixels. */
export const BOX = { width: 158, height: 44, across: 46, down: 14, margin: 6 } as const;

export interface Placed extends Spot {
  readonly layer: number;
  /** Place within the layer, from the top. */
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

export interface Line extends Edge {
  /** Path of an SVG. */
  readonly path: string;
}

export interface Layout {
  readonly spots: readonly Placed[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/** Sweeps that straighten the lines; more change nothing that is seen. */
const SWEEPS = 4;

/** Tasks in layers from left to right, each behind everything that it waits for, with few crossings. */
export function layout(spots: readonly Spot[], edges: readonly Edge[]): Layout {
  const layers = ordered(layersOf(spots, edges), edges);
  const tallest = Math.max(1, ...layers.map((layer) => layer.length));
  const placed = layers.flatMap((layer, at) => layer.map((spot, row) => place(spot, at, row, (tallest - layer.length) / 2)));
  const byId = new Map(placed.map((spot) => [spot.id, spot]));
  return {
    spots: placed,
    lines: edges.flatMap((edge) => lineOf(edge, byId.get(edge.parent), byId.get(edge.child))),
    width: 2 * BOX.margin + layers.length * BOX.width + Math.max(0, layers.length - 1) * BOX.across,
    height: 2 * BOX.margin + tallest * BOX.height + (tallest - 1) * BOX.down,
  };
}

function place(spot: Spot, layer: number, row: number, lead: number): Placed {
  const x = BOX.margin + layer * (BOX.width + BOX.across);
  const y = BOX.margin + (row + lead) * (BOX.height + BOX.down);
  return { ...spot, layer, row, x, y };
}

/** Layer of a task: the longest way to it. A circle, which a board never holds, ends after as many steps as there are tasks. */
function layersOf(spots: readonly Spot[], edges: readonly Edge[]): readonly (readonly Spot[])[] {
  const depth = new Map(spots.map(({ id }) => [id, 0]));
  for (let step = 0, moved = true; moved && step < spots.length; step++) {
    moved = false;
    for (const { parent, child } of edges) {
      const least = (depth.get(parent) ?? 0) + 1;
      if ((depth.get(child) ?? 0) >= least || least >= spots.length) continue;
      depth.set(child, least);
      moved = true;
    }
  }
  const layers: Spot[][] = [];
  for (const spot of spots) {
    const at = depth.get(spot.id) ?? 0;
    while (layers.length <= at) layers.push([]);
    layers[at]?.push(spot);
  }
  return layers.filter((layer) => layer.length > 0);
}

/** Each layer in the order of the middle of its neighbours, forth and back. */
function ordered(layers: readonly (readonly Spot[])[], edges: readonly Edge[]): readonly (readonly Spot[])[] {
  let now = layers;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const rows = new Map(now.flatMap((layer) => layer.map(({ id }, row) => [id, row - layer.length / 2] as const)));
    const neighbours = new Map<string, string[]>();
    for (const { parent, child } of edges) {
      const [from, to] = sweep % 2 === 0 ? [child, parent] : [parent, child];
      neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    }
    const weight = ({ id }: Spot): number => {
      const near = (neighbours.get(id) ?? []).map((other) => rows.get(other) ?? 0);
      return near.length === 0 ? (rows.get(id) ?? 0) : near.reduce((sum, row) => sum + row, 0) / near.length;
    };
    now = now.map((layer) => layer.toSorted((a, b) => weight(a) - weight(b)));
  }
  return now;
}

function lineOf(edge: Edge, from: Placed | undefined, to: Placed | undefined): Line[] {
  if (from === undefined || to === undefined) return [];
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const bend = Math.max(BOX.across / 2, (x2 - x1) / 2);
  return [{ ...edge, path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }];
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
