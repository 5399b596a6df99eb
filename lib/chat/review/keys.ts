import { configKey } from "../../contracts/config/config.js";

export const MEMORY_NUDGE_INTERVAL = configKey<number>({
  key: "memory.nudge_interval",
  kind: { type: "integer", min: 0, max: 10_000 },
  default: 10,
  help: "Messages of the user between two reviews of a conversation for what is worth remembering (0 = never).",
});

export const SKILL_NUDGE_INTERVAL = configKey<number>({
  key: "skills.creation_nudge_interval",
  kind: { type: "integer", min: 0, max: 10_000 },
  default: 10,
  help: "Rounds of tool calls between two reviews of a conversation for what is worth a skill (0 = never).",
});

export const MEMORY_NOTIFICATIONS = configKey<"on" | "off" | "verbose">({
  key: "display.memory_notifications",
  kind: { type: "choice", of: ["on", "off", "verbose"] },
  default: "on",
  help: "Say what a review saved: on, off, or verbose (with the texts).",
});

/** Settings of the review after a turn. */
export const REVIEW_KEYS = [MEMORY_NUDGE_INTERVAL, SKILL_NUDGE_INTERVAL, MEMORY_NOTIFICATIONS] as const;
