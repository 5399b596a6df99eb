import { taken } from "../composer/completion/take.js";
import { completionBox } from "../composer/completion/view.js";
import { editItem, pressedItem } from "../composer/queue/items.js";
import { itemAt } from "../composer/queue/view.js";
import { contains, type Rect } from "../draw/canvas.js";
import { layoutOf } from "../layout/layout.js";
import type { State, Updated } from "../model/state.js";
import { focusPanel } from "../questions/acts.js";
import { rolled } from "../questions/scroll.js";
import { questionPanel } from "../questions/view.js";
import type { Input } from "../terminal/decode.js";

type Mouse = Extract<Input, { type: "mouse" }>;

/** A press on what is offered for a word, on an open question, or on what waits; undefined: on none of them. `times`: 2 with a double click. */
export function pressedBelow(state: State, at: Mouse, times: number): Updated | undefined {
  const { question, queue, composer } = layoutOf(state);
  const offered = completionBox(state, { ...composer, y: composer.y - 1, height: 1 });
  if (offered !== undefined && contains(offered.box, at)) return tookOffer(state, offered.from + at.y - offered.box.y);
  if (contains(question, at)) return pressedQuestion(state, question, at);
  if (!contains(queue, at)) return undefined;
  const item = itemAt(state, queue, at.y - queue.y);
  if (item === undefined) return [state, []];
  const next = pressedItem(state, item);
  return times === 2 ? editItem(next) : [next, []];
}

function tookOffer(state: State, at: number): Updated {
  const { composer } = state;
  return taken({ ...state, composer: { ...composer, completion: { ...composer.completion, at } } });
}

/** An answer, or the panel as a whole, which has the keys from now on. */
function pressedQuestion(state: State, { x, y, width, height }: Rect, at: Mouse): Updated {
  const { spots } = questionPanel(state, width, height);
  const spot = spots.find((one) => one.y === at.y - y && at.x - x >= (one.from ?? 0) && at.x - x < (one.to ?? width));
  return spot?.act(state, at.x - x) ?? [focusPanel(state), []];
}

/** The wheel over an open question reads on in it; undefined: it is elsewhere. */
export const wheeledBelow = (state: State, at: Mouse, by: number): Updated | undefined =>
  contains(layoutOf(state).question, at) ? rolled(by)(state) : undefined;
