import type { Feed, FeedContext } from "../effects/effect.js";
import { KEYMAP } from "./reducer.js";

/** Keys of the user, at the start and whenever everything is asked again. */
export function keymapFeed({ client, signal, send, run }: FeedContext): Feed {
  const ask = () =>
    run("failed to read keys.yaml", async () => {
      const result = await client.call("screen.keys", {}, { signal, repeat: true });
      send({ type: "called", to: KEYMAP, ok: true, result });
    });
  return {
    start: ask,
    perform: (effect) => {
      if (effect.do === "reload") ask();
    },
  };
}
