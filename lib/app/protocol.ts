import * as z from "zod";
import type { Method } from "../backplane/methods.js";
import { LIMITS } from "../base/limits.js";
import type { CommandEntry } from "../commands/entry.js";
import { followSchema, unfollowSchema } from "../dashboard/live/rpc/follow.js";
import { BATCH_MAX } from "../dashboard/live/rpc/wire.js";
import { CLOSE } from "../http/web-socket.js";
import { eventFrame } from "../proto/protocol/define.js";
import type { MethodForm, ProtocolDocument } from "../proto/protocol/document.js";
import { EVENTS } from "../proto/protocol/events.js";
import { PROTOCOL } from "../proto/wire.js";
import type { App } from "./app.js";
import { listMethods } from "./methods.js";

/** Methods that a WebSocket of the dashboard does not pass on: they are for programs of this machine. */
const LOCAL_ONLY = /^(?:hello|run|run\..*|topics\..*)$/;

/** The protocol of this owner, from the schemas by which it checks requests, and those that its events are held to. */
export async function describeProtocol(app: App): Promise<ProtocolDocument> {
  const { COMMANDS } = await import("../commands/index.gen.js"); // the list of commands is there once the commands are
  const own = [...listMethods(app, COMMANDS)].filter(([name, method]) => method.workers !== true && !LOCAL_ONLY.test(name));
  const methods = await Promise.all(own.map(([name, method]) => methodForm(name, method, COMMANDS)));
  return {
    protocol: PROTOCOL,
    version: app.options.version,
    methods: [...methods, ...SUBSCRIPTIONS].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    event: schemaOf(eventFrame, "output"),
    events: EVENTS.map(({ name, durable, summary, data }) => ({ name, durable, summary, data: schemaOf(data, "output") })),
    limits: {
      message_bytes: LIMITS.messageBytes,
      open_requests: LIMITS.requestsPerClient,
      batch: BATCH_MAX,
      unsent_bytes: LIMITS.webUnsentBytes,
      key_seconds: LIMITS.requestKeyMs / 1000,
    },
    close_codes: {
      [CLOSE.goingAway]: "the listener closes; connect again",
      [CLOSE.notText]: "a message was not text",
      [CLOSE.policy]: "no valid ticket, logged out, or too many broken messages",
      1009: "a message was too large",
      [CLOSE.broken]: "internal error; see the log",
      [CLOSE.tryLater]: "too many clients, too slow a client, or the owner ended the connection; connect again later",
    },
  };
}

const SUBSCRIPTIONS: readonly MethodForm[] = [
  {
    name: "events.subscribe",
    access: "read",
    summary: "Follow topics. Answers `{sub, cursors}`.",
    params: schemaOf(followSchema, "input"),
  },
  { name: "events.unsubscribe", access: "read", summary: "End a subscription.", params: schemaOf(unfollowSchema, "input") },
];

async function methodForm(name: string, { access, params }: Method, entries: readonly CommandEntry[]): Promise<MethodForm> {
  const command = entries.find((one) => one.path.replaceAll(" ", ".") === name && one.surfaces.includes("rpc"));
  const known = command === undefined ? params : (await command.load()).params;
  return { name, access, ...(command === undefined ? {} : { summary: command.summary }), params: schemaOf(known, "input") };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Readonly<Record<string, unknown>> {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
