import type { Store } from "../../../storage/store.js";
import { AppError, toAppError } from "../../base/errors.js";
import { failPoint } from "../../base/fault.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { EpochMs } from "../../base/units.js";
import { IN_WORKSPACE } from "../../board/dispatcher/dispatcher-settings.js";
import type { AppOptions } from "../../config/app-options.js";
import type { GatewayState } from "../../contracts/gateway/api.js";
import type { GatewayHooks } from "../../contracts/gateway/hooks.js";
import type { GatewayEnd } from "../../contracts/gateway/life.js";
import type { AdapterStatus } from "../../contracts/gateway/platform.js";
import type { PlatformEntry } from "../../gateway/adapter/define-platform.js";
import { openHooks } from "../../gateway/hooks/open-hooks.js";
import type { BuildParts } from "../../gateway/lifecycle/build-gateway.js";
import type { BuiltGateway, GatewayHost } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { type LagMeter, startLagMeter } from "../../gateway/lifecycle/lag-meter.js";
import { createNotices, type Notices } from "../../gateway/lifecycle/lifecycle-notices.js";
import { createRecords, type LifeRecords } from "../../gateway/lifecycle/lifecycle-records.js";
import { GATEWAY } from "../../gateway/settings/gateway-keys.js";
import { settingsSource } from "../../gateway/settings/platform-settings.js";
import type { MeetingHost } from "../meetings/meeting-host.js";
import { enabledPlatforms, meetingsWanted } from "./enabled-platforms.js";
import { followSettings } from "./follow-settings.js";
import type { GatewayApp } from "./gateway-app.js";
import { turnsEnded } from "./turns-ended.js";

/** A screen that its user closes does not wait long. */
const SCREEN_DRAIN_MS = 5_000;
const STOP_MS = 5_000;

/** One life of the gateway, from its start to its stop. */
interface Live {
  readonly built: BuiltGateway;
  readonly notices: Notices;
  /** Undefined: they are not switched on. */
  readonly meetings: MeetingHost | undefined;
  readonly records: LifeRecords;
  readonly lag: LagMeter;
  readonly hooks: GatewayHooks;
  readonly startedAt: EpochMs;
  readonly hurry: AbortController;
  /** Platforms that it began with. */
  readonly entries: readonly PlatformEntry[];
  /** Who delivers to chats has it no longer. */
  detach: () => void;
  /** Settings are not looked at any more. */
  unfollow: () => void;
}

/** What a test puts in place of the platforms that the settings name. */
export type HostParts = Partial<Pick<BuildParts, "entries" | "make" | "chance">>;

interface Self {
  readonly app: GatewayApp;
  readonly parts: HostParts;
  readonly requestStop: (end: GatewayEnd) => void;
  state: GatewayState;
  live: Live | undefined;
  problems: readonly string[];
  stopping: Promise<void> | undefined;
  restarts: boolean;
  /** Some adapter has found out whether it can connect, since the start. */
  settled: boolean;
}

/**
 * The gateway of an app. Nothing is read or loaded before it starts, and nothing of a platform that is not enabled ever.
 *
 * @param requestStop ends this process
 */
export function createGatewayHost(
  app: GatewayApp,
  requestStop: (end: GatewayEnd) => void,
  parts: HostParts = {},
): GatewayHost {
  const self: Self = {
    app,
    requestStop,
    parts,
    state: isToStart(app.options) ? "starting" : "stopped",
    live: undefined,
    problems: [],
    stopping: undefined,
    restarts: false,
    settled: false,
  };
  const statuses = () => self.live?.built.gateway.supervisor.statuses() ?? [];
  return {
    start: async () => {
      const { options, stores } = app;
      if (!isForGateway(options)) return;
      if (options.tookOver === true && (await createRecords(await stores.state(), options.clock).stopped())) return;
      await begin(self, options.gateway === true);
    },
    begin: () => begin(self, true),
    stop: (end = { why: "signal" }) => stop(self, end),
    hurry: () => self.live?.hurry.abort(),
    restart: async (asker) => {
      if (self.live === undefined || self.stopping !== undefined)
        throw new AppError("E_STATE", "no gateway is running in this process");
      if (asker !== undefined) await self.live.records.setAsker(asker);
      self.restarts = true;
      const end: GatewayEnd = { why: "restart", ...(asker === undefined ? {} : { asker }) };
      if (app.options.workspace === true) again(self, end);
      else requestStop(end);
    },
    state: () => stateOf(self, statuses()),
    restartRequested: () => self.restarts,
    startedAt: () => self.live?.startedAt,
    statuses,
    sources: () => [self.live?.built.webhooks.status(), self.live?.meetings?.status()].flatMap((one) => one ?? []),
    problems: () => [
      ...self.problems,
      ...(self.live?.built.problems() ?? []),
      ...(self.live?.built.webhooks.problems() ?? []),
      ...(self.live?.meetings?.problems() ?? []),
    ],
    lagMs: () => self.live?.lag.worst(),
    built: () => self.live?.built,
  };
}

/** This process runs a gateway, unless it was stopped on purpose. */
const isForGateway = ({ kind, listens, reserved, workspace, config }: AppOptions): boolean =>
  kind === "long" && listens !== true && reserved !== true && (workspace !== true || config.get(IN_WORKSPACE));

/** A caller that asks before it has begun is answered that it begins. */
const isToStart = (options: AppOptions): boolean => options.tookOver !== true && isForGateway(options);

/** @param asked a user wants a gateway, and not only an owner that would have one */
async function begin(self: Self, asked: boolean): Promise<void> {
  const { options, stores } = self.app;
  if (self.stopping !== undefined) await self.stopping;
  if (self.live !== undefined) return;
  const { clock } = options;
  const log = options.log.child("gateway");
  const records = createRecords(await stores.state(), clock);
  const before = self.state;
  self.state = "starting";
  self.settled = false;
  const live = await build(self, records, asked).catch((error: unknown) => {
    self.state = before === "starting" ? "stopped" : before;
    throw error;
  });
  self.live = live;
  try {
    failPoint("start.gateway");
    // Not before it is built: a start that fails leaves the store as it was.
    await records.setStopped(false);
    await records.note("starting", null);
    await live.built.prepare();
    live.detach = (await self.app.couriers()).attach(live.built);
    await live.notices.online();
    await live.built.gateway.service.start();
    await live.built.router.start();
    await live.built.topics.watch.start();
    await live.built.webhooks.service.start();
    await live.meetings?.service.start();
    live.unfollow =
      self.parts.entries === undefined ? followSettings(options, live.built, live.entries) : live.unfollow;
  } catch (error) {
    await undo(self, live);
    throw error;
  }
  self.state = "running";
  await note(self, "running", null);
  log.info("gateway started", { platforms: live.built.gateway.supervisor.statuses().length });
}

/** A gateway that could not begin: what of it works is stopped, and nothing is recorded in the store. */
async function undo(self: Self, { built, meetings, hooks, detach, lag }: Live): Promise<void> {
  const services = [meetings?.service, built.webhooks.service, built.topics.watch, built.router, built.gateway.service];
  for (const service of services) await service?.stop(STOP_MS);
  await settlesWithin(self.app.options.clock, STOP_MS, hooks.idle());
  detach();
  lag.stop();
  self.live = undefined;
  self.state = "stopped";
}

async function build(self: Self, records: LifeRecords, asked: boolean): Promise<Live> {
  const { app } = self;
  const { options, stores, chat, board } = app;
  const { clock } = options;
  const log = options.log.child("gateway");
  const { entries, problems } = { ...enabledPlatforms(options), ...self.parts };
  self.problems = problems;
  for (const problem of problems) log.error("failed to connect a platform", { problem });
  if (entries.length === 0 && asked) log.warning("no platform configured; no chats are connected");
  const { buildGateway } = await import("../../gateway/lifecycle/build-gateway.js");
  const { COMMANDS } = await import("../../commands/index.gen.js");
  const { services } = await import("../../rpc/commands/command-services.js");
  const store = await stores.state();
  const opened = await openHooks(options, store, options.askHooks);
  for (const problem of opened.problems) log.warning(problem);
  self.problems = [...problems, ...opened.problems];
  const late: { notices?: Notices } = {};
  const built = await buildGateway({
    app: { options, chat, stores, board },
    store,
    ...self.parts,
    entries,
    hints: self.parts.entries === undefined,
    commands: { services: services(app), entries: COMMANDS },
    seen: (await app.couriers()).seen,
    events: opened.hooks,
    life: {
      fatal: (status) => {
        late.notices?.fatal(status).catch(() => undefined); // it tells its failures itself
      },
      admitted: async (event) => late.notices?.held(event),
    },
  });
  const notices = createNotices({ options, store, records, gateway: built.gateway, source: settingsSource(options) });
  late.notices = notices;
  opened.hooks.tell("gateway:startup", { version: options.version, platforms: entries.map(({ tag }) => tag) });
  const detach = () => undefined;
  const unfollow = () => undefined;
  const meetings = await meetingsOf(app, store);
  return {
    built,
    notices,
    meetings,
    records,
    entries,
    hooks: opened.hooks,
    detach,
    unfollow,
    lag: startLagMeter(clock, log),
    startedAt: clock.now(),
    hurry: new AbortController(),
  };
}

/** Loaded where the settings switch it on. */
async function meetingsOf(app: GatewayApp, store: Store): Promise<MeetingHost | undefined> {
  if (!meetingsWanted(app.options)) return undefined;
  const { createMeetingHost } = await import("../meetings/meeting-host.js");
  return createMeetingHost(app, store);
}

/** A record that cannot be written keeps nothing from happening. */
async function note({ live, app }: Self, state: string, reason: string | null): Promise<void> {
  try {
    await live?.records.note(state, reason);
  } catch (error) {
    app.options.log.warning("failed to store the gateway state", { state, error: toAppError(error).message });
  }
}

async function noteStopped({ app }: Self, { records }: Live): Promise<void> {
  try {
    await records.setStopped(true);
  } catch (error) {
    app.options.log.warning("failed to store the planned stop", { error: toAppError(error).message });
  }
}

function stop(self: Self, end: GatewayEnd): Promise<void> {
  const { live } = self;
  if (live === undefined) return self.stopping ?? Promise.resolve();
  self.stopping ??= ended(self, live, end).finally(() => {
    self.stopping = undefined;
  });
  return self.stopping;
}

async function ended(self: Self, live: Live, end: GatewayEnd): Promise<void> {
  const { config, log, workspace } = self.app.options;
  self.state = "draining";
  live.unfollow();
  await note(self, "draining", REASONS[end.why]);
  if (end.why === "stop") await noteStopped(self, live);
  await live.notices.ending(end.why, end.asker);
  const { gateway, router, topics, webhooks } = live.built;
  const screen = workspace === true && end.why === "signal";
  const limit = end.limitMs ?? (screen ? SCREEN_DRAIN_MS : config.get(GATEWAY.drain) * 1000);
  const hurry = live.hurry.signal;
  // Where the process ends with it, screens, command lines and jobs that work in it get as long as chats; a workspace sees to its own.
  const others = workspace === true ? undefined : turnsEnded(self.app, limit, hurry);
  const drained = await gateway.drain(limit, {
    signal: hurry,
    also: Promise.all([router.idle(), others]).then(() => undefined),
  });
  if (!drained) log.warning("turns interrupted; those of chats resume at the next start");
  await live.meetings?.service.stop(STOP_MS);
  await webhooks.service.stop(STOP_MS);
  await topics.watch.stop(STOP_MS);
  await router.stop(STOP_MS);
  await gateway.service.stop(STOP_MS);
  await settlesWithin(self.app.options.clock, STOP_MS, live.hooks.idle());
  live.detach();
  live.lag.stop();
  await note(self, "stopped", REASONS[end.why]);
  self.live = undefined;
  self.state = "stopped";
  log.child("gateway").info("gateway stopped", { reason: REASONS[end.why] });
}

const REASONS = {
  stop: "planned stop",
  restart: "restart",
  handover: "another process takes over",
  signal: "stopped",
} as const;

/** Where the process has to stay its gateway alone starts over. */
function again(self: Self, end: GatewayEnd): void {
  const log = self.app.options.log.child("gateway");
  const anew = async () => {
    await stop(self, end);
    self.restarts = false;
    await begin(self, true);
  };
  anew().catch((error: unknown) => log.error("failed to restart the gateway", { error: toAppError(error).message }));
}

/** It starts until the first adapter has connected, or all have found that they cannot. */
function stateOf(self: Self, all: readonly AdapterStatus[]): GatewayState {
  if (self.state !== "running" || all.length === 0 || all.some(({ state }) => state === "connected")) {
    self.settled ||= self.state === "running";
    return self.state;
  }
  self.settled ||= all.every(({ state }) => state !== "connecting");
  return self.settled ? "degraded" : "starting";
}
