import { configKey } from "../contracts/config/config.js";

export const CONFIRM_RESET = configKey<boolean>({
  key: "approvals.destructive_slash_confirm",
  kind: { type: "boolean" },
  default: true,
  help: "Ask before a slash command discards a turn, goal or queue.",
});

export const COMMAND_KEYS = [CONFIRM_RESET] as const;
