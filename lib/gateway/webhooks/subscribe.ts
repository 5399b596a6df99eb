import type { Store } from "../../../storage/store.js";
import { putSubscription, removeSubscription } from "../../../storage/tables/gateway/webhooks.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import { toIso } from "../../base/units.js";
import type { NewSubscription, ShownRoute } from "../../contracts/gateway/webhooks.js";
import { type FoundRoute, ROUTE_NAME, RouteShape, type Routes } from "./routes.js";

export interface SubscribeDeps {
  readonly store: Store;
  readonly routes: Routes;
  readonly clock: Clock;
  readonly ids: Ids;
  /** @returns the own names of the skills. @throws E_USAGE naming the unknown ones, with the closest names */
  readonly skills: (names: readonly string[]) => Promise<readonly string[]>;
  /** That a target can be delivered to. @throws AppError */
  readonly checkTarget: (deliver: string, extra: Readonly<Record<string, string>>) => Promise<void>;
}

/** Store a subscription. @returns its secret @throws E_INVALID, E_CONFLICT, what the target is not */
export async function subscribeWebhook(deps: SubscribeDeps, wanted: NewSubscription): Promise<string> {
  const { name, deliver, deliver_only: only, prompt = "" } = wanted;
  if (!ROUTE_NAME.test(name)) {
    throw new AppError("E_INVALID", `invalid webhook name ${JSON.stringify(name)}`, {
      hint: "use lowercase letters, digits, - and _, e.g. ci-builds",
    });
  }
  if (only && deliver === "log") {
    throw new AppError("E_USAGE", "--deliver-only requires a target: --deliver msgt, or another platform", { name });
  }
  if (only && prompt.trim() === "")
    throw new AppError("E_USAGE", "--deliver-only requires a --prompt: the text to send", { name });
  if (wanted.secret === "") throw new AppError("E_USAGE", "empty --secret: omit it to generate one", { name });
  await deps.checkTarget(deliver, wanted.deliver_extra);
  const secret = wanted.secret ?? deps.ids.token();
  const { events = [], description = "", deliver_extra } = wanted;
  const skills = await deps.skills(wanted.skills ?? []);
  const record = RouteShape.parse({
    prompt,
    events: [...events],
    description,
    skills: [...skills],
    deliver,
    deliver_extra,
    deliver_only: only,
    secret,
  });
  const row = { name, record: JSON.stringify(record), created_at: deps.clock.now() };
  if (!(await deps.store.write("webhook.subscribe", (tx) => putSubscription(tx, row, wanted.force)))) {
    throw new AppError("E_CONFLICT", `webhook ${name} already exists`, { name, hint: "--force replaces it" });
  }
  return secret;
}

/** @throws E_NOT_FOUND */
export async function unsubscribeWebhook(
  { store, routes }: Pick<SubscribeDeps, "store" | "routes">,
  name: string,
): Promise<void> {
  if (await store.write("webhook.remove", (tx) => removeSubscription(tx, name))) return;
  const configured = (await routes.find(name))?.source === "config";
  const hint = configured ? "it is defined in config.yaml, under webhooks.routes" : "agent webhook list lists webhooks";
  throw new AppError("E_NOT_FOUND", `no such subscription: ${name}`, { name, hint });
}

/** A route as people see it. @param base where the server is, or would be */
export function shownRoute({ route, source }: FoundRoute, base: string): ShownRoute {
  const { secret, created_at, ...rest } = route;
  return {
    ...rest,
    secret: secret === "" ? "" : `****${secret.length >= 16 ? secret.slice(-4) : ""}`,
    created_at: created_at === null ? null : toIso(created_at),
    source,
    url: `${base}/webhooks/${route.name}`,
  };
}
