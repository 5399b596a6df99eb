import type { EffectContext, EffectRunner } from "../effects/effect.js";
import { KEYMAP } from "./reducer.js";

/** Keys of the user, at the start and whenever everything is asked again. */
export function createKeymapEffects({ client, signal, send, run }: EffectContext): EffectRunner {
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
