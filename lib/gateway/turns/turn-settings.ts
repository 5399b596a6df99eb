import type { Ms } from "../../base/units.js";
import { BUSY_INPUT_MODE } from "../../chat/config/busy-keys.js";
import type { AppOptions } from "../../config/app-options.js";
import type { EventOrigin, Inbound } from "../../contracts/board/platform-tag.js";
import { BUSY_MODES, type BusyMode } from "../../contracts/chat/queue.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { type Display, isPlatform, traitsOf } from "../../contracts/gateway/platform-traits.js";
import { displayOf } from "../settings/chat-display.js";
import { TURN } from "../settings/turn-keys.js";
import type { SegmentRules } from "./stream-segment.js";
import type { Limits } from "./turn-deadlines.js";

/** What the configuration says about turns in chats, read at every use. */
export interface TurnSettings {
  display(platform: EventOrigin): Display;
  /** What plain text does while a turn runs. */
  busyMode(): Exclude<BusyMode, "auto">;
  acks(): boolean;
  limits(platform: EventOrigin): Limits;
  /** How the text of a turn is shown while it is written. */
  transport(event: Pick<Inbound, "platform" | "source">, platform: Platform | undefined): UsedTransport;
  stream(platform: EventOrigin): SegmentRules & { readonly freshAfter: Ms };
  /** Longest preview of a call. */
  preview(): number;
  /** The calls of a turn are not shown any more when it has ended. */
  cleanup(): boolean;
  /** Fields of the line under an answer; empty: without one. */
  footer(platform: EventOrigin): readonly string[];
}

/** `off`: not at all. */
export type UsedTransport = "draft" | "edit" | "off";

export function turnSettings({ config, env }: Pick<AppOptions, "config" | "env">): TurnSettings {
  const display = (tag: EventOrigin) => displayOf(tag, config.raw(`display.platforms.${tag}`));
  const ms = (key: (typeof TURN)["request"]) => config.get(key) * 1000;
  return {
    display,
    busyMode: () => {
      const named = BUSY_MODES.find((mode) => mode === env["AGENT_GATEWAY_BUSY_INPUT_MODE"]);
      const mode = named ?? config.get(BUSY_INPUT_MODE);
      return mode === "auto" ? "interrupt" : mode;
    },
    acks: () => config.get(TURN.acks),
    limits: (platform) => ({
      request: ms(TURN.request),
      turn: ms(TURN.turn),
      quiet: ms(TURN.quiet),
      warning: ms(TURN.warning),
      life: display(platform).life ? ms(TURN.life) : 0,
    }),
    transport: (event, platform) => {
      const wanted = config.get(TURN.transport);
      if (
        platform === undefined ||
        wanted === "off" ||
        !(display(event.platform).streaming ?? config.get(TURN.streaming))
      )
        return "off";
      const drafts = platform.draft !== undefined && event.source.chatType === "dm";
      const edits = platform.edit !== undefined && platform.caps.edits;
      if (wanted !== "edit" && drafts) return "draft";
      return wanted !== "draft" && edits ? "edit" : "off";
    },
    stream: (platform) => {
      const { caps, editEveryMs: least } = traitsOf(platform);
      return {
        textMax: caps.textMax,
        least,
        interval: Math.max(least, ms(TURN.interval)),
        threshold: config.get(TURN.threshold),
        cursor: config.get(TURN.cursor),
        editsMax: caps.partialEditsMax ?? Number.POSITIVE_INFINITY,
        freshAfter: ms(TURN.fresh),
      };
    },
    preview: () => config.get(TURN.preview),
    cleanup: () => config.get(TURN.cleanup),
    footer: (platform) =>
      isPlatform(platform) && (display(platform).footer ?? config.get(TURN.footer))
        ? config.get(TURN.footerFields)
        : [],
  };
}
