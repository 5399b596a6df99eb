import { autocommit } from "../../../storage/alone.js";
import type { Query, Store } from "../../../storage/store.js";
import { sendsNotSent } from "../../../storage/tables/gateway/outbox.js";
import { AppError } from "../../base/errors.js";
import type { GatewayApi } from "../../contracts/gateway/api.js";
import type { GatewayEnd } from "../../contracts/gateway/life.js";
import { createPairing, type Pairing } from "../../gateway/admission/pairing.js";
import type { GatewayHost } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { roleOf } from "../../gateway/lifecycle/owner-role.js";
import { createOutbox, type Outbox } from "../../gateway/outbox/outbox.js";
import { rulesOf } from "../../gateway/settings/configured-rules.js";
import { meetingMethods } from "../meetings/meetings-api.js";
import { hasState } from "../stores/has-state.js";
import { conversationMethods } from "./conversations-api.js";
import type { GatewayApp } from "./gateway-app.js";
import { readGatewayStatus, toOutboxEntry } from "./gateway-status.js";
import { webhookMethods } from "./webhooks-api.js";

const LISTED = 500;

/** The gateway as commands use it. What it tells of messages is read from the store, also where no gateway runs. */
export function createGatewayApi(
  app: GatewayApp,
  host: GatewayHost,
  requestStop: (end: GatewayEnd) => void,
): GatewayApi {
  const { options, stores } = app;
  const there = async (): Promise<Store | undefined> =>
    options.kind === "readonly" && !hasState(options.home) ? undefined : stores.state();
  const outbox = async (): Promise<Outbox> =>
    host.built()?.gateway.outbox ?? createOutbox({ ...options, store: await stores.state(), rules: rulesOf(options) });
  const pairing = async (): Promise<Pairing> => createPairing({ ...options, store: await stores.state() });
  const supervisor = () => {
    const built = host.built();
    if (built === undefined) throw noGateway();
    return built.gateway.supervisor;
  };
  const messages = async () => (await app.couriers()).messages;
  return {
    send: async (message, signal) => (await messages()).send(message, signal),
    targets: async () => (await messages()).targets(),
    react: async (reaction, signal) => (await messages()).react(reaction, signal),
    ...webhookMethods(app, host),
    ...meetingMethods(app),
    ...conversationMethods(there, app.chat),
    handoff: async (session, platform) => {
      const built = host.built();
      if (built === undefined) throw noGateway();
      return built.handoff.handoff(session, platform);
    },
    pairings: async () =>
      (await there()) === undefined ? { paired: [], pending: [], locked: [] } : (await pairing()).pairings(),
    approvePairing: async (platform, code) => (await pairing()).approvePairing(platform, code),
    revokePairing: async (platform, user) => (await pairing()).revokePairing(platform, user),
    clearPending: async () => (await pairing()).clearPending(),
    status: async () => readGatewayStatus(app, host, await there()),
    adapters: async () => host.statuses(),
    outbox: async (filter) => {
      const store = await there();
      const list = (q: Query) => sendsNotSent(q, filter, LISTED);
      const rows =
        store === undefined ? [] : await (options.kind === "readonly" ? store.read(list) : list(autocommit(store)));
      return rows.map((row) => toOutboxEntry(row, options.clock.now()));
    },
    topic: async (origin, words, signal) =>
      (await host.built()?.topics.command(origin, words, signal)) ??
      "Topics are available in direct chats of a running gateway.",
    retry: async (id) => {
      await (await outbox()).retry(id);
      return { id };
    },
    drop: async (id) => {
      await (await outbox()).drop(id);
      return { id };
    },
    end: async (end) => {
      const yields = end.why === "handover"; // the home itself is wanted
      if (host.state() === "stopped" && !yields) return undefined;
      const stays = options.workspace === true;
      if (stays && !yields) await host.stop(end);
      else requestStop(end);
      return {
        pid: process.pid,
        start: options.spawner.identify(process.pid)?.start ?? "",
        role: roleOf(options),
        stays,
      };
    },
    begin: async () => {
      if (options.kind !== "long" || options.listens === true || options.reserved === true)
        throw new AppError("E_STATE", `process ${process.pid} only runs a command, not the gateway`, {
          pid: process.pid,
        });
      await host.begin();
      return { pid: process.pid };
    },
    restart: (asker) => host.restart(asker),
    pause: async (tag) => supervisor().pause(tag),
    resume: async (tag) => supervisor().resume(tag),
  };
}

const noGateway = (): AppError =>
  new AppError("E_STATE", "no gateway is running in this process", { hint: "agent gateway start starts it" });
