import { type ConfigKey, configKey } from "../../contracts/config/config.js";

/** Replies to strangers. These values stand here, so that a reader of settings loads no more than settings. */
export const BEHAVIOURS = ["pair", "ignore"] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** When a chat begins a new conversation by itself. */
export const RESET_MODES = ["daily", "idle", "both", "none"] as const;
export type ResetMode = (typeof RESET_MODES)[number];

/** Settings of who may talk and of replies to strangers; what platforms say of it stands in their own blocks. */
export const ACCESS = {
  strangers: configKey<Behaviour | undefined>({
    key: "unauthorized_dm_behavior",
    kind: { type: "choice", of: BEHAVIOURS },
    default: undefined,
    help: "Response to unknown users in direct chats: a pairing code, or nothing (unset = a code unless a list names allowed users).",
  }),
  resetMode: configKey<ResetMode>({
    key: "session_reset.mode",
    kind: { type: "choice", of: RESET_MODES },
    default: "both",
    help: "When a chat starts a new conversation automatically: daily, after inactivity, both, or none.",
  }),
  resetHour: configKey<number>({
    key: "session_reset.at_hour",
    kind: { type: "integer", min: 0, max: 23 },
    default: 4,
    help: "Hour of the daily reset, in the time zone of `timezone`.",
  }),
  resetIdle: configKey<number>({
    key: "session_reset.idle_minutes",
    kind: { type: "integer", min: 1 },
    default: 1440,
    help: "Minutes of inactivity before a chat starts a new conversation.",
  }),
  resetNotify: configKey<boolean>({
    key: "session_reset.notify",
    kind: { type: "boolean" },
    default: true,
    help: "Notify the chat when a new conversation starts automatically.",
  }),
  resetSilent: configKey<readonly string[]>({
    key: "session_reset.notify_exclude_platforms",
    kind: { type: "strings" },
    default: ["webhook"],
    help: "Platforms without that notice.",
  }),
  resetByType: configKey<unknown>({
    key: "reset_by_type",
    kind: { type: "any" },
    default: undefined,
    help: "session_reset per chat type: dm, group, channel, thread, forum.",
  }),
  resetByPlatform: configKey<unknown>({
    key: "reset_by_platform",
    kind: { type: "any" },
    default: undefined,
    help: "session_reset per platform; overrides reset_by_type.",
  }),
  resetTriggers: configKey<readonly string[]>({
    key: "reset_triggers",
    kind: { type: "strings" },
    default: ["/new", "/reset"],
    help: "Messages that start a new conversation in a chat, alone or before its title.",
  }),
  entryDays: configKey<number>({
    key: "session_store_max_age_days",
    kind: { type: "integer", min: 1 },
    default: 90,
    help: "Days of inactivity after which a chat starts over; its conversations are kept.",
  }),
  quick: configKey<unknown>({
    key: "quick_commands",
    kind: { type: "any" },
    default: undefined,
    help: "Custom slash commands, by name: {type: exec, command} runs a shell command, {type: alias, target} is another slash command.",
  }),
  programs: configKey<boolean>({
    key: "gateway.members_run_programs",
    kind: { type: "boolean" },
    default: false,
    help: "Offer terminal, process, execute_code and the tools of MCP servers to members of chats who are not admins; what these programs open is not restricted.",
  }),
  atOnce: configKey<number | undefined>({
    key: "max_concurrent_sessions",
    kind: { type: "integer", min: 1 },
    default: undefined,
    help: "Maximum concurrent turns of chats (unset = no limit).",
  }),
} as const;

export const ACCESS_KEYS: readonly ConfigKey<unknown>[] = Object.values(ACCESS);
