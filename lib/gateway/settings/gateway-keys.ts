import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { type ConfigKey, configKey } from "../../contracts/config/config.js";

export const GATEWAY = {
  backlog: configKey<"keep" | "drop">({
    key: "gateway.backlog",
    kind: { type: "choice", of: ["keep", "drop"] },
    default: "keep",
    help: "drop: messages that waited at a platform before its first connect ever are discarded.",
  }),
  backlogHours: configKey<number>({
    key: "gateway.backlog_max_age_hours",
    kind: { type: "number", min: 0 },
    default: 0,
    help: "Messages older than this are not answered, and each chat is told once how many; 0: no limit.",
  }),
  resendUnknown: configKey<boolean>({
    key: "gateway.resend_unknown",
    kind: { type: "boolean" },
    default: false,
    help: "Send a message once more when nobody knows whether it arrived; it may then be seen twice.",
  }),
  retryBase: configKey<number>({
    key: "gateway.retry_base_ms",
    kind: { type: "integer", min: 1 },
    default: 1000,
    help: "Wait before the second attempt to send, in milliseconds; each further wait is twice as long.",
  }),
  outboxHours: configKey<number>({
    key: "gateway.outbox_max_age_hours",
    kind: { type: "number", min: 0.01 },
    default: 24,
    help: "A message that could not be sent for so many hours is given up.",
  }),
  inboxDays: configKey<number>({
    key: "gateway.inbox_retention_days",
    kind: { type: "integer", min: 8 },
    default: 30,
    help: "Days in which a message that a platform delivers again is recognised.",
  }),
  inWorkspace: configKey<boolean>({
    key: "gateway.in_workspace",
    kind: { type: "boolean" },
    default: true,
    help: "Connect the platforms from the workspace as well when it owns the home.",
  }),
  insecureBase: configKey<boolean>({
    key: "gateway.allow_insecure_api_base",
    kind: { type: "boolean" },
    default: false,
    help: "Accept http: base addresses of platforms on hosts other than this one.",
  }),
  perUser: configKey<boolean>({
    key: "group_sessions_per_user",
    kind: { type: "boolean" },
    default: true,
    help: "In a group each member has a conversation of their own.",
  }),
  perUserInThread: configKey<boolean>({
    key: "thread_sessions_per_user",
    kind: { type: "boolean" },
    default: false,
    help: "In a thread each member has a conversation of their own.",
  }),
  drain: configKey<number>({
    key: "agent.restart_drain_timeout",
    kind: { type: "number", min: 0 },
    default: 180,
    env: "AGENT_RESTART_DRAIN_TIMEOUT",
    help: "Longest wait for running turns of chats when the gateway stops, in seconds.",
  }),
  freshness: configKey<number>({
    key: "agent.gateway_auto_continue_freshness",
    kind: { type: "number", min: 0 },
    default: 3600,
    help: "A turn of a chat that was cut off goes on by itself when it is younger than this, in seconds; 0: always.",
  }),
  aliases: configKey<unknown>({
    key: "gateway.channel_aliases",
    kind: { type: "any" },
    default: undefined,
    help: "Names for targets of messages, e.g. {ops: msgt:-100123:4}.",
  }),
  webhookRoutes: configKey<unknown>({
    key: "webhooks.routes",
    kind: { type: "any" },
    default: undefined,
    help: "Routes that other systems may post to, by name; they win over subscriptions of the same name.",
  }),
  platforms: configKey<unknown>({
    key: "gateway.platforms",
    kind: { type: "any" },
    default: undefined,
    help: "Settings of platforms, by tag; platforms.<tag>, then <tag> at top level win over them.",
  }),
} as const;

const block = (key: string, help: string): ConfigKey<unknown> =>
  configKey<unknown>({ key, kind: { type: "any" }, default: undefined, help });

export const GATEWAY_KEYS: readonly ConfigKey<unknown>[] = [
  ...Object.values(GATEWAY),
  block("webhook", "Settings of the server of webhooks; the twin of WEBHOOK_PORT is webhook.port."),
  block("msgraph", "Settings of notifications of meetings; the twin of MSGRAPH_WEBHOOK_PORT is msgraph.webhook_port."),
  block("platforms", "Settings of platforms, by tag; the twin of MSGT_BOT_TOKEN is platforms.msgt.bot_token."),
  ...PLATFORM_TAGS.map((tag) =>
    block(tag, `Settings of ${tag}; they win over platforms.${tag}, variables of ${tag.toUpperCase()}_ over both.`),
  ),
];
