import { BUSY_MODES, type BusyMode } from "../../contracts/chat/queue.js";
import { configKey } from "../../contracts/config/config.js";

export const BUSY_INPUT_MODE = configKey<BusyMode>({
  key: "display.busy_input_mode",
  kind: { type: "choice", of: BUSY_MODES },
  default: "auto",
  help: "What a message sent during a turn does: auto (queue at terminals, interrupt on messaging platforms), queue, steer, interrupt.",
});

export const BUSY_KEYS = [BUSY_INPUT_MODE] as const;
