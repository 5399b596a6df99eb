import type { Admission, EventOrigin, Inbound } from "../../contracts/board/platform-tag.js";
import { type JoinLimit, traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { PlatformSettings } from "../settings/platform-settings.js";

/** Where the messages of one turn end on a platform. */
export const joinLimitOf = (platform: EventOrigin): JoinLimit => traitsOf(platform).joins?.most ?? {};

/** Whether a message may share a turn with its neighbours, and how long it waits for them. `batch_delay_ms` wins; 0 joins nothing. @throws E_CONFIG */
export function joiningOf(
  event: Inbound,
  settings: Pick<PlatformSettings, "integer">,
): Pick<Admission, "joins" | "quietMs"> {
  const set = settings.integer("BATCH_DELAY_MS", -1);
  if (set >= 0) return { joins: set > 0, quietMs: set };
  const rule = traitsOf(event.platform).joins;
  if (rule === undefined) return { joins: false, quietMs: 0 };
  const asText = event.media.length === 0 || (rule.albums === true && event.extra?.["album"] === undefined);
  const quiet = rule.quiet.find(({ fromChars }) => event.text.length >= fromChars)?.ms ?? 0;
  return { joins: true, quietMs: asText ? quiet : (rule.filesMs ?? quiet) };
}
