import { createHash } from "node:crypto";
import type { Store } from "../../../storage/store.js";
import { claimDelivery, type DeliveryRow, setDelivery } from "../../../storage/tables/gateway/webhooks.js";
import { toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inbound, Inlet } from "../../contracts/board/platform-tag.js";
import type { HookReply, HookRequest } from "../../contracts/gateway/listen.js";
import type { WebhookRoute } from "../../contracts/gateway/webhooks.js";
import { deliverNow, type NowDeps } from "./deliver-now.js";
import { deliveryId, eventName, type Payload, payloadOf } from "./payload.js";
import type { Routes } from "./routes.js";
import { isSignedBy } from "./signature.js";
import { fill, renderWebhookPrompt } from "./template.js";
import { type Delivering, WEBHOOK_ACCOUNT } from "./webhook-target.js";

const WINDOW_MS: Ms = 60_000;

/** Counts requests of routes within the last minute. @returns undefined: there is room and it is counted; else seconds to wait */
function createRate(clock: Pick<Clock, "mono">): (route: string, limit: number) => number | undefined {
  const seen = new Map<string, number[]>();
  return (route, limit) => {
    const now = clock.mono();
    const recent = (seen.get(route) ?? []).filter((at) => now - at < WINDOW_MS);
    seen.set(route, recent);
    if (recent.length < limit) {
      recent.push(now);
      return undefined;
    }
    return Math.max(1, Math.ceil(((recent[0] ?? now) + WINDOW_MS - now) / 1000));
  };
}

/** How long the same id is the same delivery. */
const SAME_MS: Ms = 3_600_000;
const ID_CHARS = 200;
/** A secret that needs no signature, on loopback alone. */
export const NO_AUTH = "INSECURE_NO_AUTH";

export interface ReceiveDeps extends NowDeps {
  readonly store: Store;
  readonly routes: Pick<Routes, "find">;
  readonly inlet: Pick<Inlet, "accept">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Bound to this machine alone. */
  readonly loopback: () => boolean;
  /** Where a route delivers, its extras filled. @throws AppError when the target cannot be found */
  readonly delivering: (deliver: string, extra: Readonly<Record<string, string>>) => Promise<Delivering>;
}

/** Answers `POST /webhooks/<route>` (gateway part, 18.3). The order of the checks is part of the promise. */
export function createReceive(deps: ReceiveDeps): (request: HookRequest) => Promise<HookReply> {
  const rate = createRate(deps.clock);
  const running = new Set<string>();
  return async (request) => {
    const found = await deps.routes.find(request.params["route"] ?? "");
    if (found === undefined) return toHookError(404, "no such route");
    const { route } = found;
    if (!route.enabled) return toHookError(403, "this route is disabled");
    const body = await request.read(route.max_body_bytes);
    const open = route.secret === NO_AUTH && deps.loopback();
    if (route.secret === "" || (route.secret === NO_AUTH && !open))
      return toHookError(403, "this route does not have a secret");
    if (!open && !isSignedBy(route.secret, request.header, body, deps.clock.now())) {
      deps.log.warning("unsigned request", { route: route.name, from: request.address });
      return toHookError(401, "missing or wrong signature");
    }
    const wait = rate(route.name, route.rate_limit);
    if (wait !== undefined)
      return { ...toHookError(429, "too many requests"), headers: { "retry-after": String(wait) } };
    const payload = payloadOf(body, request.header("content-type"));
    if (payload === undefined) return toHookError(400, "the body is neither a JSON object nor a form");
    const event = eventName(request.header, payload);
    if (route.events.length > 0 && !route.events.includes(event))
      return { status: 200, json: { status: "ignored", event } };
    return take({ ...deps, running }, route, { payload, event, id: idOf(deps, request) });
  };
}

/** Every error of this listener. */
export const toHookError = (status: number, error: string): HookReply => ({ status, json: { status: "error", error } });

function idOf({ ids }: ReceiveDeps, { header }: HookRequest): string {
  const given = deliveryId(header);
  if (given === undefined) return ids.hex(16);
  return given.length <= ID_CHARS && given.isWellFormed() ? given : createHash("sha256").update(given).digest("hex");
}

interface Came {
  readonly payload: Payload;
  readonly event: string;
  readonly id: string;
}

async function take(
  deps: ReceiveDeps & { readonly running: Set<string> },
  route: WebhookRoute,
  came: Came,
): Promise<HookReply> {
  const { store, clock, log } = deps;
  const now = clock.now();
  const { id } = came;
  let delivery: DeliveryRow;
  try {
    delivery = await store.write("webhook.claim", (tx) =>
      claimDelivery(tx, { route: route.name, id, now, since: now - SAME_MS }),
    );
  } catch (error) {
    log.error("cannot confirm a delivery: the store cannot be written", {
      route: route.name,
      error: toAppError(error).message,
    });
    return busy();
  }
  if (delivery.state === "finished") return { status: 200, json: { status: "duplicate", delivery_id: id } };
  const extra = Object.fromEntries(
    Object.entries(route.deliver_extra).map(([key, value]) => [key, fill(value, came.payload)]),
  );
  let where: Delivering;
  try {
    where = await deps.delivering(route.deliver, extra);
  } catch (error) {
    log.error("cannot report a delivery", { route: route.name, error: toAppError(error).message });
    if (route.deliver_only)
      return { status: 502, json: { status: "error", error: "Delivery failed", delivery_id: id } };
    where = { to: "log" };
  }
  if (route.deliver_only)
    return alone(deps, delivery, () =>
      deliverNow(deps, { route, delivery, where, text: fill(route.prompt, came.payload) }),
    );
  return begin(deps, { route, delivery, where }, came);
}

/** A repetition while the first time is still being worked on changes nothing. */
async function alone(
  { running }: { readonly running: Set<string> },
  { route, delivery_id: id }: DeliveryRow,
  work: () => Promise<HookReply>,
) {
  const key = JSON.stringify([route, id]);
  if (running.has(key)) return { status: 409, json: { status: "in_progress" } };
  running.add(key);
  try {
    return await work();
  } finally {
    running.delete(key);
  }
}

const busy = (): HookReply => ({ ...toHookError(503, "busy"), headers: { "retry-after": "30" } });

interface Begun {
  readonly route: WebhookRoute;
  readonly delivery: DeliveryRow;
  readonly where: Delivering;
}

async function begin(
  deps: ReceiveDeps,
  { route, delivery, where }: Begun,
  { payload, event, id }: Came,
): Promise<HookReply> {
  const taken = await deps.inlet.accept(eventOf({ route, delivery, where }, { payload, event, id }));
  if (taken === "busy") return busy();
  if (taken === "refused") return toHookError(400, "the event was rejected");
  await deps.store.write("webhook.taken", (tx) => setDelivery(tx, delivery, "finished"));
  if (taken === "duplicate") return { status: 200, json: { status: "duplicate", delivery_id: id } };
  return { status: 202, json: { status: "accepted", route: route.name, event, delivery_id: id } };
}

function eventOf({ route, delivery, where }: Begun, { payload, event, id }: Came): Inbound {
  return {
    platform: "webhook",
    account: WEBHOOK_ACCOUNT,
    eventId: `${route.name}:${id}:${delivery.first_at}`,
    kind: "webhook",
    type: "text",
    text: renderWebhookPrompt(route, event, payload),
    source: {
      chatId: `webhook:${route.name}:${id}`,
      chatName: route.name,
      chatType: "webhook",
      userId: `webhook:${route.name}`,
      userIdAlt: null,
      userName: route.name,
      threadId: null,
      chatTopic: null,
      chatIdAlt: null,
      guildId: null,
      parentChatId: null,
      messageId: null,
    },
    media: [],
    replyToMessageId: null,
    replyToText: null,
    channelPrompt: null,
    skills: route.skills,
    internal: false,
    extra: { deliver: where, event, route: route.name },
    replyGrant: null,
    sentAt: null,
  };
}
