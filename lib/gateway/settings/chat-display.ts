import { isRecord } from "../../base/json/record.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";

const TOOL_PROGRESS = ["off", "new", "all", "verbose"] as const;
export type ToolProgress = (typeof TOOL_PROGRESS)[number];

/** What a chat sees of a turn beside its answer (gateway part, 11.6). */
export interface Display {
  readonly tools: ToolProgress;
  /** Acknowledgements say how far the running turn is. */
  readonly busyDetail: boolean;
  /** What the model says between its calls. */
  readonly interim: boolean;
  /** Signs of life of a long turn. */
  readonly life: boolean;
  /** Undefined: as `streaming.enabled` says. */
  readonly streaming: boolean | undefined;
  /** Undefined: as `display.runtime_footer.enabled` says. */
  readonly footer: boolean | undefined;
}

const MORE: Display = {
  tools: "new",
  busyDetail: true,
  interim: true,
  life: true,
  streaming: undefined,
  footer: undefined,
};
const NOTHING: Display = { ...MORE, tools: "off", busyDetail: false, interim: false, life: false, streaming: false };

const TIERS: Readonly<Record<PlatformTag, Display>> = {
  msgt: { ...MORE, tools: "off", busyDetail: false },
  msgd: { ...MORE, tools: "all" },
  msgf: MORE,
  msgg: MORE,
  msgw: MORE,
  msgl: NOTHING,
  msgx: NOTHING,
};

/** Platforms that never stream, whatever the settings say. */
const NEVER: ReadonlySet<PlatformTag> = new Set(["msgl", "msgx"]);

/** @param own what `display.platforms.<tag>` holds; a value of the wrong kind counts as absent */
export function displayOf(tag: PlatformTag, own: unknown): Display {
  const tier = Object.hasOwn(TIERS, tag) ? TIERS[tag] : NOTHING; // what other systems post is shown to nobody while it is worked on
  const cells = isRecord(own) ? own : {};
  const flag = <T>(name: string, otherwise: T): boolean | T => {
    const value = cells[name];
    return typeof value === "boolean" ? value : otherwise;
  };
  // `off` without quotes is false in YAML.
  const wanted = cells["tool_progress"] === false ? "off" : cells["tool_progress"];
  return {
    tools: TOOL_PROGRESS.find((one) => one === wanted) ?? tier.tools,
    busyDetail: flag("busy_detail", tier.busyDetail),
    interim: flag("interim_messages", tier.interim),
    life: flag("heartbeat", tier.life),
    streaming: NEVER.has(tag) ? false : flag("streaming", tier.streaming),
    footer: flag("runtime_footer", tier.footer),
  };
}
