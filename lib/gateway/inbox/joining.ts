import type { Ms } from "../../base/units.js";
import type { Admission, EventOrigin, Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { PlatformSettings } from "../settings/platform-settings.js";

/** How a platform's texts belong together: quiet time by the length of the last one, and for files. */
interface JoinRule {
  readonly quiet: (chars: number) => Ms;
  readonly files?: Ms;
  readonly most?: JoinLimit;
}

/** Where joining ends although more comes in; absent: nowhere. */
interface JoinLimit {
  readonly messages?: number;
  readonly chars?: number;
  /** From the first message on. */
  readonly ms?: Ms;
}

/** Gateway part, 16: clients cut long texts, so a long one waits longer for its rest. Platforms that are not here join nothing by themselves. */
const RULES: Partial<Record<PlatformTag, JoinRule>> = {
  msgt: { quiet: (chars) => (chars >= 4000 ? 1000 : chars > 1024 ? 300 : chars > 320 ? 240 : 180), files: 800 },
  msgd: { quiet: (chars) => (chars >= 1900 ? 2000 : 600) },
  msgf: { quiet: (chars) => (chars >= 4000 ? 2000 : 600), files: 800, most: { messages: 8, chars: 4000 } },
  msgx: { quiet: () => 3000, most: { ms: 5000 } },
};

/** Where the messages of one turn end on a platform. */
export const joinLimitOf = (platform: EventOrigin): JoinLimit => ruleOf(platform)?.most ?? {};

const ruleOf = (platform: EventOrigin) => (Object.hasOwn(RULES, platform) ? RULES[platform as PlatformTag] : undefined); // rows of platforms alone

/** Whether a message may share a turn with its neighbours, and how long it waits for them. `batch_delay_ms` wins; 0 joins nothing. @throws E_CONFIG */
export function joiningOf(
  event: Inbound,
  settings: Pick<PlatformSettings, "integer">,
): Pick<Admission, "joins" | "quietMs"> {
  const set = settings.integer("BATCH_DELAY_MS", -1);
  if (set >= 0) return { joins: set > 0, quietMs: set };
  const rule = ruleOf(event.platform);
  if (rule === undefined) return { joins: false, quietMs: 0 };
  const alone = event.media.length === 0 || (event.platform === "msgt" && event.extra?.["album"] === undefined);
  return {
    joins: true,
    quietMs: alone ? rule.quiet(event.text.length) : (rule.files ?? rule.quiet(event.text.length)),
  };
}
