import { toAppError } from "../../base/errors.js";
import { systemClock } from "../../base/time/clock.js";
import type { CommandLine } from "../../cli/command-line.js";
import type { SetupControl } from "../../contracts/config/setup.js";
import type { GatewayControl } from "../../contracts/gateway/control.js";
import { createDetection } from "../../models/detect.js";
import { createEndpoints } from "../../setup/endpoints.js";
import { runSetup } from "../../setup/run-setup.js";
import { manageFallback } from "../../setup/setup-fallback.js";
import { keepAt, stepAt } from "../../setup/store-change.js";
import { enabledPlatforms } from "../gateway/enabled-platforms.js";
import type { Host } from "../owner-process.js";
import { manageAuth } from "../setup/auth.js";

/** Runs a command line. @returns exit code */
export type RunLine = (line: CommandLine) => Promise<number>;

interface SetupParts {
  readonly line: CommandLine;
  readonly host: Host;
  readonly gateways: GatewayControl;
  readonly run: RunLine;
}

/** Run another line at the same home and terminal, as if it had been typed. */
async function runAnother({ line, run }: SetupParts, argv: readonly string[]): Promise<void> {
  const { caller } = line;
  const entry = caller.entries.find(({ path }) => argv.slice(0, 2).join(" ") === path);
  await run({ ...line, argv, entry, line: undefined }).catch((error: unknown) =>
    caller.err(`${toAppError(error).message}\n`),
  );
}

/** `agent setup` at the terminal of a command. */
export function createSetup(parts: SetupParts): SetupControl {
  const { line, host, gateways } = parts;
  const { app, config } = host;
  const { net, clock, log } = app.options;
  const { caller, home } = line;
  const person = caller.canAsk
    ? { ask: caller.ask, say: (text: string) => caller.err(`${text}\n`), signal: caller.signal }
    : undefined;
  const kept = { home, version: line.version, reload: () => config.reload() };
  const deps = {
    config,
    person,
    path: home.config,
    now: () => systemClock.now(),
    env: (name: string) => config.env[name],
    keep: keepAt(kept, app.settings),
    endpoints: createEndpoints({ net, clock, log }, caller.signal),
    local: () => createDetection(net, clock).find(),
    listing: () => app.chat.toolList({ cwd: caller.cwd, env: caller.env, source: "cli" }),
    gateway: async () => (await gateways.setup({ tag: undefined, clientSecret: undefined })).lines,
    platforms: () => enabledPlatforms(app.options).entries.map(({ tag }) => tag),
  };
  const chain = {
    chain: () => app.modelsApi.chain(),
    offered: () => app.modelsApi.offered(false),
    change: stepAt(kept, app.modelsApi),
  };
  return {
    run: (options) => runSetup(deps, options),
    fallback: async () => (person === undefined ? undefined : manageFallback(person, chain)),
    auth: async () => {
      if (person === undefined) return false;
      await manageAuth(person, {
        auth: app.auth,
        now: () => systemClock.now(),
        run: (argv) => runAnother(parts, argv),
      });
      return true;
    },
  };
}
