import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Acceptance, Inbound, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import { type HookReply, type HookRequest, type HookRoute, hookText } from "../../../lib/contracts/gateway/listen.js";
import { jsonBody } from "../../../lib/safety/redact/json-body.js";
import { type Callers, speaksFor } from "./caller.js";
import { normaliseActivity, placeOf } from "./normalise.js";
import type { Places } from "./places.js";
import { isServiceAllowed, type MsgwSettings } from "./settings.js";
import { type Activity, ActivityShape } from "./wire.js";

export interface ReceiveDeps {
  readonly settings: MsgwSettings;
  readonly inlet: Inlet;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: without a client, only the development switch. */
  readonly callers: Callers | undefined;
  readonly places: Places;
  /** First connect ever: what is older waited at the platform. */
  readonly connectedAt: number;
}

const PATH = "/api/messages";
const LATER = { "retry-after": "30" };

/** The routes by which the platform tells what happened (gateway part, 16.6.1). */
export function receiveRoutes(deps: ReceiveDeps): readonly HookRoute[] {
  return [
    { method: "POST", path: PATH, run: (request) => receive(deps, request) },
    { method: "GET", path: PATH, run: async () => hookText(200, "") },
    { method: "GET", path: "/health", run: async () => hookText(200, "ok") },
  ];
}

async function receive(deps: ReceiveDeps, request: HookRequest): Promise<HookReply> {
  const { log, settings } = deps;
  const caller = await callerOf(deps, request);
  if (caller === "unsure") return hookText(503, "the caller cannot be checked now", LATER);
  if (caller === undefined) {
    log.warning("an activity comes without a valid token", { tag: "msgw", from: request.address });
    return hookText(401, "unauthorized", { "www-authenticate": "Bearer" });
  }
  const body = await request.read();
  const read = ActivityShape.safeParse(jsonBody(body)?.json);
  if (!read.success) return hookText(400, "the body is not an activity");
  const activity = read.data;
  if (caller !== "local" && !speaksFor(caller, activity)) {
    log.warning("the token of an activity is for another service", { tag: "msgw", from: request.address });
    return hookText(401, "unauthorized", { "www-authenticate": "Bearer" });
  }
  if (!isServiceAllowed(activity.serviceUrl, settings)) {
    log.warning("an activity names a service that is not allowed: MSGW_ALLOWED_SERVICE_HOSTS", {
      tag: "msgw",
      host: hostOf(activity),
    });
    return hookText(403, "this service is not allowed");
  }
  return answerTo(activity, await stored(deps, activity));
}

type Known = Exclude<Awaited<ReturnType<Callers["check"]>>, { readonly is: "stranger" | "unsure" }>;

/** Who calls. `local`: this machine, with the development switch. */
async function callerOf(
  { settings, callers, log }: ReceiveDeps,
  request: HookRequest,
): Promise<Known | "local" | "unsure" | undefined> {
  const header = request.header("authorization");
  if (header === undefined || callers === undefined)
    return settings.dev && isLocal(request.address) ? "local" : undefined;
  const caller = await callers.check(header, request.signal);
  if (caller.is === "trusted") return caller;
  log.warning("the token of a caller is not taken", { tag: "msgw", why: caller.why });
  return caller.is === "unsure" ? "unsure" : undefined;
}

const isLocal = (address: string): boolean => /^(?:127(?:\.\d+){3}|::1|::ffff:127(?:\.\d+){3})$/.test(address);

const hostOf = ({ serviceUrl }: Activity): string => (URL.canParse(serviceUrl) ? new URL(serviceUrl).host : "");

/** Where a conversation is goes into the same commit as its first event. */
async function stored(
  { settings, inlet, places, connectedAt }: ReceiveDeps,
  activity: Activity,
): Promise<Acceptance | "dropped"> {
  const event = normaliseActivity(activity, { settings, connectedAt });
  if (event === undefined) return "dropped";
  const { chatId } = placeOf(activity.conversation.id);
  const cursor = await places.moved(chatId, activity.serviceUrl);
  if (cursor === undefined) return inlet.accept(event);
  const batch = await inlet.acceptBatch([event] satisfies readonly Inbound[], cursor);
  if (batch.result === "busy") return "busy";
  places.note(chatId, activity.serviceUrl);
  return batch.events[0] ?? "busy";
}

/** What is confirmed is stored or will never be. An invoke has to be answered with what to show. */
function answerTo({ type, name }: Activity, result: Acceptance | "dropped"): HookReply {
  if (result === "busy") return hookText(503, "busy", LATER);
  if (type !== "invoke") return { status: 200, json: {} };
  const known = name === "adaptiveCard/action" && result !== "dropped";
  const said = known ? "✓" : "This is not known here.";
  return { status: 200, json: { statusCode: 200, type: "application/vnd.microsoft.activity.message", value: said } };
}
