import type { Store } from "../../../storage/store.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import { ACCESS } from "../settings/access-keys.js";
import { platformSettings, settingsSource } from "../settings/platform-settings.js";
import { createPassage, type Passage } from "./admission.js";
import type { Allowing } from "./allowlists.js";
import { createPairing } from "./pairing.js";

/** Who may talk, by the settings and the pairings of a home. Read anew for every event. */
export interface GatewayAccess {
  readonly allowing: (event: Pick<Inbound, "platform">) => Allowing;
  readonly passes: (event: Inbound) => Promise<Passage>;
}

/** The settings that decide, without the pairings. */
export function allowingBy(options: Pick<AppOptions, "config">): GatewayAccess["allowing"] {
  const source = settingsSource(options);
  return ({ platform }) => ({ platform: platformSettings(platform, source), all: platformSettings("gateway", source) });
}

export function createGatewayAccess(store: Store, options: AppOptions): GatewayAccess {
  const { config, clock, ids, home } = options;
  const allowing = allowingBy(options);
  const passes = createPassage({
    allowing,
    pairing: createPairing({ store, clock, ids }),
    behaviour: () => config.get(ACCESS.strangers),
    approve: (platform, code) => {
      const profile = home.profile === "default" ? "" : ` -p ${home.profile}`;
      return `agent${profile} pairing approve ${platform} ${code}`;
    },
    log: options.log.child("gateway"),
  });
  return { allowing, passes };
}
