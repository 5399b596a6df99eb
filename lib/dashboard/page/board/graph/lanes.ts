import type { Edge, Spot } from "./around.js";

/** A place in a layer: a task, or where a line passes that leads further. */
export interface LayerSlot {
  readonly key: string;
  readonly spot: Spot | undefined;
}

/** Tasks in layers, and for every link the keys of the slots that its line leads through. */
export interface GraphLanes {
  readonly layers: readonly (readonly LayerSlot[])[];
  readonly ways: readonly (readonly string[])[];
}

/** Layer of a task: the longest way to it. Lines that pass a layer have a slot of their own in it, so that none runs behind a box. */
export function lanesOf(spots: readonly Spot[], edges: readonly Edge[]): GraphLanes {
  const depth = depthsOf(spots, edges);
  const layers: LayerSlot[][] = [];
  const put = (at: number, slot: LayerSlot): void => {
    while (layers.length <= at) layers.push([]);
    layers[at]?.push(slot);
  };
  for (const spot of spots) put(depth.get(spot.id) ?? 0, { key: spot.id, spot });
  const ways = edges.map(({ parent, child }) => {
    const from = depth.get(parent) ?? 0;
    const to = depth.get(child) ?? 0;
    const between = Array.from({ length: Math.max(0, to - from - 1) }, (_, step) => `${parent} ${child} ${step}`);
    for (const [step, key] of between.entries()) put(from + step + 1, { key, spot: undefined });
    return [parent, ...between, child];
  });
  return { layers: layers.filter((layer) => layer.length > 0), ways };
}

/** A circle, which a board never holds, ends after as many steps as there are tasks. */
function depthsOf(spots: readonly Spot[], edges: readonly Edge[]): ReadonlyMap<string, number> {
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
  return depth;
}

/** Sweeps that straighten the lines; more change nothing that is seen. */
const SWEEPS = 6;

/** Each layer in the order of the middle of its neighbours, forth and back. */
export function straightened({ layers, ways }: GraphLanes): readonly (readonly LayerSlot[])[] {
  const pairs = ways.flatMap((way) => way.slice(1).map((key, at): readonly [string, string] => [way[at] ?? "", key]));
  let now = layers;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const rows = new Map(now.flatMap((layer) => layer.map(({ key }, row) => [key, row - layer.length / 2] as const)));
    const near = new Map<string, number[]>();
    for (const [before, behind] of pairs) {
      const [from, to] = sweep % 2 === 0 ? [behind, before] : [before, behind];
      near.set(from, [...(near.get(from) ?? []), rows.get(to) ?? 0]);
    }
    const weight = ({ key }: LayerSlot): number => {
      const found = near.get(key);
      return found === undefined ? (rows.get(key) ?? 0) : found.reduce((sum, row) => sum + row, 0) / found.length;
    };
    now = now.map((layer) => layer.toSorted((a, b) => weight(a) - weight(b)));
  }
  return now;
}
