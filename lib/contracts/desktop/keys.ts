import { configKey } from "../config/config.js";

export const MAX_CAPTURE_PX = configKey<number>({
  key: "computer_use.max_capture_px",
  kind: { type: "integer", min: 200, max: 8_000 },
  default: 1_600,
  help: "Longest side of a screenshot that computer_use takes, in pixels; larger ones are scaled down.",
});

export const DESKTOP_KEYS = [MAX_CAPTURE_PX] as const;
