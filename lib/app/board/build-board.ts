import { hostname } from "node:os";
import type { Service } from "../../base/async/service.js";
import { distFile } from "../../base/fs/dist.js";
import { type Board, createBoard } from "../../board/board.js";
import { KANBAN } from "../../board/core/keys.js";
import type { AuxiliarySlot } from "../../board/core/ports.js";
import { createDispatcher, type Dispatcher } from "../../board/dispatcher/dispatcher.js";
import { createAutoGc } from "../../board/gc/auto.js";
import { createDeliverer } from "../../board/notify/deliverer.js";
import { createAutoDecomposer } from "../../board/orchestrate/auto.js";
import type { Program } from "../../board/worker-process/runner.js";
import { createStopper } from "../../board/worker-process/stop-worker.js";
import { toInheritedEnv } from "../../board/worker-process/worker-env.js";
import type { AppOptions } from "../../config/app-options.js";
import type { DispatchForecast } from "../../contracts/board/explain.js";
import type { Notifier } from "../../contracts/board/notifier.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { Models } from "../../models/select.js";
import { buildAux } from "../../runtime/aux-models.js";
import { skillsOfHome } from "../../runtime/home-skills.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import { checkHomeStores } from "../stores/store-checks.js";
import type { Stores } from "../stores/stores.js";
import { createBoardMover, defaultBoardOf } from "./board-mover.js";
import { createProfiles } from "./board-profiles.js";

export interface BoardParts {
  readonly board: Board;
  readonly dispatcher: Dispatcher;
  /** Tells chats what they have subscribed to. */
  readonly deliverer: Service;
  /** Clears away what is old, when that is wanted. */
  readonly autoGc: Service;
  /** Decomposes triage tasks by itself. */
  readonly planner: Service;
}

/** What the board uses of the other parts. */
export interface BoardContext {
  readonly redact: (text: string) => string;
  /** Likewise for a process that only looks, which does not have one: doctor sees what should not be there. */
  readonly redactor: () => Promise<(text: string) => string>;
  /** Brings messages of the ledgers to chats. */
  readonly notifier: Notifier;
  readonly models: () => Promise<Models>;
  readonly tools: ToolRegistry;
}

/** The board of this owner, the dispatcher that works it, and what tells of it. Neither of these runs before it is started. */
export function buildBoard(options: AppOptions, stores: Stores, around: BoardContext): BoardParts {
  const { home, config, clock, ids, spawner, env } = options;
  const log = options.log.child("board");
  const profiles = createProfiles(home, () => toolsetNames(around.tools), {
    skillsOf: (of) => skillsOfHome({ ...options, home: of, env: { ...env, AGENT_HOME: of.dir } }),
    clock,
    inherited: () => toInheritedEnv(env, config.get(KANBAN.workerEnv)),
  });
  const aux = buildAux(options, around.models);
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
    defaultBoardOf,
    explain: {
      forecast: forecastOf(options, () => dispatcher),
      auxiliary: () => slotsOf(aux),
      redactor: around.redactor,
      files: (slug) => stores.inspect(slug, false),
      otherStores: () => checkHomeStores(home, stores),
    },
    redact: around.redact,
    orchestration: {
      aux,
      roster: async () => profiles.roster(),
      hasSkill: async (name, skill) => (await (await profiles.find(name))?.hasSkill(skill)) === true,
    },
    ...(options.kind === "readonly"
      ? {}
      : { pass: (wanted) => dispatcher.pass(wanted), mover: createBoardMover(stores, () => dispatcher) }),
  });
  const dispatcher = createDispatcher({
    ...shared,
    kernel: board,
    api: board,
    profiles,
    refresh: () => config.refresh(),
    ...(options.reserved === true || options.listens === true ? { reserved: true } : {}),
    ...(options.workspace === true ? { workspace: true } : {}),
    root: home.root,
    lock: `${hostname()}:${process.pid}`,
    runner: program("runner.cjs"),
    worker: workerProgram(env),
  });
  const deliverer = createDeliverer({ ...shared, kernel: board, notifier: around.notifier });
  const autoGc = createAutoGc({ ...shared, board, slugs: () => board.slugs(), root: home.root });
  const planner = createAutoDecomposer({
    ...shared,
    kernel: board,
    aux,
    exists: profiles.exists,
    dispatching: () => dispatcher.dispatching(),
  });
  return { board, dispatcher, deliverer, autoGc, planner };
}

const toolsetNames = (tools: ToolRegistry): readonly string[] => [
  ...new Set([...tools.entries().map((tool) => tool.toolset), ...tools.toolsets()]),
];

/** A process that lives as long as a command, or for a listener, starts no workers, and its dispatcher only says what it would do. */
function forecastOf({ kind, listens }: AppOptions, dispatcher: () => Dispatcher): DispatchForecast {
  return {
    state: () =>
      kind !== "long" || listens === true ? "absent" : dispatcher().dispatching() ? "dispatching" : "disabled",
    stalled: () => dispatcher().stalled(),
    forecastStarts: (limit) => dispatcher().forecastStarts(limit),
    forecastTask: (board, id) => dispatcher().forecastTask(board, id),
  };
}

const BOARD_SLOTS = ["triage_specifier", "kanban_decomposer", "profile_describer"] as const;

async function slotsOf(aux: AuxClient): Promise<readonly AuxiliarySlot[]> {
  const problems = {
    usable: undefined,
    none: "no auxiliary client configured",
    broken: "auxiliary client unavailable",
  } as const;
  return Promise.all(BOARD_SLOTS.map(async (slot) => ({ slot, problem: problems[await aux.state(slot)] })));
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
