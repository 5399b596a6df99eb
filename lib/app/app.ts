import type { Closing, Store } from "../../storage/store.js";
import { createBus } from "../backplane/bus.js";
import { runCleanupsInOrder } from "../base/async/cleanup.js";
import { type Once, once } from "../base/async/lazy.js";
import { toAppError } from "../base/errors.js";
import { failPoint } from "../base/fault.js";
import { toIso } from "../base/units.js";
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
import type { RunWatch } from "../rpc/runs/run-watch.js";
import { buildAux } from "../runtime/aux-models.js";
import { languageServersOf } from "../runtime/language-servers.js";
import { mcpOf } from "../runtime/mcp.js";
import { memoryOf } from "../runtime/memory.js";
import { outsideOf } from "../runtime/outside.js";
import { skillsOf } from "../runtime/skills.js";
import type { ToolSource } from "../tools/core/tool-source.js";
import type { ToolRegistry } from "../tools/registry/tool-registry.js";
import { createBoardApi, openBoards, startBoards, stopBoards } from "./board/app-boards.js";
import type { BoardParts } from "./board/build-board.js";
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
import { withTranscriber } from "./plugins/with-transcriber.js";
import { recoverSessions } from "./stores/recover-sessions.js";
import { createStores, type Stores } from "./stores/stores.js";
import { feedBus, watchStores } from "./stores/watch-stores.js";

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

export function createApp(given: AppOptions, hooks: AppHooks): App {
  const ofPlugins = createPluginProviders(given.log, given.clock);
  const options = withTranscriber(given, { ofPlugins: ofPlugins.transcriber, logins: () => logins() });
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
  const sessions = once(() => recoverSessions(options, stores));
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
  const board = createBoardApi(options, stores, boards);
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
  const runtimes = lazyRuntimes(async () =>
    (await import("./runtimes/runtime-switch.js")).createRuntimeSwitch(options, settings),
  );
  const voice = lazyVoice(async () =>
    (await import("../media/voice/voice.js")).createVoice({
      clock: options.clock,
      speech: outside.ports.speech,
      transcriber: () => options.transcriber,
      state: stores.state,
    }),
  );
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
    voice,
    runtimes,
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
      await startBoards(options, await sessions(), await boards());
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
      stopInOrder([
        async () => (await gateway.peek())?.host.stop(),
        () => closeServed(served),
        quiet.stop,
        async () => stopBoards(await boards.peek()),
        async () => (await chats.peek())?.stop(),
        async () => (await keeper.peek())?.idle(),
        skills.stop,
        servers.stop,
        mcp.stop,
        plugins.stop,
        outside.close,
        async () => (await logins.peek())?.stop(),
        () => stores.close(how),
        () => options.net.close(),
      ]),
  };
  return app;
}

/** A task that waited for a profile starts as soon as there is one. */
async function wake(boards: App["boards"]): Promise<void> {
  (await boards.peek())?.dispatcher.wake();
}

/** @throws AppError the first failure, once every step was taken */
async function stopInOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  try {
    await runCleanupsInOrder(steps);
  } catch (error) {
    throw toAppError(error);
  }
}
