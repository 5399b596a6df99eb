import { contains } from "../draw/canvas.js";
import { bindingFor } from "../model/keys.js";
import type { State, Updated } from "../model/state.js";
import { pressedFoot } from "../overlays/foot.js";
import { type ProfilePlace, placeOf } from "../overlays/place.js";
import type { Input } from "../terminal/decode.js";

type Mouse = Extract<Input, { type: "mouse" }>;

/** A press takes what is under it; beside the overlay it is Escape. */
export function pressedOver(state: State, at: Mouse): Updated | undefined {
  const place = placeOf(state);
  if (place === undefined) return undefined;
  if (!contains(place.box, at)) return byKey(state, place, "escape");
  if (at.y === place.box.y + place.box.height - 1) return pressedFoot(state, place, at.x);
  const x = at.x - place.inside.x;
  const y = at.y - place.inside.y;
  if (x < 0 || x >= place.inside.width) return undefined;
  const spot = place.drawn.spots?.find(
    (one) => one.y === y && x >= (one.from ?? 0) && x < (one.to ?? place.inside.width),
  );
  return spot?.act(state, x);
}

/** The wheel moves the overlay, wherever the pointer is. `by`: rows down. */
export function wheeledOver(state: State, by: number): Updated | undefined {
  const place = placeOf(state);
  if (place === undefined) return undefined;
  const own = place.kind.wheel(by);
  if (own !== undefined) return own;
  let next: Updated = [state, []];
  for (let step = 0; step < Math.abs(by); step++) {
    const [after, effects] = byKey(next[0], place, by < 0 ? "up" : "down") ?? next;
    next = [after, [...next[1], ...effects]];
  }
  return next;
}

const byKey = (state: State, { kind }: ProfilePlace, key: string): Updated | undefined =>
  bindingFor(state, key, [kind.context, "dialog"])?.act(state);
