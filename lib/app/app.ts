import type { Closing, Store } from "../../storage/store.js";
import { createBus } from "../backplane/bus.js";
import { runInOrder } from "../base/async/in-order.js";
import { lazily, type Once, once, splitInterface } from "../base/async/lazy.js";
import { failPoint } from "../base/fault.js";
import { type BoardSlug, toIso } from "../base/units.js";
import type { LookingApi } from "../board/queries/looking.js";
import type { Chat } from "../chat/chat.js";
import type { Checkpoints } from "../checkpoints/checkpoints.js";
import type { AppOptions } from "../config/app-options.js";
import { createSettings } from "../config/settings-service.js";
import type { BoardApi } from "../contracts/board/api.js";
import type { ChatApi } from "../contracts/chat/chat.js";
import type { ProfilesApi } from "../contracts/config/profiles.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { GatewayApi } from "../contracts/gateway/api.js";
import type { AuthApi } from "../contracts/models/auth.js";
import type { ModelsApi } from "../contracts/models/models-api.js";
import type { CheckpointApi } from "../contracts/owner/checkpoints.js";
import type { DashboardApi, Dashboards } from "../contracts/owner/dashboard.js";
import type { AttachedClient, Carrier } from "../contracts/owner/door.js";
import type { LanguageServersApi } from "../contracts/owner/language-servers.js";
import type { OwnerApi } from "../contracts/owner/owner.js";
import { DASHBOARD_AUTOSTART } from "../dashboard/access/keys.js";
import type { GatewayLife } from "../gateway/lifecycle/gateway-lifecycle.js";
import type { Logins } from "../logins/logins.js";
import type { Models } from "../models/select.js";
import type { RunWatch } from "../rpc/runs/run-watch.js";
import { languageServersOf } from "../runtime/language-servers.js";
import type { BoardAround, BoardParts } from "./board/build-board.js";
import type { OwnerHooks } from "./owner/owner-parts.js";
import { clearOldCheckpoints, quietWork } from "./owner/upkeep.js";
import { closeServed, createServed, openProxy, type ServedParts, startCron } from "./owner-listeners.js";
import { createStores, type Stores } from "./stores/stores.js";
import { watchStores } from "./watch-stores.js";

/** Everything of one process that owns a home, or looks at it. A part is loaded and opened when it is first used. */
export interface App extends ServedParts {
  readonly options: AppOptions;
  readonly stores: Stores;
  readonly bus: ReturnType<typeof createBus>;
  /** The session store, with the turns closed that an earlier owner left open. */
  readonly sessions: Once<Store>;
  readonly boards: Once<BoardParts>;
  readonly chats: Once<Chat>;
  readonly models: Once<Models>;
  /** Logins and keys of providers; `source(id)` gives the credentials of one. */
  readonly logins: Once<Logins>;
  /** The same as commands use them. */
  readonly board: BoardApi;
  readonly chat: ChatApi;
  readonly settings: SettingsApi;
  readonly owner: OwnerApi;
  readonly profiles: ProfilesApi;
  readonly modelsApi: ModelsApi;
  /** The logins as commands use them. */
  readonly auth: AuthApi;
  readonly checkpoints: CheckpointApi;
  /** The same as those use it whose turns change something. */
  readonly keeper: Once<Checkpoints>;
  readonly languageServers: LanguageServersApi;
  readonly runs: RunWatch;
  readonly dashboards: Once<Dashboards>;
  /** The same as commands use them. */
  readonly dashboard: DashboardApi;
  readonly gateway: GatewayApi;
  readonly messaging: Once<GatewayLife>;
  /** A new client of this process, served as the door serves front ends. */
  attach(carrier: Carrier): Promise<AttachedClient>;
  /** Adopt and start workers, close what an earlier owner left open. Long-lived owners only. */
  start(): Promise<void>;
  /** Nothing of it is left afterwards; board workers continue. @param how `untouched` after a start that failed */
  stop(how?: Closing): Promise<void>;
}

/** What the app needs to tell about itself and cannot know. */
export interface AppHooks extends OwnerHooks {
  /** Its dashboards: they are made of the whole app. */
  readonly dashboards: (app: App) => Promise<Dashboards>;
  /** Its gateway, likewise. */
  readonly gateway: (app: App) => Promise<GatewayLife>;
  /** Its door, which is made of the app. */
  readonly attach: App["attach"];
}

const STOP_MS = 5_000;

export function createApp(options: AppOptions, hooks: AppHooks): App {
  const stores = createStores(options.home, options);
  const bus = createBus();
  const runs = watchStores(options, stores);
  feedBus(options, stores, bus);
  const sessions = once(() => recovered(options, stores));
  const boards = once(() =>
    openBoards(options, stores, { models: () => models(), notifier: served.boardNotifier.notifier }),
  );
  const models = once(async () => (await import("./chat/build-chat.js")).buildModels(options, () => logins()));
  const logins = once(async () => (await import("./models/build-logins.js")).buildLogins(options));
  const auth = lazily<AuthApi>(async () =>
    (await import("./models/build-logins.js")).buildAuth(options, await logins()),
  );
  const board = boardOf(options, stores, boards);
  const servers = languageServersOf(options);
  const keeper = once(async () => (await import("./build-checkpoints.js")).buildCheckpoints(options, sessions));
  const chats = once(async () =>
    (await import("./chat/build-chat.js")).buildChat(options, {
      sessions,
      memory: () => stores.ephemeral(),
      state: () => stores.state(),
      bus,
      models,
      board,
      checkpoints: keeper,
      diagnostics: servers.diagnostics,
      messages: app.gateway,
      cron: served.cron,
    }),
  );
  const owner = lazily<OwnerApi>(async () => {
    const { createOwner } = await import("./owner/owner-api.js");
    return createOwner({ options, stores, boards, chats, models, keeper, auth, ...served, gateway, hooks, started });
  });
  const profiles = lazily<ProfilesApi>(async () =>
    (await import("./build-profiles.js")).buildProfiles(options, models, () => wake(boards)),
  );
  const modelsApi = lazily<ModelsApi>(async () =>
    (await import("./models/models-api.js")).createModelsApi(options, models),
  );
  const chat = lazily<ChatApi>(chats, ["events", "export", "storedEvents"]);
  const served = createServed(options, { logins, stores, chat });
  const quiet = quietWork(options, boards, chat);
  const started = options.clock.now();
  const gateway = once(() => hooks.gateway(app));
  const dashboards = once(() => hooks.dashboards(app));
  const app: App = {
    options,
    stores,
    bus,
    sessions,
    boards,
    chats,
    models,
    board,
    chat,
    keeper,
    settings: createSettings(options.home, options.config),
    owner,
    profiles,
    modelsApi,
    runs,
    logins,
    auth,
    dashboards,
    dashboard: lazily<DashboardApi>(dashboards),
    ...served,
    checkpoints: lazily<CheckpointApi>(keeper),
    languageServers: lazily<LanguageServersApi>(servers.api),
    gateway: lazily<GatewayApi>(async () => (await gateway()).api),
    messaging: gateway,
    attach: hooks.attach,
    start: async () => {
      await start(options, sessions, boards);
      failPoint("start.boards");
      await quiet.start();
      await clearOldCheckpoints(options, keeper);
      await openProxy(options, served);
      failPoint("start.served");
      if (options.config.get(DASHBOARD_AUTOSTART)) await (await dashboards()).openWithOwner();
      await (await gateway()).host.start();
      await startCron(options, served);
    },
    stop: (how) =>
      runInOrder([...parts(app, quiet.stop, servers.stop), () => stores.close(how), () => options.net.close()]),
  };
  return app;
}

/** What ends the parts of an app, in order. */
function parts(
  app: App,
  quiet: () => Promise<void>,
  servers: () => Promise<void>,
): readonly (() => Promise<unknown>)[] {
  return [
    async () => (await app.messaging.peek())?.host.stop(),
    () => closeServed(app),
    quiet,
    async () => stopBoards(await app.boards.peek()),
    async () => (await app.chats.peek())?.stop(),
    async () => (await app.keeper.peek())?.idle(),
    servers,
    async () => (await app.logins.peek())?.stop(),
  ];
}

/** Who only looks lists tasks without the rest of the board. */
function boardOf(options: AppOptions, stores: Stores, boards: App["boards"]): BoardApi {
  const whole = lazily<BoardApi>(async () => (await boards()).board, ["events", "followLog", "diff"]);
  if (options.kind !== "readonly") return whole;
  const looking = lazily<LookingApi>(async () =>
    (await import("./board/build-looking.js")).buildLooking(options, stores),
  );
  return splitInterface(["resolve", "list", "listText"], looking, whole);
}

async function openBoards(
  options: AppOptions,
  stores: Stores,
  around: Pick<BoardAround, "models" | "notifier">,
): Promise<BoardParts> {
  const { buildBoard } = await import("./board/build-board.js");
  const redactor = async () => (await import("../runtime/gates.js")).createGates(options).redactLog;
  // Who only looks writes nothing that could hold a secret.
  const redact = options.kind === "readonly" ? (text: string) => text : await redactor();
  return buildBoard(options, stores, { ...around, redact, redactor });
}

async function stopBoards(parts: BoardParts | undefined): Promise<void> {
  await parts?.deliverer.stop(STOP_MS);
  await parts?.autoGc.stop(STOP_MS);
  parts?.board.endPlanning();
  await parts?.planner.stop(STOP_MS);
  await parts?.dispatcher.stop(STOP_MS);
}

/** A task that waited for a profile starts as soon as there is one. */
async function wake(boards: App["boards"]): Promise<void> {
  (await boards.peek())?.dispatcher.wake();
}

/** Events of each store reach the bus from its opening on. Front ends of a long-lived owner get messages in place of references to them. */
function feedBus(options: AppOptions, stores: Stores, bus: App["bus"]): void {
  const lost = (error: unknown) => options.log.error("events of a session were lost", { error: String(error) });
  bus.onMissing((name) => openNamed(stores, name));
  stores.onOpen(async (store) => {
    // Who shows a board that nobody had written is told by this that there is one now.
    if (store.name.startsWith("board:")) {
      const ends = bus.addStore(store);
      bus.delta("boards", { event: "board.opened", at: toIso(options.clock.now()), data: { store: store.name } });
      return ends;
    }
    if (store.name !== "sessions" || options.kind !== "long") return bus.addStore(store);
    return bus.addStore((await import("../rpc/sessions/session-feed.js")).shownSessions(store, lost));
  });
}

/** Who follows a store that exists is not told otherwise because nobody has used it yet, as right after the start of an owner. */
async function openNamed(stores: Stores, name: string): Promise<void> {
  const slug = /^board:([a-z0-9][a-z0-9_-]{0,63})$/.exec(name)?.[1];
  if (name === "sessions") await stores.sessions();
  else if (slug !== undefined) await stores.board(slug as BoardSlug, false); // a slug by its form
}

/** Turns of board workers stay open here: it is known later which workers live. */
async function recovered(options: AppOptions, stores: Stores): Promise<Store> {
  const store = await stores.sessions();
  if (options.kind === "readonly") return store;
  const { closeOpenTurns } = await import("../chat/transcript/transcript-recovery.js");
  const first = async () =>
    (await import("../tools/shell/left.js")).endLeftShells(options.spawner, options.home, options.log);
  const closed = await closeOpenTurns(store, options.clock, (turn) => turn.run_id !== null, first);
  await (await import("../chat/questions/ledger.js")).closeLeftQuestions(store, options.clock);
  if (closed.length > 0) options.log.warning("turns were cut off", { turns: closed.length });
  return store;
}

async function start(options: AppOptions, sessions: App["sessions"], boards: App["boards"]): Promise<void> {
  const store = await sessions();
  const { board, dispatcher, deliverer, autoGc, planner } = await boards();
  await dispatcher.start();
  await planner.start();
  await deliverer.start();
  await autoGc.start();
  const { closeTurnsOfEndedRuns } = await import("../chat/transcript/transcript-recovery.js");
  const { openConversations } = await import("./board/open-conversations.js");
  await closeTurnsOfEndedRuns(store, options.clock, () => openConversations(options.log, board));
}
