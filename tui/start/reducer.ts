import type { ScreenStart } from "../../lib/contracts/ui/screen-start.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { Reducer } from "../model/state.js";

/** Where the answer to `screen.start` goes. */
export const START_ANSWER = "start";

/** Asked whenever an empty conversation is shown and nothing is on its way to it. */
export const startReducer: Reducer = (state, message) => {
  if (message.type === "session" && message.items.length === 0 && state.queue.local.length === 0) {
    const params = { cwd: state.cwd, session_id: message.id };
    return [state, [{ do: "call", method: "screen.start", params, to: START_ANSWER, reads: true }]];
  }
  if (message.type !== "called" || message.to !== START_ANSWER || !message.ok) return undefined;
  const { offer, serving, cage } = message.result as ScreenStart; // the owner's answer to screen.start
  const clean = { ...serving, provider: sanitizeLine(serving.provider), model: sanitizeLine(serving.model) };
  return [
    {
      ...state,
      start: {
        toldAt: state.wall,
        serving: clean,
        offer: offer && { ...offer, title: sanitizeLine(offer.title) },
        ...cleanCage(cage),
      },
    },
    [],
  ];
};

const cleanCage = (cage: ScreenStart["cage"]): Pick<ScreenStart, "cage"> =>
  cage === undefined ? {} : { cage: { ...cage, why: sanitizeLine(cage.why), remedy: sanitizeLine(cage.remedy) } };
