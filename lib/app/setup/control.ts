import { systemClock } from "../../base/clock.js";
import { createDetection } from "../../models/detect.js";
import type { GatewayControl } from "../../proto/gateway-control.js";
import type { SetupControl } from "../../proto/setup.js";
import type { CommandLine } from "../command-line.js";
import { enabledPlatforms } from "../gateway/enabled.js";
import type { Host } from "../host.js";
import { createEndpoints } from "./endpoints.js";
import { manageFallback } from "./fallback.js";
import { keepAt, stepAt } from "./keep.js";
import { runSetup } from "./setup.js";

/** `agent setup` at the terminal of a command. */
export function createSetup({ line, host, gateways }: { line: CommandLine; host: Host; gateways: GatewayControl }): SetupControl {
  const { app, config } = host;
  const { net, clock, log } = app.options;
  const { caller, home } = line;
  const person = caller.canAsk ? { ask: caller.ask, say: (text: string) => caller.err(`${text}\n`), signal: caller.signal } : undefined;
  const kept = { home, version: line.version, reload: () => config.reload() };
  const deps = {
    ...{ config, person, path: home.config, now: () => systemClock.now() },
    env: (name: string) => config.env[name],
    keep: keepAt(kept, app.settings),
    endpoints: createEndpoints({ net, clock, log }, caller.signal),
    local: () => createDetection(net, clock).find(),
    listing: () => app.chat.toolList({ cwd: caller.cwd, env: caller.env, source: "cli" }),
    gateway: async () => (await gateways.setup({ tag: undefined, clientSecret: undefined })).lines,
    platforms: () => enabledPlatforms(app.options).entries.map(({ tag }) => tag),
  };
  const chain = { chain: () => app.modelsApi.chain(), offered: () => app.modelsApi.offered(false), change: stepAt(kept, app.modelsApi) };
  return {
    run: (options) => runSetup(deps, options),
    fallback: async () => (person === undefined ? undefined : manageFallback(person, chain)),
  };
}
