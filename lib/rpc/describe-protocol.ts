import type * as z from "zod";
import type { Method } from "../backplane/methods.js";
import { LIMITS } from "../base/limits.js";
import type { CommandEntry } from "../commands/entry.js";
import type { JsonSchema, MethodForm, ProtocolDocument } from "../contracts/owner/protocol-document.js";
import { eventFrame } from "../contracts/wire/protocol/define.js";
import { EVENTS } from "../contracts/wire/protocol/events.js";
import { RESULTS } from "../contracts/wire/protocol/results.js";
import { SUMMARIES } from "../contracts/wire/protocol/summaries.js";
import { PROTOCOL } from "../contracts/wire/wire.js";
import { followSchema, unfollowSchema } from "../dashboard/live/rpc/follow.js";
import { BATCH_MAX } from "../dashboard/live/rpc/wire.js";
import { createSchemas, type Schemas } from "../http/json-schema.js";
import { CLOSE_CODES } from "../http/web-socket.js";
import type { OwnerServices } from "./commands/owner-services.js";
import { listMethods } from "./owner-methods.js";

/** Methods that a WebSocket of the dashboard does not pass on: they are for programs of this machine. */
const LOCAL_ONLY = /^(?:hello|run|run\..*|topics\..*)$/;

/** The protocol of this owner, from the schemas by which it checks requests, and those that its events are held to. */
export async function describeProtocol(app: OwnerServices): Promise<ProtocolDocument> {
  const schemas = createSchemas({}, "#/schemas/");
  const { COMMANDS } = await import("../commands/index.gen.js"); // the list of commands is there once the commands are
  const own = [...listMethods(app, COMMANDS)].filter(
    ([name, method]) => method.workers !== true && !LOCAL_ONLY.test(name),
  );
  const methods = await Promise.all(
    own.map(([name, method]) => methodForm(name, method, { entries: COMMANDS, schemas })),
  );
  return {
    protocol: PROTOCOL,
    version: app.options.version,
    methods: [...methods, ...subscriptions(schemas)].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    event: schemas.of(eventFrame, "output", "event"),
    events: EVENTS.map(({ name, durable, summary, data }) => ({
      name,
      durable,
      summary,
      data: schemas.of(data, "output", name),
    })),
    schemas: schemas.shared,
    limits: {
      message_bytes: LIMITS.messageBytes,
      open_requests: LIMITS.requestsPerClient,
      batch: BATCH_MAX,
      unsent_bytes: LIMITS.webUnsentBytes,
      key_seconds: LIMITS.requestKeyMs / 1000,
    },
    close_codes: {
      [CLOSE_CODES.goingAway]: "the listener is closing; reconnect",
      [CLOSE_CODES.notText]: "a message was not text",
      [CLOSE_CODES.policy]: "invalid ticket, logged out, or too many invalid messages",
      1009: "a message was too large",
      [CLOSE_CODES.broken]: "internal error; see the log",
      [CLOSE_CODES.tryLater]: "too many clients, client too slow, or disconnected by the owner; reconnect later",
    },
  };
}

const subscriptions = (schemas: Schemas): readonly MethodForm[] => [
  {
    name: "events.subscribe",
    access: "read",
    summary: "Subscribe to topics.",
    params: schemas.of(followSchema, "input", "events.subscribe"),
    result: resultOf("events.subscribe", schemas),
  },
  {
    name: "events.unsubscribe",
    access: "read",
    summary: "End a subscription.",
    params: schemas.of(unfollowSchema, "input", "events.unsubscribe"),
    result: resultOf("events.unsubscribe", schemas),
  },
];

interface Around {
  readonly entries: readonly CommandEntry[];
  readonly schemas: Schemas;
}

async function methodForm(name: string, { access, params }: Method, { entries, schemas }: Around): Promise<MethodForm> {
  const command = entries.find((one) => one.path.replaceAll(" ", ".") === name && one.surfaces.includes("rpc"));
  const definition = await command?.load();
  const described = {
    params: schemas.of(definition?.params ?? params, "input", name),
    result: resultOf(name, schemas, definition?.result),
  };
  const summary = command?.summary ?? SUMMARIES[name];
  return { name, access, ...(summary === undefined ? {} : { summary }), ...described };
}

/** `{}` describes any value: a test of the document finds the method that has no schema. */
function resultOf(name: string, schemas: Schemas, own?: z.ZodType): JsonSchema {
  const result = own ?? RESULTS.get(name);
  return result === undefined ? {} : schemas.of(result, "output", `${name}_result`);
}
