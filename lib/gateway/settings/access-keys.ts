import { type ConfigKey, configKey } from "../../contracts/config/config.js";

/** What strangers are told. These values stand here, so that whoever reads settings loads no more than settings. */
export const BEHAVIOURS = ["pair", "ignore"] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** When a chat begins a new conversation by itself. */
export const RESET_MODES = ["daily", "idle", "both", "none"] as const;
export type ResetMode = (typeof RESET_MODES)[number];

/** Settings of who may talk and what strangers are told; what platforms say of it stands in their own blocks. */
export const ACCESS = {
  strangers: configKey<Behaviour | undefined>({
    key: "unauthorized_dm_behavior",
    kind: { type: "choice", of: BEHAVIOURS },
    default: undefined,
    help: "What somebody unknown gets in a direct chat: a pairing code, or nothing; unset: a code where no list says who may talk.",
  }),
  resetMode: configKey<ResetMode>({
    key: "session_reset.mode",
    kind: { type: "choice", of: RESET_MODES },
    default: "both",
    help: "When a chat begins a new conversation by itself: every day, after a long silence, both, or none.",
  }),
  resetHour: configKey<number>({
    key: "session_reset.at_hour",
    kind: { type: "integer", min: 0, max: 23 },
    default: 4,
    help: "Hour at which a day begins for conversations of chats, in the time zone of `timezone`.",
  }),
  resetIdle: configKey<number>({
    key: "session_reset.idle_minutes",
    kind: { type: "integer", min: 1 },
    default: 1440,
    help: "Silence in minutes after which a chat begins a new conversation.",
  }),
  resetNotify: configKey<boolean>({
    key: "session_reset.notify",
    kind: { type: "boolean" },
    default: true,
    help: "Say in the chat that a new conversation has begun by itself.",
  }),
  resetSilent: configKey<readonly string[]>({
    key: "session_reset.notify_exclude_platforms",
    kind: { type: "strings" },
    default: ["webhook"],
    help: "Platforms on which that is not said.",
  }),
  resetByType: configKey<unknown>({
    key: "reset_by_type",
    kind: { type: "any" },
    default: undefined,
    help: "The same as session_reset for chats of one type: dm, group, channel, thread, forum.",
  }),
  resetByPlatform: configKey<unknown>({
    key: "reset_by_platform",
    kind: { type: "any" },
    default: undefined,
    help: "The same as session_reset for one platform; it holds before reset_by_type.",
  }),
  resetTriggers: configKey<readonly string[]>({
    key: "reset_triggers",
    kind: { type: "strings" },
    default: ["/new", "/reset"],
    help: "Messages that begin a new conversation in a chat, alone or before its title.",
  }),
  entryDays: configKey<number>({
    key: "session_store_max_age_days",
    kind: { type: "integer", min: 1 },
    default: 90,
    help: "A chat that nobody wrote in for so many days begins anew; its conversations are kept.",
  }),
  quick: configKey<unknown>({
    key: "quick_commands",
    kind: { type: "any" },
    default: undefined,
    help: "Slash commands of your own, by name: {type: exec, command} runs a shell command, {type: alias, target} stands for another slash command.",
  }),
  programs: configKey<boolean>({
    key: "gateway.members_run_programs",
    kind: { type: "boolean" },
    default: false,
    help: "Offer terminal, process and execute_code in conversations of chats that are not an admin's; no guard bounds what programs open.",
  }),
  atOnce: configKey<number | undefined>({
    key: "max_concurrent_sessions",
    kind: { type: "integer", min: 1 },
    default: undefined,
    help: "How many conversations of chats may have a turn at once; unset: no limit of this kind.",
  }),
} as const;

export const ACCESS_KEYS: readonly ConfigKey<unknown>[] = Object.values(ACCESS);
