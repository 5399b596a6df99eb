import { BUSY_INPUT_MODE } from "../../../chat/lanes/keys.js";
import { type Display, displayOf } from "../../../gateway/display.js";
import { TURN } from "../../../gateway/turn-keys.js";
import { BUSY_MODES, type BusyMode } from "../../../proto/chat-queue.js";
import type { EventOrigin, PlatformTag } from "../../../proto/gateway.js";
import type { AppOptions } from "../../options.js";
import type { Limits } from "./deadlines.js";

/** What the configuration says about turns in chats, read at every use. */
export interface TurnSettings {
  display(platform: EventOrigin): Display;
  /** What plain text does while a turn runs. */
  busyMode(): Exclude<BusyMode, "auto">;
  acks(): boolean;
  limits(platform: EventOrigin): Limits;
  /** Fields of the line under an answer; empty: there is none. */
  footer(platform: EventOrigin): readonly string[];
}

export function turnSettings({ config, env }: Pick<AppOptions, "config" | "env">): TurnSettings {
  const display = (platform: EventOrigin) => {
    const tag = platform as PlatformTag; // only platforms send messages that turns answer
    return displayOf(tag, config.raw(`display.platforms.${tag}`));
  };
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
      ...{ request: ms(TURN.request), turn: ms(TURN.turn), quiet: ms(TURN.quiet), warning: ms(TURN.warning) },
      life: display(platform).life ? ms(TURN.life) : 0,
    }),
    footer: (platform) => ((display(platform).footer ?? config.get(TURN.footer)) ? config.get(TURN.footerFields) : []),
  };
}
