import { createHmac } from "node:crypto";
import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Inlet } from "../../../lib/contracts/board/platform-tag.js";
import { type HookReply, type HookRequest, type HookRoute, hookText } from "../../../lib/contracts/gateway/listen.js";
import { jsonBody } from "../../../lib/safety/redact/json-body.js";
import { sameText } from "../../../lib/safety/redact/same-text.js";
import { normaliseEvent } from "./normalise.js";
import type { MsglSettings } from "./settings.js";
import { BodyShape, EventShape } from "./wire.js";

/** Ids of events that were taken lately, in front of the durable key. */
const REMEMBERED = 1000;
/** The platform sends up to 100 events in one body. */
const EVENTS = 1000;

export interface ReceiveDeps {
  readonly settings: MsglSettings;
  readonly inlet: Pick<Inlet, "accept">;
  readonly clock: Clock;
  readonly log: Log;
  readonly me: string;
  /** First connect ever: what is older waited at the platform. */
  readonly connectedAt: number;
}

/** The routes by which the platform tells what happened. Events are confirmed when all of a body are stored. */
export function receiveRoutes(deps: ReceiveDeps): readonly HookRoute[] {
  const seen = new Set<string>();
  const { webhookPath } = deps.settings;
  return [
    { method: "POST", path: webhookPath, run: (request) => receive(deps, seen, request) },
    {
      method: "GET",
      path: `${webhookPath}/health`,
      run: async () => ({ status: 200, json: { status: "ok", platform: "msgl" } }),
    },
  ];
}

async function receive(deps: ReceiveDeps, seen: Set<string>, request: HookRequest): Promise<HookReply> {
  const body = await request.read();
  if (!isSigned(body, request.header("x-line-signature"), deps.settings)) {
    deps.log.warning("a webhook is not signed by the channel", { tag: "msgl", from: request.address });
    return hookText(401, "invalid signature");
  }
  const parsed = BodyShape.safeParse(jsonBody(body)?.json).data;
  if (parsed === undefined || parsed.events.length > EVENTS) return hookText(400, "the body is not a list of events");
  for (const one of parsed.events) {
    if (!(await take(deps, seen, one))) return hookText(503, "busy", { "retry-after": "30" });
  }
  return hookText(200, "ok");
}

/** Compared in constant time. */
function isSigned(body: Buffer, signature: string | undefined, { secret }: Pick<MsglSettings, "secret">): boolean {
  const right = createHmac("sha256", secret.reveal()).update(body).digest("base64");
  return sameText(signature ?? "", right);
}

/** False: it could not be stored. */
async function take(
  { settings, me, clock, log, inlet, connectedAt }: ReceiveDeps,
  seen: Set<string>,
  given: unknown,
): Promise<boolean> {
  const wire = EventShape.safeParse(given).data;
  if (wire === undefined) {
    log.warning("an event of a webhook cannot be read", { tag: "msgl" });
    return true;
  }
  if (seen.has(wire.webhookEventId)) return true;
  const event = normaliseEvent(wire, { settings, me, now: clock.now() });
  if (event === undefined) {
    log.debug("an event that is not for us", { tag: "msgl", type: wire.type });
    return true;
  }
  const late = event.sentAt !== null && event.sentAt < connectedAt;
  const taken = await inlet.accept(late ? { ...event, backlog: true } : event);
  if (taken === "busy") return false;
  seen.add(wire.webhookEventId);
  for (const oldest of seen) {
    if (seen.size <= REMEMBERED) break;
    seen.delete(oldest);
  }
  return true;
}
