import { join } from "node:path";
import { PROVIDERS } from "../../adapters/providers/index.gen.js";
import { createLastingClient } from "../backplane/lasting.js";
import { readTextSync, replaceTextFile } from "../base/fs/text-file.js";
import { homeFrom, layOutHome } from "../base/home.js";
import { randomIds } from "../base/ids.js";
import { createLog } from "../base/log/log.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { systemClock } from "../base/time/clock.js";
import { boardPlaces } from "../board/core/places.js";
import { WORKER_GUIDANCE } from "../board/worker-api/worker-guidance.js";
import type { WorkerBrief } from "../board/worker-api/worker-methods.js";
import { reportPath } from "../board/worker-process/runner-files.js";
import type { ChildGate } from "../chat/children/types.js";
import { GOAL_TURNS } from "../chat/config/keys.js";
import { type Conversation, type ConversationDeps, openConversation } from "../chat/conversation/conversation.js";
import { CHECKPOINTS } from "../checkpoints/keys.js";
import type { AppOptions } from "../config/app-options.js";
import { loadConfig } from "../config/load-config.js";
import type { ClaimFile } from "../contracts/board/board.js";
import type { NewSession } from "../contracts/chat/chat.js";
import { createModels } from "../models/select.js";
import { createAskModel } from "../runtime/ask-model.js";
import { buildAux } from "../runtime/aux-models.js";
import { createGates, logRedactor } from "../runtime/gates.js";
import { goalJudge } from "../runtime/goal-judge.js";
import { languageServersOf } from "../runtime/language-servers.js";
import { createCages } from "../safety/cage/cages.js";
import { ALLOW_PRIVATE, FAKE_IP_RANGES } from "../safety/config/keys.js";
import { createNet } from "../safety/net/net.js";
import type { Permission, PermissionAnswer } from "../tools/core/define.js";
import { TOOLS } from "../tools/index.gen.js";
import { workTask } from "./work-task.js";
import { parseWorkerArgs } from "./worker-args.js";
import { workerChildren } from "./worker-children.js";
import { EXIT, type GoalParts, type WorkerParts } from "./worker-state.js";

/** What the process gives to its worker. */
export interface WorkerProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly version: string;
  /** Aborts on SIGTERM. */
  readonly terminated: AbortSignal;
  /** A terminal call was accepted. */
  onTerminal(): void;
  /** One line for the task log. */
  say(line: string): void;
  /** One line for the task log, as it is. */
  trace(line: string): void;
}

/** Work on one task as a client of ROOT's owner (board part, 7.5). Never becomes an owner. @returns the exit code */
export async function runWorker(process: WorkerProcess): Promise<number> {
  const claimPath = process.env["AGENT_KANBAN_CLAIM"] ?? "";
  const claim = readClaim(claimPath);
  if (!claim) {
    process.say(
      claimPath === ""
        ? "AGENT_KANBAN_CLAIM is not set: only the dispatcher starts workers"
        : `no claim in ${claimPath}`,
    );
    return claimPath === "" ? EXIT.unusable : EXIT.lost;
  }
  const client = createLastingClient(layOutHome(homeFrom(process.env).root), {
    kind: "worker",
    version: process.version,
    claim,
    clock: systemClock,
  });
  // Read while the owner is asked for the task.
  const options = optionsOf(process);
  options.catch(() => undefined); // it is awaited, and its failure told, when the conversation is opened
  try {
    return await workTask({
      client,
      claim,
      clock: systemClock,
      ids: randomIds,
      cwd: process.cwd,
      terminated: process.terminated,
      say: process.say,
      onTerminal: process.onTerminal,
      trace: (line) => {
        // What it does is written once its settings are read: they name what has to be kept out.
        options.then(({ config, home }) => process.trace(logRedactor(config, home)(line))).catch(() => undefined); // its failure ends the run by itself
      },
      converse: async (brief, parts) => converse(process, await options, brief, parts),
      goals: async () => goalParts(process, await options),
      onFailure: (errorClass) => {
        try {
          replaceTextFile(reportPath(claimPath), `${JSON.stringify({ class: errorClass })}\n`, 0o600);
        } catch {
          /* ok to lose: the disk is full, and the class of the failure is the least that is lost with it. */
        }
      },
    });
  } finally {
    client.close();
  }
}

function readClaim(path: string): ClaimFile | undefined {
  const text = path === "" ? undefined : readTextSync(path);
  return text === undefined ? undefined : (JSON.parse(text) as ClaimFile); // written by the owner of this version
}

/** The ordinary conversation, with the settings of the profile, the owner's transcript and the board tools of a worker. */
function converse(
  process: WorkerProcess,
  options: WorkerOptions,
  brief: WorkerBrief,
  parts: WorkerParts,
): Conversation {
  const args = parseWorkerArgs(process.argv);
  const { config, clock, ids, spawner, net, home, log, cages } = options;
  const models = createModels({ config, net, clock, log, providers: PROVIDERS, env: config.env });
  const gate = createGates(options).forSession(brief.session, newSession(process, brief));
  const servers = languageServersOf(options);
  const deps: ConversationDeps = {
    home,
    config,
    log,
    tools: TOOLS,
    ports: { clock, ids, spawner, net, diagnostics: servers.diagnostics, ...(cages === undefined ? {} : { cages }) },
    choose: (wanted) => models.choose(wanted),
    line: async (choice) => models.line(choice),
    side: buildAux(options, async () => models).ask,
    ask: createAskModel(options, logRedactor(config, home)),
  };
  const { redact, redactStream, placeholders, reveal } = gate;
  const own: ChildGate = {
    redact,
    redactStream,
    placeholders,
    reveal,
    permit: async (permission, cwd) => orBlock(permission, await gate.permit(permission, cwd)),
  };
  const { transcript, activity } = parts;
  const named = {
    ...newSession(process, brief),
    toolsets: args.toolsets,
    ...(args.model === undefined ? {} : { model: args.model }),
  };
  const checkpoints = () => (config.get(CHECKPOINTS.enabled) ? parts.checkpoints : undefined);
  const children = workerChildren(deps, { transcript, options: named, gate: own, activity, checkpoints });
  const conversation = openConversation(deps, {
    transcript,
    board: parts.board,
    cwd: process.cwd,
    env: process.env,
    worker: WORKER_GUIDANCE,
    wanted: args.model === undefined ? {} : { model: args.model },
    toolsets: args.toolsets,
    boardTools: new Set(brief.tools),
    ...own,
    children: children.port,
    live: () => activity(),
    checkpoints,
  });
  const close = async () => {
    await children.stop();
    await conversation.close();
    await servers.stop();
  };
  return Object.create(conversation, { close: { value: close } }) as Conversation; // the conversation itself, with one more thing to let go
}

/** The judge of goal tasks: side work of this process, with the settings of the profile. */
function goalParts(process: WorkerProcess, options: WorkerOptions): GoalParts {
  const { config, clock, net, log } = options;
  const { ask, diffStat } = goalJudge(
    options,
    createModels({ config, net, clock, log, providers: PROVIDERS, env: config.env }),
  );
  return { maxTurns: config.get(GOAL_TURNS), ask, diffStat: () => diffStat(process.cwd, process.env) };
}

/** Nobody is there to be asked; the board is. */
function orBlock(permission: Permission, answer: PermissionAnswer): PermissionAnswer {
  if (answer.allowed || answer.status === "blocked") return answer;
  const advice = `It was not run: it needs approval and nobody is here to give it. If the task cannot be done without it, call kanban_block with the reason "approval-required: ${permission.command}".`;
  return { ...answer, message: `${answer.message} ${advice}` };
}

function newSession(process: WorkerProcess, brief: WorkerBrief): NewSession {
  return {
    source: "worker",
    cwd: process.cwd,
    env: process.env,
    profile: brief.profile,
    yolo: brief.approvals === "allow",
  };
}

/** What the commands of a task have of the board's files: they write its workspace and what is attached to it, and read what other tasks have. */
function directoriesOf(env: WorkerProcess["env"]): {
  readonly own: readonly string[];
  readonly shown: readonly string[];
} {
  const root = env["AGENT_KANBAN_HOME"];
  if (root === undefined) return { own: [], shown: [] };
  const { attachments } = boardPlaces(root, env["AGENT_KANBAN_BOARD"] ?? "default", env);
  const task = env["AGENT_KANBAN_TASK"];
  const workspace = env["AGENT_KANBAN_WORKSPACE"];
  return {
    own: [...(workspace === undefined ? [] : [workspace]), ...(task === undefined ? [] : [join(attachments, task)])],
    shown: [attachments],
  };
}

type WorkerOptions = Pick<
  AppOptions,
  "home" | "env" | "config" | "clock" | "ids" | "spawner" | "net" | "log" | "cages"
>;

async function optionsOf({ env }: WorkerProcess): Promise<WorkerOptions> {
  const home = homeFrom(env);
  const clock = systemClock;
  const config = await loadConfig({ home, env, clock, keys: [], readonly: true });
  const log = createLog({ dir: home.logs, clock, level: "info", redact: logRedactor(config, home) });
  const net = createNet({
    clock,
    allowPrivate: () => config.get(ALLOW_PRIVATE),
    fakeIpRanges: () => config.get(FAKE_IP_RANGES),
  });
  const cages = createCages({ home, env, config, spawner: systemSpawner, clock, ...directoriesOf(env) });
  return { home, env, config, clock, ids: randomIds, spawner: systemSpawner, net, log, cages };
}
