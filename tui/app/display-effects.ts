import { DISPLAY_TOPIC, type DisplaySettings } from "../../lib/contracts/ui/display.js";
import type { EffectContext, EffectRunner } from "../effects/effect.js";
import { displayFrom } from "./display.js";

/** The settings of screens: as they are at the start, and whenever they change. */
export function createDisplayEffects({ client, options, signal, send, run }: EffectContext): EffectRunner {
  const told = (settings: DisplaySettings) => send({ type: "display", display: displayFrom(settings, options.env) });
  const read = async () => {
    await client.topics([DISPLAY_TOPIC], ({ data }) => {
      const { values, themes } = data as Partial<DisplaySettings>; // what the owner tells on this topic
      if (values !== undefined) told({ values, themes: themes ?? [] });
    });
    told(await client.call<DisplaySettings>("display.get", {}, { signal, repeat: true }));
  };
  return {
    start: () => run("failed to read the display settings", read),
    perform: (effect) => {
      if (effect.do === "reload")
        run("failed to read the display settings", async () =>
          told(await client.call<DisplaySettings>("display.get", {}, { signal, repeat: true })),
        );
    },
  };
}
