import { createHmac } from "node:crypto";
import { AppError } from "../../base/errors.js";
import type { AppOptions } from "../../config/app-options.js";
import type { NewSubscription, WebhooksApi, WebhookTest } from "../../contracts/gateway/webhooks.js";
import { requireSkills } from "../../contracts/skills/find-skills.js";
import { workDirOf } from "../../gateway/conversations/work-dir.js";
import { findUnreachable } from "../../gateway/cron/job-delivery.js";
import type { GatewayHost } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { bookOf, checkTarget, deliversToChat, routesOf, targetText } from "../../gateway/webhooks/build-webhooks.js";
import { NO_AUTH } from "../../gateway/webhooks/receive.js";
import type { FoundRoute } from "../../gateway/webhooks/routes.js";
import {
  type SubscribeDeps,
  shownRoute,
  subscribeWebhook,
  unsubscribeWebhook,
} from "../../gateway/webhooks/subscribe.js";
import { hasState } from "../stores/has-state.js";
import type { GatewayApp } from "./gateway-app.js";

/** Subscriptions of a home as commands use them; a server that runs in this process takes a change at once. */
export function webhookMethods(
  { options, stores, couriers, skills }: GatewayApp,
  host: Pick<GatewayHost, "built">,
): WebhooksApi {
  const { clock, ids } = options;
  const parts = async (): Promise<SubscribeDeps> => {
    const store = await stores.state();
    const book = bookOf(options, store, host.built()?.gateway);
    return {
      store,
      clock,
      ids,
      routes: routesOf(options, store),
      skills: async (names) => {
        const place = { cwd: workDirOf(options), env: {}, platform: "webhook" };
        const found = await requireSkills(skills.catalog, names, { place, given: "--skills" });
        return found.map(({ name }) => name);
      },
      checkTarget: (deliver, extra) => checkTarget(book, deliver, extra),
    };
  };
  const base = () => host.built()?.webhooks.url() ?? placeOf(options);
  const mustFind = async (name: string): Promise<FoundRoute> => {
    const found = await (await parts()).routes.find(name);
    if (found !== undefined) return found;
    throw new AppError("E_NOT_FOUND", `no such webhook: ${name}`, {
      name,
      hint: "agent webhook list lists webhooks",
    });
  };
  const warningsOf = async ({ deliver, deliver_extra }: NewSubscription): Promise<readonly string[]> => {
    if (!deliversToChat(deliver)) return [];
    return findUnreachable((await couriers()).courier, { deliver: targetText(deliver, deliver_extra), origin: null });
  };
  return {
    subscribeWebhook: async (wanted) => {
      const secret = await subscribeWebhook(await parts(), wanted);
      const { webhooks } = host.built() ?? {};
      await webhooks?.refresh();
      const route = shownRoute(await mustFind(wanted.name), base());
      return { route, secret, listening: webhooks?.url() !== undefined, warnings: await warningsOf(wanted) };
    },
    webhooks: async () => {
      if (options.kind === "readonly" && !hasState(options.home)) return [];
      return (await (await parts()).routes.list()).map((one) => shownRoute(one, base()));
    },
    removeWebhook: async (name) => {
      await unsubscribeWebhook(await parts(), name);
      await host.built()?.webhooks.refresh();
      return { name };
    },
    testWebhook: async (name, how) => {
      const { route } = await mustFind(name);
      const server = host.built()?.webhooks.url();
      if (server === undefined) {
        throw new AppError("E_STATE", "the webhook server is not running", {
          hint: "agent gateway run starts it; agent gateway status shows problems",
        });
      }
      return ask({ options, url: `${server}/webhooks/${name}`, secret: route.secret }, how);
    },
  };
}

/** Where the server will be. */
function placeOf(options: AppOptions): string {
  const settings = platformSettings("webhook", settingsSource(options));
  const host = settings.text("HOST") ?? "0.0.0.0";
  return `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${settings.integer("PORT", 8644)}`;
}

interface Asking {
  readonly options: AppOptions;
  readonly url: string;
  readonly secret: string;
}

const ANSWER_BYTES = 64 << 10;
const TOTAL_MS = 30_000;

async function ask(
  { options, url, secret }: Asking,
  how: Parameters<WebhooksApi["testWebhook"]>[1],
): Promise<WebhookTest> {
  const body =
    how.payload ?? JSON.stringify({ event_type: how.event ?? "test", message: "test event of agent webhook test" });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-request-id": `test-${options.ids.hex(8)}`,
    ...(secret === NO_AUTH ? {} : { "x-webhook-signature": signature }),
    ...(how.event === undefined ? {} : { "x-github-event": how.event }),
  };
  const request = { method: "POST", purpose: "model", redirects: false, url, headers, body } as const;
  const response = await options.net.fetch({ ...request, totalMs: TOTAL_MS, maxBytes: ANSWER_BYTES });
  return { url, status: response.status, answer: await response.text(ANSWER_BYTES) };
}
