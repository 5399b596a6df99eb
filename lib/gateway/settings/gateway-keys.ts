import { GRAPH_ORIGIN, PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { type ConfigKey, configKey } from "../../contracts/config/config.js";

export const GATEWAY = {
  backlog: configKey<"keep" | "drop">({
    key: "gateway.backlog",
    kind: { type: "choice", of: ["keep", "drop"] },
    default: "keep",
    help: "drop: discard messages that were waiting at a platform before its first connection.",
  }),
  backlogHours: configKey<number>({
    key: "gateway.backlog_max_age_hours",
    kind: { type: "number", min: 0 },
    default: 0,
    help: "Age in hours above which messages are not answered; each chat is notified once (0 = no limit).",
  }),
  resendUnknown: configKey<boolean>({
    key: "gateway.resend_unknown",
    kind: { type: "boolean" },
    default: false,
    help: "Send a message again if its delivery is unknown; it may then appear twice.",
  }),
  retryBase: configKey<number>({
    key: "gateway.retry_base_ms",
    kind: { type: "integer", min: 1 },
    default: 1000,
    help: "Delay before the second attempt to send in milliseconds, doubled each time.",
  }),
  outboxHours: configKey<number>({
    key: "gateway.outbox_max_age_hours",
    kind: { type: "number", min: 0.01 },
    default: 24,
    help: "Hours after which an unsent message is discarded.",
  }),
  inboxDays: configKey<number>({
    key: "gateway.inbox_retention_days",
    kind: { type: "integer", min: 8 },
    default: 30,
    help: "Days during which repeated deliveries of a message are recognized.",
  }),
  insecureBase: configKey<boolean>({
    key: "gateway.allow_insecure_api_base",
    kind: { type: "boolean" },
    default: false,
    help: "Allow http: base URLs of platforms on other hosts.",
  }),
  perUser: configKey<boolean>({
    key: "group_sessions_per_user",
    kind: { type: "boolean" },
    default: true,
    help: "Give each member of a group their own conversation.",
  }),
  perUserInThread: configKey<boolean>({
    key: "thread_sessions_per_user",
    kind: { type: "boolean" },
    default: false,
    help: "Give each member of a thread their own conversation.",
  }),
  drain: configKey<number>({
    key: "agent.restart_drain_timeout",
    kind: { type: "number", min: 0 },
    default: 180,
    env: "AGENT_RESTART_DRAIN_TIMEOUT",
    help: "Seconds to wait for running turns of chats when the gateway stops.",
  }),
  freshness: configKey<number>({
    key: "agent.gateway_auto_continue_freshness",
    kind: { type: "number", min: 0 },
    default: 3600,
    help: "Maximum age in seconds of an interrupted turn that is resumed (0 = no limit).",
  }),
  aliases: configKey<unknown>({
    key: "gateway.channel_aliases",
    kind: { type: "any" },
    default: undefined,
    help: "Aliases for message targets, e.g. {ops: msgt:-100123:4}.",
  }),
  webhookRoutes: configKey<unknown>({
    key: "webhooks.routes",
    kind: { type: "any" },
    default: undefined,
    help: "Webhook routes, by name; they take precedence over subscriptions of the same name.",
  }),
  platforms: configKey<unknown>({
    key: "gateway.platforms",
    kind: { type: "any" },
    default: undefined,
    help: "Settings of platforms, by tag; overridden by platforms.<tag> and by top-level <tag>.",
  }),
} as const;

const block = (key: string, help: string): ConfigKey<unknown> =>
  configKey<unknown>({ key, kind: { type: "any" }, default: undefined, help });

export const GATEWAY_KEYS: readonly ConfigKey<unknown>[] = [
  ...Object.values(GATEWAY),
  block("webhook", "Settings of the webhook server; WEBHOOK_PORT corresponds to webhook.port."),
  block(GRAPH_ORIGIN, "Settings of meeting notifications; MSGRAPH_WEBHOOK_PORT corresponds to msgraph.webhook_port."),
  block("platforms", "Settings of platforms, by tag; MSGT_BOT_TOKEN corresponds to platforms.msgt.bot_token."),
  ...PLATFORM_TAGS.map((tag) =>
    block(
      tag,
      `Settings of ${tag}; they override platforms.${tag}, and variables ${tag.toUpperCase()}_* override both.`,
    ),
  ),
];
