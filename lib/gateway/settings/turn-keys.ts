import { type ConfigKey, configKey } from "../../contracts/config/config.js";

const seconds = (key: string, [min, first]: readonly [number, number], help: string): ConfigKey<number> =>
  configKey<number>({ key, kind: { type: "number", min }, default: first, help });
const yes = (key: string, first: boolean, help: string, env?: string): ConfigKey<boolean> =>
  configKey<boolean>({ key, kind: { type: "boolean" }, default: first, help, ...(env === undefined ? {} : { env }) });

export const STREAM_TRANSPORTS = ["auto", "draft", "edit", "off"] as const;
export type StreamTransport = (typeof STREAM_TRANSPORTS)[number];

/** Settings of turns in chats: how long they may take, and how they are shown. Times are seconds. */
export const TURN = {
  request: seconds(
    "gateway.request_deadline_seconds",
    [10, 900],
    "Longest time of one request to a model in a chat, with all its retries and fallbacks, in seconds.",
  ),
  turn: seconds(
    "gateway.turn_deadline_seconds",
    [0, 7200],
    "Longest time of a turn in a chat without the time that it waits for people, in seconds; 0: no limit.",
  ),
  quiet: seconds(
    "agent.gateway_timeout",
    [0, 1800],
    "A turn in a chat that does nothing for so long is stopped, in seconds; 0: never.",
  ),
  warning: seconds(
    "agent.gateway_timeout_warning",
    [0, 900],
    "A turn in a chat that does nothing for so long is told, in seconds; 0: never.",
  ),
  life: seconds(
    "agent.gateway_notify_interval",
    [0, 180],
    "How often a chat is told that a long turn still works, in seconds; 0: never.",
  ),
  acks: yes(
    "display.busy_ack_enabled",
    true,
    "Tell a chat what becomes of a message that is sent while a turn runs.",
    "AGENT_GATEWAY_BUSY_ACK_ENABLED",
  ),
  footer: yes(
    "display.runtime_footer.enabled",
    false,
    "Add a line with the model, the share of its window and the directory to answers in chats.",
  ),
  footerFields: configKey<readonly string[]>({
    key: "display.runtime_footer.fields",
    kind: { type: "strings" },
    default: ["model", "context_pct", "cwd"],
    help: "What the line under answers in chats shows, in this order: model, context_pct, cwd.",
  }),
  preview: configKey<number>({
    key: "display.tool_preview_length",
    kind: { type: "integer", min: 0, max: 1000 },
    default: 40,
    help: "Longest preview of a call in a chat, in characters.",
  }),
  cleanup: yes(
    "display.cleanup_progress",
    false,
    "Delete the message with the calls of a turn when the turn has ended.",
  ),
  streaming: yes("streaming.enabled", false, "Show answers in chats while they are written, where the platform can."),
  transport: configKey<StreamTransport>({
    key: "streaming.transport",
    kind: { type: "choice", of: STREAM_TRANSPORTS },
    default: "auto",
    help: "How answers are shown while they are written: auto (drafts in direct chats that have them, else a message that is edited), draft, edit, off.",
  }),
  interval: seconds(
    "streaming.edit_interval",
    [0.1, 0.8],
    "Shortest time between two edits of a message that is being written, in seconds.",
  ),
  threshold: configKey<number>({
    key: "streaming.buffer_threshold",
    kind: { type: "integer", min: 1, max: 4000 },
    default: 24,
    help: "New characters that are worth an edit before its time has come.",
  }),
  cursor: configKey<string>({
    key: "streaming.cursor",
    kind: { type: "string" },
    default: " ▉",
    help: "Sign at the end of a message that is being written.",
  }),
  fresh: seconds(
    "streaming.fresh_final_after_seconds",
    [0, 0],
    "An answer that took longer to write is sent anew when it is whole, and the message that showed it is deleted; 0: never.",
  ),
} as const;

export const TURN_KEYS: readonly ConfigKey<unknown>[] = [
  ...Object.values(TURN),
  configKey<unknown>({
    key: "display.platforms",
    kind: { type: "any" },
    default: {},
    help: "How turns are shown on a platform: display.platforms.<tag> with tool_progress, interim_messages, busy_detail, heartbeat, streaming, runtime_footer.",
  }),
];
