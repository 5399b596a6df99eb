import { refuseNetworkFilesystem } from "../../storage/lock.js";
import type { Closing } from "../../storage/store.js";
import type { Ownership } from "../backplane/elect.js";
import type { Backplane } from "../backplane/server.js";
import { type Once, once } from "../base/async/lazy.js";
import { type AppError, exitCodeOf } from "../base/errors.js";
import { checkHome } from "../base/fs/directory.js";
import { realDisk } from "../base/fs/disk.js";
import { correctModes } from "../base/fs/home-files.js";
import type { Home } from "../base/home.js";
import { randomIds } from "../base/ids.js";
import { createLog, type Log, lateLog } from "../base/log/log.js";
import { createLogLines } from "../base/log/log-lines.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { systemClock } from "../base/time/clock.js";
import { ignoresConfig } from "../commands/globals.js";
import type { AppKind, AppOptions } from "../config/app-options.js";
import { type ConfigOptions, type LoadedConfig, loadConfig } from "../config/load-config.js";
import { ALLOW_NETWORK_FS, LOG_BACKUPS, LOG_LEVEL, LOG_SIZE } from "../config/owner-keys.js";
import { PLATFORM_TAGS } from "../contracts/board/platform-tag.js";
import { acceptsHooks, isSafeMode, SAFE_MODE_VARIABLE } from "../contracts/config/safe-mode.js";
import type { AskHooks } from "../contracts/gateway/hooks.js";
import type { GatewayEnd } from "../contracts/gateway/life.js";
import { createHookBus } from "../hooks/hook-bus.js";
import { HOOK_TIMEOUT, HOOKS_AUTO_ACCEPT } from "../hooks/keys.js";
import { openShellHooks } from "../hooks/shell/shell-hooks.js";
import { createCages } from "../safety/cage/cages.js";
import { ALLOW_PRIVATE, FAKE_IP_RANGES, TRUST_PROXY } from "../safety/config/keys.js";
import { envProxy } from "../safety/net/env-proxy.js";
import { createNet } from "../safety/net/net.js";
import type { ToolSource } from "../tools/core/tool-source.js";
import { ALL_KEYS } from "./all-keys.gen.js";
import { type App, createApp } from "./app.js";

export interface HostOptions {
  readonly home: Home;
  readonly kind: AppKind;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when the owner is asked to stop, or the disk broke a promise; with how its gateway is to end, where that was asked for. */
  readonly onStop?: (end?: GatewayEnd) => void;
  /** Options of the command line; those about settings hold for as long as this process owns the home. */
  readonly globals: Readonly<Record<string, unknown>>;
  readonly reserved?: boolean;
  readonly listens?: boolean;
  readonly workspace?: boolean;
  readonly gateway?: boolean;
  readonly tookOver?: boolean;
  readonly askHooks?: AskHooks | undefined;
  /** Tools beside those that are built in. */
  readonly toolSources?: readonly ToolSource[];
}

/** An app with its door. */
export interface Host {
  readonly app: App;
  readonly config: LoadedConfig;
  /** Serve clients from here on. A short command opens it only when it runs long enough for clients to connect. */
  readonly door: Once<Backplane>;
  /** Resolves when the log is written. */
  flush(): Promise<void>;
}

/** Components whose lines stand in a log of their own as well. */
const OF_GATEWAY: ReadonlySet<string> = new Set(["gateway", "cron", ...PLATFORM_TAGS]);

/** Build the app of a home on the real outside. Nothing is opened or listened to yet. */
export async function createHost(options: HostOptions): Promise<Host> {
  const { home, kind, version } = options;
  const safeMode = options.globals["safe_mode"] === true || isSafeMode(options.env);
  const env = safeMode ? { ...options.env, [SAFE_MODE_VARIABLE]: "1" } : options.env; // its workers have it from here
  for (const dir of new Set([home.dir, home.root])) checkHome(dir);
  const corrected = kind === "readonly" ? [] : correctModes(home);
  const from = { home, env, clock: systemClock, keys: ALL_KEYS, readonly: kind === "readonly" };
  const config = await loadConfig({ ...from, ...settingsFrom(options.globals, safeMode) });
  const lines = createLogLines();
  const log = lateLog(async () =>
    createLog({
      dir: home.logs,
      clock: systemClock,
      level: config.get(LOG_LEVEL),
      redact: (await import("../runtime/known-secrets.js")).logRedactor(config, home),
      maxBytes: config.get(LOG_SIZE) << 20,
      backups: config.get(LOG_BACKUPS),
      muted: kind === "readonly",
      alsoIn: (component) => (OF_GATEWAY.has(component) ? "gateway.log" : undefined),
      onLine: lines.tell,
    }),
  );
  for (const path of corrected) log.warning("other users could read it; its mode was corrected", { path });
  const sites = once(async () => (await import("../runtime/site-rules.js")).siteRefusal({ home, config }));
  const net = createNet({
    clock: systemClock,
    stays: kind === "long",
    allowPrivate: () => config.get(ALLOW_PRIVATE),
    fakeIpRanges: () => config.get(FAKE_IP_RANGES),
    refuse: async (url) => (await sites())(url),
    proxyFor: (url) => (config.get(TRUST_PROXY) ? envProxy(config.env, url) : undefined),
  });
  if (kind !== "readonly") refuseNetworkFilesystem(home.dir, config.get(ALLOW_NETWORK_FS));
  const hooks = createHookBus({
    clock: systemClock,
    log: log.child("hooks"),
    timeoutMs: () => config.get(HOOK_TIMEOUT) * 1_000,
  });
  const cages = createCages({ home, env: config.env, config, spawner: systemSpawner, clock: systemClock });
  const outside = {
    clock: systemClock,
    ids: randomIds,
    disk: realDisk,
    spawner: systemSpawner,
    net,
    log,
    lines,
    cages,
    hooks,
  };
  const accept = options.globals["accept_hooks"] === true || acceptsHooks(env);
  const askHooks = accept || config.get(HOOKS_AUTO_ACCEPT) ? async () => true : options.askHooks;
  const shellHooks = safeMode
    ? undefined
    : openShellHooks({
        ...outside,
        home,
        config,
        env: config.env,
        registrations: hooks,
        accept: accept && kind !== "readonly",
        announce: kind === "long",
      });
  const role = {
    safeMode,
    ...(shellHooks !== undefined && { shellHooks }),
    ...(corrected.length > 0 && { corrected }),
    ...(options.reserved === true && { reserved: true }),
    ...(options.listens === true && { listens: true }),
    ...(options.workspace === true && { workspace: true }),
    ...(options.gateway === true && { gateway: true }),
    ...(options.tookOver === true && { tookOver: true }),
    ...(askHooks !== undefined && { askHooks }),
    ...(options.workspace !== true && { onFatal: (error: AppError) => endNow(log, error) }),
  };
  const app: AppOptions = { home, kind, version, env: config.env, config, ...outside, ...role };
  let open: Backplane | undefined;
  const attach: App["attach"] = async (carrier) => (await door()).attach("web", carrier);
  const requestStop = () => options.onStop?.();
  const endGateway = (end: GatewayEnd) => options.onStop?.(end);
  const gateway = async (live: App) => (await import("./gateway/open-gateway.js")).openGateway(live, endGateway);
  const ownerHooks = {
    clients: () => open?.clients() ?? 0,
    requestStop,
    dashboards,
    gateway,
    toolSources: options.toolSources ?? [],
    attach,
    protocol: () => describe(made),
  };
  const made = createApp(app, ownerHooks);
  const door = once(async () => {
    open = await (await import("../rpc/rpc-server.js")).openRpcServer(made);
    return open;
  });
  return { app: made, config, door, flush: () => log.flush() };
}

/** Half-known state is worse than an end: the next start recovers. A screen restores its terminal first, where uncaught errors are handled. */
function endNow(log: Log, error: AppError): void {
  log.error("store failed; exiting", { error: error.message });
  process.stderr.write(`agent: ${error.message}\nagent: ${error.hint}\n`, () => process.exit(exitCodeOf(error)));
}

const describe = async (app: App) => (await import("../rpc/describe-protocol.js")).describeProtocol(app);
const dashboards = async (app: App) => (await import("./dashboards.js")).createDashboards(app);

/** What options of the command line make of the settings. */
function settingsFrom(
  globals: HostOptions["globals"],
  safeMode: boolean,
): Pick<ConfigOptions, "ignoreFile" | "overrides"> {
  const level = globals["log_level"];
  return {
    ignoreFile: safeMode || ignoresConfig(globals),
    ...(level === undefined ? {} : { overrides: { [LOG_LEVEL.key]: level } }),
  };
}

/** Milliseconds that open requests of clients get to end. */
const DOOR_STOP_MS = 2_000;
/** Milliseconds that hooks get to handle what they received. */
const HOOKS_STOP_MS = 5_000;

/**
 * Stop everything in order: the door, then turns, dispatcher and stores, then the lock. The lock is given back when every store is closed and every thread
 * of one has exited; when that fails it is kept and goes with the process.
 *
 * @param how `untouched` after a start that failed
 */
export async function stopHost(host: Host, ownership: Ownership, reason: string, how?: Closing): Promise<void> {
  const backplane = await host.door.peek()?.catch(() => undefined); // reported where it was opened
  backplane?.leave(reason);
  await host.app.stop(how);
  await host.app.options.hooks?.close(HOOKS_STOP_MS);
  await backplane?.stop(DOOR_STOP_MS);
  await host.flush();
  await ownership.release();
}
