import * as z from "zod";
import type { GraphSubscription, SubscriptionPorts } from "../../../lib/contracts/gateway/meetings.js";
import { parseJsonText } from "../common/http.js";
import type { Graph, GraphAnswer } from "./graph.js";

const Shape = z.object({
  id: z.string().min(1),
  resource: z.string(),
  changeType: z.string().catch(""),
  notificationUrl: z.string().catch(""),
  expirationDateTime: z.string(),
});
const Page = z.object({
  value: z.array(z.unknown()).catch([]),
  "@odata.nextLink": z.string().optional().catch(undefined),
});
const PAGES = 20;

/** Subscriptions at the graph. `clientState`: what its notifications have to bear; read at every use. */
export function graphSubscriptions(graph: () => Graph, clientState: () => string): SubscriptionPorts {
  return {
    create: async ({ resource, changeType, url, expiresAt }, signal) => {
      const json = {
        changeType,
        resource,
        notificationUrl: url,
        lifecycleNotificationUrl: url,
        clientState: clientState(),
        expirationDateTime: new Date(expiresAt).toISOString(),
      };
      return must(await graph().call({ method: "POST", path: "subscriptions", json }, signal));
    },
    renew: async (id, until, signal) => {
      const json = { expirationDateTime: new Date(until).toISOString() };
      const answer = await graph().call({ method: "PATCH", path: pathOf(id), json }, signal);
      return isGone(answer) ? "gone" : must(answer).expiresAt;
    },
    remove: async (id, signal) => {
      const answer = await graph().call({ method: "DELETE", path: pathOf(id) }, signal);
      if (isGone(answer)) return "gone";
      if (!answer.ok) throw new Error(answer.seen.error);
      return "removed";
    },
    all: async (signal) => {
      const found: GraphSubscription[] = [];
      let path: string | undefined = "subscriptions";
      for (let page = 0; path !== undefined && page < PAGES; page++) {
        const answer: GraphAnswer = await graph().call({ method: "GET", path }, signal);
        if (!answer.ok) throw new Error(answer.seen.error);
        const read: z.infer<typeof Page> | undefined = Page.safeParse(parseJsonText(answer.text)).data;
        found.push(...(read?.value ?? []).flatMap((one) => heldOf(one) ?? []));
        path = read?.["@odata.nextLink"];
      }
      return found;
    },
  };
}

const pathOf = (id: string) => `subscriptions/${encodeURIComponent(id)}`;

const isGone = (answer: GraphAnswer): boolean =>
  !answer.ok && answer.seen.saw === "answer" && (answer.seen.status === 404 || answer.seen.status === 410);

function heldOf(thing: unknown): GraphSubscription | undefined {
  const read = Shape.safeParse(thing).data;
  const expiresAt = Date.parse(read?.expirationDateTime ?? "");
  if (read === undefined || Number.isNaN(expiresAt)) return undefined;
  return { id: read.id, resource: read.resource, changeType: read.changeType, url: read.notificationUrl, expiresAt };
}

function must(answer: GraphAnswer): GraphSubscription {
  if (!answer.ok) throw new Error(answer.seen.error);
  const held = heldOf(parseJsonText(answer.text));
  if (held === undefined) throw new Error("the graph's response is not a subscription");
  return held;
}
