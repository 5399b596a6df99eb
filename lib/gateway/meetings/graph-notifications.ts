import { createHash } from "node:crypto";
import * as z from "zod";
import type { Log } from "../../base/log/log.js";
import { GRAPH_ORIGIN } from "../../contracts/board/platform-tag.js";
import { type HookReply, type HookRequest, type HookRoute, hookText } from "../../contracts/gateway/listen.js";
import { inNetworks } from "../../safety/net/networks.js";
import { jsonBody } from "../../safety/redact/json-body.js";
import { sameText } from "../../safety/redact/same-text.js";

/** A change of something that a subscription watches. */
export interface Notification {
  /** The same for every delivery of it. */
  readonly eventId: string;
  readonly subscription: string;
  readonly resource: string;
  readonly change: string;
}

/** What the graph says about a subscription itself. */
export interface LifecycleEvent {
  readonly subscription: string;
  /** `missed`: notifications may be lost. Others that the graph may invent are worked on like `reauthorizationRequired`. */
  readonly event: string;
}

export interface NotificationDeps {
  /** What the operator gave the subscriptions. */
  readonly clientState: () => string;
  /** Networks that may call; empty: everybody. */
  readonly cidrs: () => readonly string[];
  /** Store all of them in one commit; `busy`: none is stored. */
  readonly take: (found: readonly Notification[]) => Promise<"stored" | "busy">;
  /** The same for what is said about subscriptions. */
  readonly lifecycle: (events: readonly LifecycleEvent[]) => Promise<"stored" | "busy">;
  readonly log: Log;
}

/** Where notifications are posted. */
export const NOTIFICATIONS_PATH = "/msgraph/webhook";
const TOKEN_CHARS = 2048;
const ITEMS = 1000;

const Item = z.object({
  subscriptionId: z.string().min(1).max(200),
  clientState: z.string().max(1000).optional().catch(undefined),
  resource: z.string().max(2000).default(""),
  changeType: z.string().min(1).max(100).optional(),
  lifecycleEvent: z.string().min(1).max(100).optional(),
  resourceData: z
    .looseObject({
      id: z.string().max(500).optional().catch(undefined),
      "@odata.etag": z.string().max(500).optional().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
/** A change says of what, an event of a life says which. */
const Whole = Item.refine(
  ({ changeType, lifecycleEvent, resource }) =>
    lifecycleEvent !== undefined || (changeType !== undefined && resource !== ""),
);
const Body = z.object({ value: z.array(Whole).min(1).max(ITEMS) });

/** The routes by which the graph tells of changes (gateway part, 16.6.5). */
export function notificationRoutes(deps: NotificationDeps): readonly HookRoute[] {
  const run = (request: HookRequest) => answer(deps, request);
  return [
    { method: "GET", path: NOTIFICATIONS_PATH, run },
    { method: "POST", path: NOTIFICATIONS_PATH, run },
  ];
}

async function answer(deps: NotificationDeps, request: HookRequest): Promise<HookReply> {
  const networks = deps.cidrs();
  if (networks.length > 0 && !inNetworks(request.address, networks))
    return hookText(403, "calls from this address are not allowed");
  const token = request.query.get("validationToken");
  if (token !== null)
    return token.length <= TOKEN_CHARS ? hookText(200, token) : hookText(400, "the token is too long");
  if (request.method !== "POST") return hookText(400, "missing validationToken");
  const read = Body.safeParse(jsonBody(await request.read())?.json);
  if (!read.success) return hookText(400, "the body is not a list of notifications");
  const right = deps.clientState();
  // Every item is compared, whatever came of the others.
  const known = read.data.value.filter(({ clientState = "" }) => sameText(clientState, right) && right !== "");
  if (known.length < read.data.value.length)
    deps.log.warning("a notification has an unknown client state", { tag: GRAPH_ORIGIN, from: request.address });
  if (known.length === 0) return hookText(403, "wrong client state");
  const events = known.flatMap(({ subscriptionId: subscription, lifecycleEvent: event }) =>
    event === undefined ? [] : { subscription, event },
  );
  const changes = known.filter(({ lifecycleEvent }) => lifecycleEvent === undefined).map(notificationOf);
  const taken = [
    changes.length === 0 ? "stored" : await deps.take(changes),
    events.length === 0 ? "stored" : await deps.lifecycle(events),
  ];
  return taken.includes("busy") ? hookText(503, "busy", { "retry-after": "30" }) : { status: 202, none: true };
}

function notificationOf({
  subscriptionId,
  resource,
  changeType = "",
  resourceData,
}: z.infer<typeof Item>): Notification {
  const parts = [subscriptionId, resource, changeType, resourceData?.id ?? "", resourceData?.["@odata.etag"] ?? ""];
  const eventId = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return { eventId, subscription: subscriptionId, resource, change: changeType };
}
