import { hostname } from "node:os";
import { distFile } from "../base/dist.js";
import type { Service } from "../base/service.js";
import { type Board, createBoard } from "../board/board.js";
import { createDispatcher, type Dispatcher } from "../board/dispatcher.js";
import { KANBAN } from "../board/keys.js";
import { createDeliverer } from "../board/notify/deliverer.js";
import type { Program } from "../board/runner.js";
import { createStopper } from "../board/stop-worker.js";
import type { Foresight } from "../proto/board-explain.js";
import { noPlatforms } from "../proto/notifier.js";
import { TOOLS } from "../tools/index.gen.js";
import type { AppOptions } from "./options.js";
import { createProfiles } from "./profiles.js";
import type { Stores } from "./stores.js";

export interface BoardParts {
  readonly board: Board;
  readonly dispatcher: Dispatcher;
  /** Tells chats what they have subscribed to. */
  readonly deliverer: Service;
}

/** The board of this owner, the dispatcher that works it, and what tells of it. Neither of these runs before it is started. */
export function buildBoard(options: AppOptions, stores: Stores, redact: (text: string) => string): BoardParts {
  const { home, config, clock, ids, spawner, env } = options;
  const log = options.log.child("board");
  const profiles = createProfiles(home, () => [...new Set(TOOLS.map((tool) => tool.toolset))]);
  const stopper = createStopper({
    spawner,
    clock,
    places: (slug) => board.places(slug),
    graceMs: () => config.get(KANBAN.killGrace) * 1000,
  });
  const shared = { clock, ids, config, spawner, log, env };
  const board = createBoard({
    ...shared,
    stores: (slug, need) => stores.board(slug, need === "create"),
    profiles,
    stopper,
    host: spawner.host,
    home,
    redact,
    explain: { foresight: foresightOf(options, () => dispatcher) },
    ...(options.kind === "readonly" ? {} : { pass: (wanted) => dispatcher.pass(wanted) }),
  });
  const dispatcher = createDispatcher({
    ...shared,
    kernel: board,
    api: board,
    profiles,
    refresh: () => config.refresh(),
    ...(options.reserved === true ? { reserved: true } : {}),
    root: home.root,
    lock: `${hostname()}:${process.pid}`,
    runner: program("runner.cjs"),
    worker: workerProgram(env),
  });
  const deliverer = createDeliverer({ ...shared, kernel: board, notifier: noPlatforms });
  return { board, dispatcher, deliverer };
}

/** A process that lives as long as a command starts no workers, and its dispatcher only says what it would do. */
function foresightOf({ kind }: AppOptions, dispatcher: () => Dispatcher): Foresight {
  return {
    state: () => (kind !== "long" ? "absent" : dispatcher().dispatching() ? "dispatching" : "disabled"),
    stalled: () => dispatcher().stalled(),
    foresee: (limit) => dispatcher().foresee(limit),
    foreseeOne: (board, id) => dispatcher().foreseeOne(board, id),
  };
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
