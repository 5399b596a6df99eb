import type { Closing, Store } from "../../storage/store.js";
import { createBus } from "../backplane/bus.js";
import { type Once, once } from "../base/async/lazy.js";
import { type AppError, toAppError } from "../base/errors.js";
import { failPoint } from "../base/fault.js";
import { type BoardSlug, toIso } from "../base/units.js";
import type { Chat } from "../chat/chat.js";
import { createEditorDesk, type EditorDesk } from "../chat/editor/editor-desk.js";
import type { Checkpoints } from "../checkpoints/checkpoints.js";
import type { CommandSource } from "../commands/define.js";
import { joinSources } from "../commands/slash/runtime-commands.js";
import type { AppOptions } from "../config/app-options.js";
import { createSettings } from "../config/settings-service.js";
import type { BoardApi } from "../contracts/board/api.js";
import type { BrowserApi } from "../contracts/browser/browser.js";
import type { ChatApi } from "../contracts/chat/chat.js";
import type { ProfilesApi } from "../contracts/config/profiles.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { GatewayApi } from "../contracts/gateway/api.js";
import type { BringServers } from "../contracts/mcp/brought.js";
import type { McpApi } from "../contracts/mcp/mcp.js";
import type { VoiceApi } from "../contracts/media/voice.js";
import type { MemoryApi } from "../contracts/memory/memory.js";
import type { AuthApi } from "../contracts/models/auth.js";
import type { ModelsApi } from "../contracts/models/models-api.js";
import type { CheckpointApi } from "../contracts/owner/checkpoints.js";
import type { DashboardApi, Dashboards } from "../contracts/owner/dashboard.js";
import type { AttachedClient, Carrier } from "../contracts/owner/door.js";
import type { LanguageServersApi } from "../contracts/owner/language-servers.js";
import type { OwnerApi } from "../contracts/owner/owner.js";
import type { PluginsApi } from "../contracts/plugins/plugins.js";
import type { RuntimeSwitch } from "../contracts/runtimes/switch.js";
import type { SkillServices } from "../contracts/skills/services.js";
import { DASHBOARD_AUTOSTART } from "../dashboard/access/keys.js";
import type { LoginProviders } from "../dashboard/access/login-providers.js";
import type { GatewayLife } from "../gateway/lifecycle/gateway-lifecycle.js";
import type { Logins } from "../logins/logins.js";
import { pluginModels } from "../models/plugin/plugin-models.js";
import type { Models } from "../models/select.js";
import { createRunWatch, type RunWatch } from "../rpc/runs/run-watch.js";
import { buildAux } from "../runtime/aux-models.js";
import { hearingOf } from "../runtime/hearing.js";
import { languageServersOf } from "../runtime/language-servers.js";
import { mcpOf } from "../runtime/mcp.js";
import { memoryOf } from "../runtime/memory.js";
import { outsideOf } from "../runtime/outside.js";
import { skillsOf } from "../runtime/skills.js";
import type { ToolSource } from "../tools/core/tool-source.js";
import type { ToolRegistry } from "../tools/registry/tool-registry.js";
import type { BoardAround, BoardParts } from "./board/build-board.js";
import { lazyBoard, lookingBoard } from "./lazy/lazy-board.js";
import { lazyChat } from "./lazy/lazy-chat.js";
import { lazyGateway } from "./lazy/lazy-gateway.js";
import { lazyMcp } from "./lazy/lazy-mcp.js";
import {
  lazyAuth,
  lazyCheckpoints,
  lazyDashboard,
  lazyLanguageServers,
  lazyModels,
  lazyOwner,
  lazyProfiles,
  lazyRuntimes,
  lazyVoice,
} from "./lazy/lazy-owner.js";
import { showMcpPage } from "./models/open-browser.js";
import type { OwnerHooks } from "./owner/owner-parts.js";
import { startApart } from "./owner/start-apart.js";
import { clearOldCheckpoints, quietWork } from "./owner/upkeep.js";
import { closeServed, createServed, openProxy, type ServedParts, startCron } from "./owner-listeners.js";
import { createAppPlugins } from "./plugins/app-plugins.js";
import { createPluginProviders } from "./plugins/plugin-providers.js";
import { logEvents } from "./stores/log-events.js";
import { createStores, type Stores } from "./stores/stores.js";

/** Everything of one process that owns a home, or looks at it. A part is loaded and opened when it is first used. */
export interface App extends ServedParts {
  readonly options: AppOptions;
  readonly stores: Stores;
  readonly bus: ReturnType<typeof createBus>;
  /** Editors whose files the file tools read and write. */
  readonly editors: EditorDesk;
  /** MCP servers that front ends bring for their sessions. */
  readonly broughtServers: BringServers;
  /** The session store, with the turns closed that an earlier owner left open. */
  readonly sessions: Once<Store>;
  readonly boards: Once<BoardParts>;
  readonly chats: Once<Chat>;
  readonly models: Once<Models>;
  /** Built-in tools, and those of MCP servers and plugins as they are at this moment. */
  readonly tools: Once<ToolRegistry>;
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
  readonly mcp: McpApi;
  readonly plugins: PluginsApi;
  readonly skills: SkillServices;
  /** Logins to the dashboard that plugins brought. */
  readonly loginProviders: LoginProviders;
  readonly memory: MemoryApi;
  readonly browser: BrowserApi;
  readonly voice: VoiceApi;
  /** Who works turns of the provider `vendor`. */
  readonly runtimes: RuntimeSwitch;
  /** Slash commands of plugins, bundles and skills. */
  readonly runtime: CommandSource;
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
  /** Tools beside those that are built in. */
  readonly toolSources: readonly ToolSource[];
  /** Its door, which is made of the app. */
  readonly attach: App["attach"];
}

const STOP_MS = 5_000;

export function createApp(given: AppOptions, hooks: AppHooks): App {
  const ofPlugins = createPluginProviders(given.log, given.clock);
  let { transcriber } = given;
  const options: AppOptions = {
    ...given,
    get transcriber() {
      return ofPlugins.transcriber() ?? transcriber ?? hears();
    },
    set transcriber(own) {
      transcriber = own; // the builder of an app may set one afterwards
    },
  };
  const hears = hearingOf(options, { logins: () => logins() });
  const stores = createStores(options.home, options);
  const bus = createBus();
  const { clock, ids } = options;
  const editors = createEditorDesk({
    clock,
    ids,
    poke: (channel) => bus.delta(`editor:${channel}`, { event: "editor.asked", at: toIso(clock.now()), data: {} }),
  });
  const runs = watchStores(options, stores);
  feedBus(options, stores, bus);
  const sessions = once(() => recovered(options, stores));
  const tools = once(async () =>
    (await import("./chat/build-tools.js")).buildTools(options, [mcp.source, plugins.source, ...hooks.toolSources]),
  );
  const boards = once(async () =>
    openBoards(options, stores, {
      models: () => models(),
      notifier: served.boardNotifier.notifier,
      tools: await tools(),
    }),
  );
  const models = once(async () => {
    const ofPlugins = pluginModels(
      () => plugins.provided("model_provider"),
      () => plugins.ready(),
    );
    return (await import("./chat/build-chat.js")).buildModels(options, () => logins(), ofPlugins);
  });
  const logins = once(async () =>
    (await import("../runtime/logins.js")).buildLogins(options, options.kind === "readonly"),
  );
  const auth = lazyAuth(async () => (await import("./models/build-logins.js")).buildAuth(options, await logins()));
  const board = boardOf(options, stores, boards);
  const servers = languageServersOf(options);
  const memory = memoryOf(options, ofPlugins.memory);
  const skills = skillsOf(options, {
    ofPlugins: () => plugins.skills(),
    aux: () => buildAux(options, models),
    cron: () => served.cron,
    ...(options.kind === "long" ? {} : { startProgram: (args) => startApart(options, args) }),
  });
  const mcp = mcpOf(options, () => buildAux(options, models));
  const outside = outsideOf(options, {
    aux: buildAux(options, models),
    models,
    logins,
    provided: (kind) => plugins.provided(kind),
  });
  const keeper = once(async () => (await import("./build-checkpoints.js")).buildCheckpoints(options, sessions));
  const chats = once(async () => {
    const chat = (await import("./chat/build-chat.js")).buildChat(options, {
      sessions,
      memory: () => stores.ephemeral(),
      state: () => stores.state(),
      bus,
      models,
      tools: await tools(),
      board,
      checkpoints: keeper,
      diagnostics: servers.diagnostics,
      editors,
      messages: app.gateway,
      cron: served.cron,
      skills,
      remembered: memory,
      outside: outside.ports,
      engines: () => plugins.provided("context_engine"),
    });
    mcp.listen(chat);
    return chat;
  });
  const owner = lazyOwner(async () => {
    const { createOwner } = await import("./owner/owner-api.js");
    return createOwner({
      options,
      stores,
      boards,
      chats,
      models,
      keeper,
      auth,
      logins,
      ...served,
      gateway,
      hooks,
      started,
      mcp: { list: () => mcp.peek()?.list() ?? [] },
      browser: outside.ports.browser,
      skills: skills.services,
      provided: (kind) => plugins.provided(kind),
    });
  });
  const profiles = lazyProfiles(async () =>
    (await import("./build-profiles.js")).buildProfiles(options, models, () => wake(boards)),
  );
  const modelsApi = lazyModels(async () => (await import("./models/models-api.js")).createModelsApi(options, models));
  const chat = lazyChat(chats);
  const settings = createSettings(options.home, options.config);
  const plugins = createAppPlugins(options, async () => {
    const { buildPlugins } = await import("./plugins/build-plugins.js");
    return buildPlugins(options, { hooks: options.hooks, settings, chat, models, consumers: ofPlugins.consumers });
  });
  const served = createServed(options, {
    logins,
    stores,
    chat,
    plugins: { ready: plugins.ready, attachProxy: ofPlugins.attachProxy },
    skills: skills.services,
  });
  const quiet = quietWork(options, { boards, chats, chat, skills: skills.services });
  const started = options.clock.now();
  const gateway = once(() => hooks.gateway(app));
  const dashboards = once(() => hooks.dashboards(app));
  const app: App = {
    options,
    stores,
    bus,
    editors,
    broughtServers: mcp.sessions,
    sessions,
    boards,
    chats,
    models,
    tools,
    board,
    chat,
    keeper,
    settings,
    plugins: plugins.api,
    skills: skills.services,
    loginProviders: { ...ofPlugins.logins, ready: plugins.ready },
    memory: memory.api,
    browser: outside.ports.browser,
    voice: lazyVoice(async () =>
      (await import("../media/voice/voice.js")).createVoice({
        clock: options.clock,
        speech: outside.ports.speech,
        transcriber: () => options.transcriber,
        state: stores.state,
      }),
    ),
    runtimes: lazyRuntimes(async () =>
      (await import("./runtimes/runtime-switch.js")).createRuntimeSwitch(options, settings),
    ),
    runtime: joinSources([plugins.runtime, skills.commands]),
    owner,
    profiles,
    modelsApi,
    runs,
    logins,
    auth,
    dashboards,
    dashboard: lazyDashboard(dashboards),
    ...served,
    checkpoints: lazyCheckpoints(keeper),
    languageServers: lazyLanguageServers(servers.api),
    mcp: lazyMcp(mcp, showMcpPage(options)),
    gateway: lazyGateway(async () => (await gateway()).api),
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
      mcp.start();
      await plugins.start(); // before messages arrive, which its hooks may decide about
      await (await gateway()).host.start();
      await startCron(options, served);
    },
    stop: (how) =>
      runInOrder([
        ...parts(app, quiet.stop, [skills.stop, servers.stop, mcp.stop, plugins.stop, outside.close]),
        () => stores.close(how),
        () => options.net.close(),
      ]),
  };
  return app;
}

/** What ends the parts of an app, in order. */
function parts(
  app: App,
  quiet: () => Promise<void>,
  servers: readonly (() => Promise<void>)[],
): readonly (() => Promise<unknown>)[] {
  return [
    async () => (await app.messaging.peek())?.host.stop(),
    () => closeServed(app),
    quiet,
    async () => stopBoards(await app.boards.peek()),
    async () => (await app.chats.peek())?.stop(),
    async () => (await app.keeper.peek())?.idle(),
    ...servers,
    async () => (await app.logins.peek())?.stop(),
  ];
}

/** Who only looks lists tasks without the rest of the board. */
function boardOf(options: AppOptions, stores: Stores, boards: App["boards"]): BoardApi {
  const whole = lazyBoard(async () => (await boards()).board);
  if (options.kind !== "readonly") return whole;
  const looking = async () => (await import("./board/build-looking.js")).buildLooking(options, stores);
  return lookingBoard(looking, whole);
}

async function openBoards(
  options: AppOptions,
  stores: Stores,
  around: Pick<BoardAround, "models" | "notifier" | "tools">,
): Promise<BoardParts> {
  const { buildBoard } = await import("./board/build-board.js");
  const redactor = async () => (await import("../runtime/known-secrets.js")).logRedactor(options.config, options.home);
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
  const lost = (error: unknown) => options.log.error("session events were lost", { error: String(error) });
  bus.onMissing((name) => openNamed(stores, name));
  stores.onOpen(async (store) => {
    // A viewer of a board that was not written before learns by this that it exists now.
    if (store.name.startsWith("board:")) {
      const ends = bus.addStore(store);
      bus.delta("boards", { event: "board.opened", at: toIso(options.clock.now()), data: { store: store.name } });
      return ends;
    }
    if (store.name !== "sessions" || options.kind !== "long") return bus.addStore(store);
    return bus.addStore((await import("../rpc/sessions/session-feed.js")).shownSessions(store, lost));
  });
}

/** A follower of a store that exists gets the same answer before its first use, as right after the start of an owner. */
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
  if (closed.length > 0) options.log.warning("turns were interrupted", { turns: closed.length });
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

/** What happens in every store shows on the runs that it is about, and in the log. */
function watchStores({ clock, log }: AppOptions, stores: Stores): RunWatch {
  const runs = createRunWatch(clock, (error) => log.error("failed to publish run activity", { error: String(error) }));
  stores.onOpen((store) => store.onEvents((events) => runs.committed(store.name, events)));
  stores.onOpen((store) => logEvents(store, log));
  return runs;
}

/** Do one step after the other; one that fails keeps no later one from being done. @throws the first failure, at the end */
async function runInOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  let failure: AppError | undefined;
  for (const step of steps)
    await step().catch((error: unknown) => {
      failure ??= toAppError(error);
    });
  if (failure !== undefined) throw failure;
}
