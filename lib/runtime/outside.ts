import { browserPart } from "./browser.js";
import { desktopPart } from "./desktop.js";
import { mediaPart } from "./media.js";
import type { OutsideContext, OutsideOptions, OutsidePart, OutsidePorts } from "./outside-part.js";
import { socialPart } from "./social.js";
import { speechPart } from "./speech.js";
import { webPart } from "./web.js";

export interface Outside {
  readonly ports: OutsidePorts & Required<Pick<OutsidePorts, "browser" | "speech">>;
  /** Ends what the parts have started. */
  close(): Promise<void>;
}

/** Each part loads nothing before it is used or a turn asks what is offered. Adding one is one line. */
const PARTS: readonly OutsidePart[] = [webPart, browserPart, socialPart, speechPart, desktopPart, mediaPart];

/** The outside of a process. */
export function outsideOf(options: OutsideOptions, around: OutsideContext): Outside {
  const parts = PARTS.map((part) => part(options, around));
  return {
    ports: Object.assign({}, ...parts.map(({ ports }) => ports)) as Outside["ports"], // each part gives ports of its own
    close: async () => {
      await Promise.all(parts.map((part) => part.close?.()));
    },
  };
}
