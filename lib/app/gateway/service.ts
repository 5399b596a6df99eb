import { once } from "../../base/lazy.js";
import type { EpochMs } from "../../base/units.js";
import { GATEWAY } from "../../gateway/keys.js";
import type { GatewayState } from "../../proto/gateway-api.js";
import type { AdapterStatus } from "../../proto/gateway-platform.js";
import type { App } from "../app.js";
import { enabledPlatforms } from "./enabled.js";
import type { BuiltGateway, GatewayHost } from "./life.js";

/** A screen that its user closes does not wait long. */
const SCREEN_DRAIN_MS = 5_000;
const STOP_MS = 5_000;

/** The gateway of an app. Nothing is read or loaded before it starts, and nothing of a platform that is not enabled ever. */
export function createGatewayHost(app: App): GatewayHost {
  let state: GatewayState = "stopped";
  let startedAt: EpochMs | undefined;
  let live: BuiltGateway | undefined;
  let detach: () => void = () => undefined;
  let problems: readonly string[] = [];
  const build = async () => {
    const { options, stores, chat } = app;
    const enabled = enabledPlatforms(options);
    problems = enabled.problems;
    for (const problem of problems) options.log.error("a platform is not connected", { problem });
    if (enabled.entries.length === 0) options.log.warning("no platform is set up: nothing comes in from chats");
    const { buildGateway } = await import("./build.js");
    const { COMMANDS } = await import("../../commands/index.gen.js");
    const { services } = await import("../run.js");
    const commands = { services: services(app), entries: COMMANDS };
    return buildGateway({
      app: { options, chat, stores },
      store: await stores.state(),
      entries: enabled.entries,
      commands,
      seen: (await app.couriers()).seen,
    });
  };
  const statuses = () => live?.gateway.supervisor.statuses() ?? [];
  const stopped = once(async () => {
    const { options } = app;
    const { log, config, workspace } = options;
    state = "draining";
    if (live !== undefined) {
      const limit = workspace === true ? SCREEN_DRAIN_MS : config.get(GATEWAY.drain) * 1000;
      if (!(await live.gateway.drain(limit))) log.warning("turns of chats are cut off; they go on with the next start");
      await live.topics.watch.stop(STOP_MS);
      await live.router.stop(STOP_MS);
      await live.gateway.service.stop(STOP_MS);
      detach();
    }
    live = undefined;
    state = "stopped";
  });
  return {
    start: async () => {
      const { options } = app;
      if (options.kind !== "long" || options.listens === true || options.reserved === true) return;
      if (options.workspace === true && !options.config.get(GATEWAY.inWorkspace)) return;
      state = "starting";
      live = await build();
      startedAt = options.clock.now();
      await live.prepare();
      detach = (await app.couriers()).attach(live);
      await live.gateway.service.start();
      await live.router.start();
      await live.topics.watch.start();
      state = "running";
    },
    stop: async () => {
      if (state !== "stopped") await stopped();
    },
    state: () => (state === "running" && isDegraded(statuses()) ? "degraded" : state),
    startedAt: () => startedAt,
    statuses,
    problems: () => problems,
    built: () => live,
  };
}

const isDegraded = (all: readonly AdapterStatus[]): boolean => all.length > 0 && all.every((one) => one.state !== "connected");
