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
    "Timeout in seconds of a model request of a chat, including retries and fallbacks.",
  ),
  turn: seconds(
    "gateway.turn_deadline_seconds",
    [0, 7200],
    "Timeout in seconds of a turn of a chat or job, without waiting for people (0 = no limit).",
  ),
  quiet: seconds(
    "agent.gateway_timeout",
    [0, 1800],
    "Seconds of inactivity before a turn of a chat is stopped (0 = never).",
  ),
  warning: seconds(
    "agent.gateway_timeout_warning",
    [0, 900],
    "Seconds of inactivity before a chat is warned (0 = never).",
  ),
  life: seconds(
    "agent.gateway_notify_interval",
    [0, 180],
    "Seconds between notices that a long turn is still running (0 = never).",
  ),
  acks: yes(
    "display.busy_ack_enabled",
    true,
    "Acknowledge messages sent during a turn.",
    "AGENT_GATEWAY_BUSY_ACK_ENABLED",
  ),
  footer: yes(
    "display.runtime_footer.enabled",
    false,
    "Add a footer to answers in chats: model, context used, directory.",
  ),
  footerFields: configKey<readonly string[]>({
    key: "display.runtime_footer.fields",
    kind: { type: "strings" },
    default: ["model", "context_pct", "cwd"],
    help: "Fields of the footer, in this order: model, context_pct, cwd.",
  }),
  preview: configKey<number>({
    key: "display.tool_preview_length",
    kind: { type: "integer", min: 0, max: 1000 },
    default: 40,
    help: "Maximum characters of a call preview in a chat.",
  }),
  cleanup: yes("display.cleanup_progress", false, "Delete the message with tool calls when the turn has ended."),
  streaming: yes("streaming.enabled", false, "Stream answers in chats, if the platform supports it."),
  transport: configKey<StreamTransport>({
    key: "streaming.transport",
    kind: { type: "choice", of: STREAM_TRANSPORTS },
    default: "auto",
    help: "How answers are streamed: auto (drafts in direct chats that support them, else edits), draft, edit, off.",
  }),
  interval: seconds("streaming.edit_interval", [0.1, 0.8], "Minimum seconds between two edits of a streamed message."),
  threshold: configKey<number>({
    key: "streaming.buffer_threshold",
    kind: { type: "integer", min: 1, max: 4000 },
    default: 24,
    help: "New characters that trigger an earlier edit.",
  }),
  cursor: configKey<string>({
    key: "streaming.cursor",
    kind: { type: "string" },
    default: " ▉",
    help: "Cursor at the end of a streamed message.",
  }),
  fresh: seconds(
    "streaming.fresh_final_after_seconds",
    [0, 0],
    "Seconds after which a streamed answer is sent as a new message when complete, and the old one deleted (0 = never).",
  ),
} as const;

export const TURN_KEYS: readonly ConfigKey<unknown>[] = [
  ...Object.values(TURN),
  configKey<unknown>({
    key: "display.platforms",
    kind: { type: "any" },
    default: {},
    help: "Display per platform: display.platforms.<tag> with tool_progress, interim_messages, busy_detail, heartbeat, streaming, runtime_footer.",
  }),
];
