import * as z from "zod";
import type { Store } from "../../../storage/store.js";
import { subscription, subscriptions } from "../../../storage/tables/gateway/webhooks.js";
import { HOOK_BODY_BYTES } from "../../contracts/gateway/listen.js";
import type { WebhookRoute } from "../../contracts/gateway/webhooks.js";

/** Form of the name of a route. */
export const ROUTE_NAME = /^[a-z0-9][a-z0-9_-]*$/;

const Text = z.union([z.string(), z.number()]).transform(String);
const Names = z.union([z.array(Text), z.string().transform((text) => text.split(",").map((one) => one.trim()))]);

/** A route as it is written; what is left out has its default. */
export const RouteShape = z.object({
  description: z.string().default(""),
  events: Names.transform((names) => names.filter((name) => name !== "")).default([]),
  secret: Text.default(""),
  prompt: z.string().default(""),
  skills: Names.transform((names) => names.filter((name) => name !== "")).default([]),
  deliver: z.string().default("log"),
  deliver_extra: z.record(z.string(), Text).default({}),
  deliver_only: z.boolean().default(false),
  enabled: z.boolean().default(true),
  rate_limit: z.number().int().min(1).default(30),
  max_body_bytes: z.number().int().min(1).max(HOOK_BODY_BYTES).default(HOOK_BODY_BYTES),
});

export interface RoutesDeps {
  readonly store: Store;
  /** `webhooks.routes` of config.yaml. */
  readonly configured: () => unknown;
  /** `WEBHOOK_SECRET`. */
  readonly secret: () => string | undefined;
}

export interface FoundRoute {
  readonly route: WebhookRoute;
  readonly source: "config" | "subscription";
}

/** The routes of a home, read again for every request. */
export interface Routes {
  find(name: string): Promise<FoundRoute | undefined>;
  list(): Promise<readonly FoundRoute[]>;
  /** Routes of config.yaml that cannot be meant, one sentence each. */
  problems(): readonly string[];
}

export function createRoutes({ store, configured, secret }: RoutesDeps): Routes {
  const read = () => readConfigured(configured(), secret());
  return {
    find: async (name) => {
      const own = read().routes.get(name);
      if (own !== undefined) return { route: own, source: "config" };
      const row = await store.read((q) => subscription(q, name));
      return row === undefined ? undefined : { route: stored(row), source: "subscription" };
    },
    list: async () => {
      const { routes } = read();
      const rows = await store.read((q) => subscriptions(q));
      const subscribed = rows
        .filter(({ name }) => !routes.has(name))
        .map((row): FoundRoute => ({ route: stored(row), source: "subscription" }));
      const own = [...routes.values()].map((route): FoundRoute => ({ route, source: "config" }));
      return [...own, ...subscribed].sort((a, b) => (a.route.name < b.route.name ? -1 : 1));
    },
    problems: () => read().problems,
  };
}

/** Written by `subscribe` alone, so it is a route. */
function stored({
  name,
  record,
  created_at,
}: {
  readonly name: string;
  readonly record: string;
  readonly created_at: number;
}): WebhookRoute {
  return { ...RouteShape.parse(JSON.parse(record)), name, created_at };
}

function readConfigured(given: unknown, secret: string | undefined) {
  const routes = new Map<string, WebhookRoute>();
  const problems: string[] = [];
  const map = typeof given === "object" && given !== null && !Array.isArray(given) ? given : {};
  for (const [name, block] of Object.entries(map)) {
    const parsed = RouteShape.safeParse(block ?? {});
    if (!ROUTE_NAME.test(name))
      problems.push(`webhooks.routes.${name}: invalid name (use lowercase letters, digits, - and _)`);
    else if (!parsed.success) {
      const [issue] = parsed.error.issues;
      problems.push(
        `webhooks.routes.${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "cannot be read"}`,
      );
    } else routes.set(name, { ...parsed.data, secret: parsed.data.secret || (secret ?? ""), name, created_at: null });
  }
  return { routes, problems };
}
