import { createHash } from "node:crypto";
import { isIP } from "node:net";
import * as z from "zod";
import type { Log } from "../../base/log.js";
import { type HookReply, type HookRequest, type HookRoute, hookText } from "../../proto/gateway-listen.js";
import { sameText } from "../../safety/same-text.js";

/** A change of something that a subscription watches. */
export interface Notification {
  /** The same for every delivery of it. */
  readonly eventId: string;
  readonly subscription: string;
  readonly resource: string;
  readonly change: string;
}

export interface NotificationDeps {
  /** What the operator gave the subscriptions. */
  readonly clientState: () => string;
  /** Networks that may call; empty: everybody. */
  readonly cidrs: () => readonly string[];
  /** Store all of them in one commit; `busy`: none is stored. */
  readonly take: (found: readonly Notification[]) => Promise<"stored" | "busy">;
  readonly log: Log;
}

const PATH = "/msgraph/webhook";
const TOKEN_CHARS = 2048;
const ITEMS = 1000;

const Item = z.object({
  subscriptionId: z.string().min(1).max(200),
  clientState: z.string().max(1000).optional().catch(undefined),
  resource: z.string().min(1).max(2000),
  changeType: z.string().min(1).max(100),
  resourceData: z
    .looseObject({ id: z.string().max(500).optional().catch(undefined), "@odata.etag": z.string().max(500).optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});
const Body = z.object({ value: z.array(Item).min(1).max(ITEMS) });

/** The routes by which the graph tells of changes (gateway part, 16.6.5). */
export function notificationRoutes(deps: NotificationDeps): readonly HookRoute[] {
  const run = (request: HookRequest) => answer(deps, request);
  return [
    { method: "GET", path: PATH, run },
    { method: "POST", path: PATH, run },
  ];
}

async function answer(deps: NotificationDeps, request: HookRequest): Promise<HookReply> {
  if (!mayCall(request.address, deps.cidrs())) return hookText(403, "this address may not call");
  const token = request.query.get("validationToken");
  if (token !== null) return token.length <= TOKEN_CHARS ? hookText(200, token) : hookText(400, "the token is too long");
  if (request.method !== "POST") return hookText(400, "validationToken is missing");
  const read = Body.safeParse(jsonOf(await request.read()));
  if (!read.success) return hookText(400, "the body is no list of notifications");
  const right = deps.clientState();
  // Every item is compared, whatever came of the others.
  const known = read.data.value.filter(({ clientState = "" }) => sameText(clientState, right) && right !== "");
  if (known.length < read.data.value.length)
    deps.log.warning("a notification has another client state", { tag: "msgraph", from: request.address });
  if (known.length === 0) return hookText(403, "the client state is wrong");
  const taken = await deps.take(known.map(notificationOf));
  return taken === "busy" ? hookText(503, "busy", { "retry-after": "30" }) : { status: 202, none: true };
}

function notificationOf({ subscriptionId, resource, changeType, resourceData }: z.infer<typeof Item>): Notification {
  const parts = [subscriptionId, resource, changeType, resourceData?.id ?? "", resourceData?.["@odata.etag"] ?? ""];
  const eventId = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return { eventId, subscription: subscriptionId, resource, change: changeType };
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined; // no JSON
  }
}

/** A network as its settings write it: `10.0.0.0/8`, or one address. */
export const isNetwork = (text: string): boolean => networkOf(text) !== undefined;

interface Network {
  readonly bytes: readonly number[];
  readonly bits: number;
}

function networkOf(text: string): Network | undefined {
  const [address = "", length, ...more] = text.trim().split("/");
  const bytes = bytesOf(address);
  if (bytes === undefined || more.length > 0) return undefined;
  const bits = length === undefined ? bytes.length * 8 : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits >= 0 && bits <= bytes.length * 8 ? { bytes, bits } : undefined;
}

/** An address of the older form in the newer one is that of the older. */
function bytesOf(given: string): readonly number[] | undefined {
  const address = given.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIP(address) === 4) return address.split(".").map(Number);
  if (isIP(address) !== 6) return undefined;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = (part: string | undefined) =>
    part === undefined || part === "" ? [] : part.split(":").map((one) => Number.parseInt(one, 16));
  const [left, right] = [groups(head), groups(tail)];
  const whole = tail === undefined ? left : [...left, ...Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
  return whole.flatMap((group) => [group >> 8, group & 255]);
}

function mayCall(address: string, cidrs: readonly string[]): boolean {
  if (cidrs.length === 0) return true;
  const bytes = bytesOf(address);
  return cidrs.some((one) => {
    const network = networkOf(one);
    return bytes !== undefined && network !== undefined && within(bytes, network);
  });
}

function within(bytes: readonly number[], network: Network): boolean {
  if (bytes.length !== network.bytes.length) return false;
  return network.bytes.every((byte, at) => {
    const left = Math.min(8, Math.max(0, network.bits - at * 8));
    const mask = (0xff << (8 - left)) & 0xff;
    return (byte & mask) === ((bytes[at] ?? 0) & mask);
  });
}
