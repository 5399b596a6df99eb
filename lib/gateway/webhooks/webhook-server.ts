import type { Store } from "../../../storage/store.js";
import { pruneDeliveryIds } from "../../../storage/tables/gateway/webhooks.js";
import { defineService, type Service } from "../../base/async/service.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import type { Ms } from "../../base/units.js";
import type { HookListener, HookRoute, OpenHooks, SourceStatus } from "../../contracts/gateway/listen.js";
import type { AdapterFault } from "../../contracts/gateway/platform.js";
import { isPlatformEnabled, type PlatformSettings } from "../settings/platform-settings.js";
import { createReceive, type ReceiveDeps, toHookError } from "./receive.js";
import type { Routes } from "./routes.js";

const PORT = 8644;
/** How often it is looked whether the configuration wants a server, and how soon after one could not be opened. */
const LOOK_MS: Ms = 60_000;
const RETRY_MS: Ms = 30_000;
const FORGET_MS: Ms = 24 * 3_600_000;

export interface WebhookServerDeps extends Omit<ReceiveDeps, "loopback" | "routes"> {
  readonly store: Store;
  readonly routes: Routes;
  readonly hooks: OpenHooks;
  /** Variables `WEBHOOK_X`. */
  readonly settings: PlatformSettings;
}

/** The server of webhook subscriptions: it listens as long as it is switched on or there is a route. */
export interface WebhookServer {
  readonly service: Service;
  /** `http://host:port` where it can be asked from this machine; undefined while it does not listen. */
  url(): string | undefined;
  /** Undefined: it is not to listen. */
  status(): SourceStatus | undefined;
  /** What keeps it from listening, or is wrong with routes. */
  problems(): readonly string[];
  /** Look now: a subscription was made or removed. Resolves when it was looked. */
  refresh(): Promise<void>;
}

export function createWebhookServer(deps: WebhookServerDeps): WebhookServer {
  const { routes, settings, log, clock, store } = deps;
  const wakeup = createWakeup();
  let listener: HookListener | undefined;
  let fault: AdapterFault | undefined;
  let since = clock.now();
  const became = (now: AdapterFault | undefined) => {
    if (now !== undefined && now.message !== fault?.message)
      log.error("failed to start the webhook server", { error: now.message });
    if (now?.message !== fault?.message) since = clock.now();
    fault = now;
  };
  const receive = createReceive({ ...deps, loopback: () => isLoopback(listener?.host ?? "") });
  const served: readonly HookRoute[] = [
    { method: "POST", path: "/webhooks/:route", run: receive },
    { method: "GET", path: "/health", run: async () => ({ status: 200, json: { status: "ok" } }) },
  ];
  const look = async () => {
    try {
      if (!(await isWanted(deps))) {
        await listener?.close();
        listener = undefined;
        became(undefined);
      } else if (listener === undefined) {
        const place = { host: settings.text("HOST") ?? "0.0.0.0", port: settings.integer("PORT", PORT) };
        const opened = await deps.hooks({
          owner: "webhook",
          ...place,
          portSetting: "WEBHOOK_PORT",
          routes: served,
          problem: toHookError,
        });
        if ("close" in opened) {
          listener = opened;
          since = clock.now();
        }
        became("close" in opened ? undefined : opened);
      }
    } catch (error) {
      became({ code: "config_invalid", message: toAppError(error).message });
    }
  };
  let turn: Promise<void> = Promise.resolve();
  let stopped = true;
  const inTurn = () => {
    turn = turn.then(() => (stopped ? undefined : look()));
    return turn;
  };
  return {
    url: () => listener && `http://${isEvery(listener.host) ? `127.0.0.1:${listener.port}` : listener.address}`,
    status: () => (listener ?? fault) && { name: "webhook", listen: listener?.address, fault, since },
    problems: () => [...(fault === undefined ? [] : [`webhook: ${fault.message}`]), ...routes.problems()],
    refresh: inTurn,
    service: defineService("webhooks", async (scope) => {
      stopped = false;
      scope.onStop(async () => {
        stopped = true;
        await turn;
        await listener?.close();
        listener = undefined;
      });
      await inTurn();
      scope.loop(async () => {
        const cancel = clock.after(fault === undefined ? LOOK_MS : RETRY_MS, () => wakeup.notify());
        try {
          await wakeup.wait(scope.signal);
        } finally {
          cancel();
        }
        await inTurn();
        const before = clock.now() - FORGET_MS;
        await store.write("webhook.prune", (tx) => pruneDeliveryIds(tx, before));
      });
    }),
  };
}

/** Where there is a route it listens, unless it is switched off. */
async function isWanted({ routes, settings }: WebhookServerDeps): Promise<boolean> {
  const all = await routes.list();
  return all.length > 0 ? settings.flag("ENABLED", true) : isPlatformEnabled(settings, []);
}

const isEvery = (host: string): boolean => host === "0.0.0.0" || host === "::";
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
