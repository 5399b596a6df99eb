import { hostname } from "node:os";
import { PROVIDERS } from "../../adapters/providers/index.gen.js";
import type { Store } from "../../storage/store.js";
import { createBus } from "../backplane/bus.js";
import { distFile } from "../base/dist.js";
import { type Board, createBoard } from "../board/board.js";
import { createDispatcher, type Dispatcher } from "../board/dispatcher.js";
import { KANBAN } from "../board/keys.js";
import type { Program } from "../board/runner.js";
import { createStopper } from "../board/stop-worker.js";
import { type Chat, createChat } from "../chat/chat.js";
import { closeOpenTurns } from "../chat/transcript-recovery.js";
import { API_MAX_RETRIES, STREAM_RETRIES } from "../models/keys.js";
import { askModel } from "../models/retry.js";
import { createModels, type Models } from "../models/select.js";
import type { OwnerApi } from "../proto/owner.js";
import type { SettingsApi } from "../proto/settings.js";
import { TOOLS } from "../tools/index.gen.js";
import { boardForSession } from "./board-for-session.js";
import { createGates } from "./gate.js";
import type { AppOptions } from "./options.js";
import { createOwner } from "./owner-api.js";
import { createProfiles } from "./profiles.js";
import { shownSessions } from "./session-feed.js";
import { sessionFiles } from "./session-files.js";
import { createSettings } from "./settings.js";
import { createStores, type Stores } from "./stores.js";

/** Everything of one process that owns a home, or looks at it. Built once; nothing is opened before it is used. */
export interface App {
  readonly options: AppOptions;
  readonly stores: Stores;
  /** The session store, recovered. */
  sessions(): Promise<Store>;
  readonly bus: ReturnType<typeof createBus>;
  readonly board: Board;
  readonly chat: Chat;
  readonly models: Models;
  readonly settings: SettingsApi;
  readonly owner: OwnerApi;
  readonly dispatcher: Dispatcher;
  /** Close open turns of an earlier owner, start the dispatcher, watch the settings. Long-lived owners only. */
  start(): Promise<void>;
  /** Nothing of it is left afterwards: turns interrupted, stores checkpointed and closed. Board workers go on. */
  stop(): Promise<void>;
}

/** What the app needs to tell about itself and cannot know. */
export interface AppHooks {
  readonly clients: () => number;
  readonly requestStop: () => void;
}

export function createApp(options: AppOptions, hooks: AppHooks): App {
  const stores = createStores(options.home, options);
  const bus = createBus();
  const lost = (error: unknown) => options.log.error("events of a session were lost", { error: String(error) });
  stores.onOpen((store) => bus.addStore(store.name === "sessions" && options.kind === "long" ? shownSessions(store, lost) : store));
  const models = createModels({ ...options, env: options.config.env, providers: PROVIDERS });
  const gates = createGates(options);
  const { board, dispatcher } = buildBoard(options, stores, gates.redactLog);
  const settings = createSettings(options.home, options.config);
  const sessions = recoveredSessions(options, stores);
  const chat = buildChat(options, { sessions, bus, models, board, gates });
  const owner = createOwner({ options, stores, chat, dispatcher, models, hooks });
  return {
    options,
    stores,
    sessions,
    bus,
    board,
    chat,
    models,
    settings,
    owner,
    dispatcher,
    start: () => start(options, sessions, board, dispatcher),
    stop: async () => {
      await dispatcher.stop(5_000);
      await chat.stop();
      await stores.close();
      await options.net.close();
    },
  };
}

function buildBoard(options: AppOptions, stores: Stores, redact: (text: string) => string): { board: Board; dispatcher: Dispatcher } {
  const { home, config, clock, ids, spawner, log, env } = options;
  const profiles = createProfiles(home, () => [...new Set(TOOLS.map((tool) => tool.toolset))]);
  const dispatchers: Dispatcher[] = [];
  const graceMs = () => config.get(KANBAN.killGrace) * 1000;
  const board = createBoard({
    stores: (slug, need) => stores.board(slug, need === "create"),
    clock,
    ids,
    config,
    profiles,
    stopper: createStopper({ spawner, clock, places: (slug) => board.places(slug), graceMs }),
    spawner,
    log: log.child("board"),
    host: spawner.host,
    home,
    env,
    redact,
    ...(options.kind === "readonly"
      ? {}
      : { pass: (wanted) => Promise.all(dispatchers.map((one) => one.pass(wanted))).then(([result]) => first(result)) }),
  });
  const dispatcher = createDispatcher({
    kernel: board,
    api: board,
    clock,
    ids,
    config,
    profiles,
    spawner,
    log: log.child("board"),
    env,
    root: home.root,
    lock: `${hostname()}:${process.pid}`,
    runner: program("runner.cjs"),
    worker: workerProgram(env),
  });
  dispatchers.push(dispatcher);
  return { board, dispatcher };
}

/** Looked for when it is needed: most commands start nothing. */
function program(name: string): Program {
  return {
    file: process.execPath,
    get args() {
      return [distFile(name)];
    },
  };
}

const workerProgram = (env: AppOptions["env"]): Program =>
  env["AGENT_BIN"] ? { file: env["AGENT_BIN"], args: [] } : program("worker.cjs");

function first<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the dispatcher is built with the board");
  return value;
}

interface Parts {
  readonly sessions: () => Promise<Store>;
  readonly bus: ReturnType<typeof createBus>;
  readonly models: Models;
  readonly board: Board;
  readonly gates: ReturnType<typeof createGates>;
}

function buildChat(options: AppOptions, parts: Parts): Chat {
  const { home, config, clock, ids, spawner, net, log } = options;
  const { sessions, bus, models, board, gates } = parts;
  return createChat({
    home,
    config,
    log,
    ports: { clock, ids, spawner, net },
    choose: (wanted) => models.choose(wanted),
    ask: (choice, request, signal) =>
      askModel(choice, request, {
        signal,
        clock,
        random: Math.random,
        attempts: config.get(API_MAX_RETRIES),
        streamRetries: config.get(STREAM_RETRIES),
        rebuild: () => net.rebuild(),
      }),
    tools: TOOLS,
    store: sessions,
    files: sessionFiles(home),
    readonly: options.kind === "readonly",
    gate: gates.forSession,
    board: (session, wanted) => boardForSession(board, session, wanted, config),
    publish: ({ event, session_id, turn_id, at, data }) =>
      bus.delta(`session:${session_id}`, {
        event,
        session_id,
        at: new Date(at).toISOString(),
        data,
        ...(turn_id === undefined ? {} : { turn_id }),
      }),
  });
}

/**
 * The session store, with the turns closed that an earlier owner left open. Turns of board workers are looked at later, when it is known which
 * workers live.
 */
function recoveredSessions(options: AppOptions, stores: Stores): () => Promise<Store> {
  let recovered: Promise<Store> | undefined;
  return () => {
    recovered ??= stores.sessions().then(async (store) => {
      if (options.kind === "readonly") return store;
      const closed = await closeOpenTurns(store, options.clock, (turn) => turn.run_id !== null);
      if (closed.length > 0) options.log.warning("turns were cut off", { turns: closed.length });
      return store;
    });
    recovered.catch(() => {
      recovered = undefined;
    });
    return recovered;
  };
}

async function start(options: AppOptions, store: () => Promise<Store>, board: Board, dispatcher: Dispatcher): Promise<void> {
  const sessions = await store();
  await dispatcher.start();
  const open = new Set<number>();
  for (const slug of await board.slugs()) for (const run of await board.openRuns(slug)) open.add(run.id);
  await closeOpenTurns(sessions, options.clock, (turn) => turn.run_id !== null && open.has(turn.run_id));
}
