import { join } from "node:path";
import { PROVIDERS } from "../../adapters/providers/index.gen.js";
import { createReconnectingClient } from "../backplane/reconnecting-client.js";
import { once } from "../base/async/lazy.js";
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
import { isSafeMode } from "../contracts/config/safe-mode.js";
import type { ProviderKind } from "../contracts/plugins/context.js";
import { createHookBus } from "../hooks/hook-bus.js";
import { HOOK_TIMEOUT } from "../hooks/keys.js";
import { openShellHooks } from "../hooks/shell/shell-hooks.js";
import { withPictures } from "../models/pictures.js";
import { pluginModels } from "../models/plugin/plugin-models.js";
import { createModels, type Models } from "../models/select.js";
import { wantsPlugins } from "../plugins/find/enablement.js";
import { pluginSkills } from "../plugins/host/providers.js";
import type { OpenPlugins } from "../plugins/open-plugins.js";
import { createAskModel } from "../runtime/ask-model.js";
import { buildAux } from "../runtime/aux-models.js";
import { withContextEngine } from "../runtime/context-engine.js";
import { createGates } from "../runtime/gates.js";
import { goalJudge } from "../runtime/goal-judge.js";
import { logRedactor } from "../runtime/known-secrets.js";
import { languageServersOf } from "../runtime/language-servers.js";
import { memoryOf } from "../runtime/memory.js";
import { outsideOf } from "../runtime/outside.js";
import { keepResultPictures } from "../runtime/pictures/result-pictures.js";
import { shownPictures } from "../runtime/pictures/shown-pictures.js";
import { siteRefusal } from "../runtime/site-rules.js";
import { skillsOf } from "../runtime/skills.js";
import { createCages } from "../safety/cage/cages.js";
import { ALLOW_PRIVATE, FAKE_IP_RANGES, TRUST_PROXY } from "../safety/config/keys.js";
import { envProxy } from "../safety/net/env-proxy.js";
import { createNet } from "../safety/net/net.js";
import type { Permission, PermissionAnswer } from "../tools/core/define.js";
import type { ToolSource } from "../tools/core/tool-source.js";
import { TOOLS } from "../tools/index.gen.js";
import { createToolRegistry } from "../tools/registry/tool-registry.js";
import { workTask } from "./work-task.js";
import { parseWorkerArgs } from "./worker-args.js";
import { workerChildren } from "./worker-children.js";
import type { WorkerPlugins } from "./worker-plugins.js";
import { workerRuntime } from "./worker-runtime.js";
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
  const client = createReconnectingClient(layOutHome(homeFrom(process.env).root), {
    kind: "worker",
    version: process.version,
    claim,
    clock: systemClock,
  });
  // Read while the owner is asked for the task.
  const options = optionsOf(process);
  options.catch(() => undefined); // it is awaited, and its failure told, when the conversation is opened
  const plugins = once(async () => pluginsOf(await options));
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
      converse: async (brief, parts) => {
        return converse(process, await options, brief, { ...parts, plugins: await plugins() });
      },
      goals: async () => goalParts(process, await options, await plugins()),
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

/** Time that hooks have to handle what they have received. */
const HOOKS_STOP_MS = 5_000;

/** Loaded where any is enabled. */
async function pluginsOf(options: WorkerOptions): Promise<WorkerPlugins | undefined> {
  const { hooks, config } = options;
  if (hooks === undefined || !wantsPlugins(config)) return undefined;
  let loaded: WorkerPlugins | undefined;
  const { loadWorkerPlugins } = await import("./worker-plugins.js");
  const aux = buildAux(options, async () => modelsOf(options, loaded));
  loaded = await loadWorkerPlugins({ ...options, hooks }, aux);
  return loaded;
}

/** Tools of the plugins of a profile; those of ROOT's home run in its owner, which offers them. */
const ownTools = (plugins: OpenPlugins | undefined, home: AppOptions["home"]): readonly ToolSource[] =>
  plugins === undefined || home.dir === home.root ? [] : [plugins.host.toolSource];

/** The ordinary conversation, with the settings of the profile, the owner's transcript and the board tools of a worker. */
function converse(
  process: WorkerProcess,
  options: WorkerOptions,
  brief: WorkerBrief,
  parts: WorkerParts & { readonly plugins: WorkerPlugins | undefined },
): Conversation {
  const args = parseWorkerArgs(process.argv);
  const { config, clock, ids, spawner, net, home, log, cages } = options;
  const models = modelsOf(options, parts.plugins);
  const provided = providedBy(parts.plugins);
  const gate = createGates(options).forSession(brief.session, newSession(process, brief));
  const servers = languageServersOf(options);
  const memory = memoryOf(options, () => parts.plugins?.memory());
  const aux = buildAux(options, async () => models);
  const redacted = logRedactor(config, home);
  // A worker writes renewed logins to the store that all processes share.
  const logins = once(async () => (await import("../runtime/logins.js")).buildLogins(options, false));
  const outside = outsideOf(
    { ...options, version: process.version },
    {
      aux,
      models: async () => models,
      logins,
      provided,
    },
  );
  const ofPlugins = () => (parts.plugins === undefined ? [] : pluginSkills(parts.plugins.providers));
  const skills = skillsOf(options, { ofPlugins });
  const runtimeFor = workerRuntime(
    { home, config, clock, ids, spawner, log, version: process.version },
    { writable: directoriesOf(process.env).own, path: config.env["PATH"], trace: process.trace, models, ...parts },
  );
  const deps: ConversationDeps = {
    ...(runtimeFor === undefined ? {} : { runtimeFor }),
    home,
    config,
    log,
    tools: createToolRegistry(TOOLS, [parts.tools, ...ownTools(parts.plugins, home)], (text) => log.warning(text)),
    ports: {
      clock,
      ids,
      spawner,
      net,
      diagnostics: servers.diagnostics,
      skills: skills.services,
      memory: memory.api,
      ...outside.ports,
      browser: parts.browser,
      ...(cages === undefined ? {} : { cages }),
    },
    choose: (wanted) => models.choose(wanted),
    line: async (choice) => models.line(choice),
    keepPictures: (images, lineage) => keepResultPictures(home, images, lineage),
    side: withContextEngine(aux.ask, options, () => provided("context_engine")),
    ask: createAskModel(options, redacted, (ask) =>
      withPictures(ask, shownPictures(config, { aux, redact: redacted })),
    ),
    promptSources: [skills.prompt, memory.prompt],
    recollect: memory.turns,
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
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
    skills: args.skills,
    boardSlug: process.env["AGENT_KANBAN_BOARD"] ?? "default",
    boardTools: new Set(brief.tools),
    ...own,
    children: children.port,
    live: () => activity(),
    checkpoints,
  });
  const close = async () => {
    await children.stop();
    await conversation.close();
    options.hooks?.tell("on_session_finalize", { session_id: transcript.session.id, platform: "worker" });
    await options.hooks?.close(HOOKS_STOP_MS);
    parts.plugins?.host.stop();
    await servers.stop();
    await parts.browser.end();
    await outside.close();
    await (await logins.peek())?.stop();
  };
  return Object.create(conversation, { close: { value: close } }) as Conversation; // the conversation itself, with one more thing to let go
}

const providedBy = (plugins: OpenPlugins | undefined) => (kind: ProviderKind) =>
  plugins?.providers.list(kind).map(({ provider }) => provider) ?? [];

/** The models of this process, with those that its plugins bring. */
function modelsOf({ config, net, clock, log }: WorkerOptions, plugins: OpenPlugins | undefined): Models {
  const ofPlugins = pluginModels(() => providedBy(plugins)("model_provider"));
  return createModels({ config, net, clock, log, providers: PROVIDERS, env: config.env, ofPlugins });
}

/** The judge of goal tasks: side work of this process, with the settings of the profile. */
function goalParts(process: WorkerProcess, options: WorkerOptions, plugins: OpenPlugins | undefined): GoalParts {
  const { config } = options;
  const { ask, diffStat } = goalJudge(options, modelsOf(options, plugins));
  return { maxTurns: config.get(GOAL_TURNS), ask, diffStat: () => diffStat(process.cwd, process.env) };
}

/** No one can be asked here: what needs approval blocks the task. */
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
  "home" | "env" | "config" | "clock" | "ids" | "spawner" | "net" | "log" | "cages" | "hooks"
>;

async function optionsOf({ env }: WorkerProcess): Promise<WorkerOptions> {
  const home = homeFrom(env);
  const clock = systemClock;
  const config = await loadConfig({ home, env, clock, keys: [], readonly: true });
  const log = createLog({ dir: home.logs, clock, level: "info", redact: logRedactor(config, home) });
  const net = createNet({
    clock,
    stays: true,
    allowPrivate: () => config.get(ALLOW_PRIVATE),
    fakeIpRanges: () => config.get(FAKE_IP_RANGES),
    refuse: siteRefusal({ home, config }),
    proxyFor: (url) => (config.get(TRUST_PROXY) ? envProxy(config.env, url) : undefined),
  });
  const cages = createCages({ home, env, config, spawner: systemSpawner, clock, ...directoriesOf(env) });
  const hooks = createHookBus({ clock, log: log.child("hooks"), timeoutMs: () => config.get(HOOK_TIMEOUT) * 1_000 });
  // `--accept-hooks` of its command line approves nothing, because no one looks at what a worker runs. It follows the approvals of its home.
  if (!isSafeMode(env))
    openShellHooks({
      home,
      clock,
      config,
      log: log.child("hooks"),
      spawner: systemSpawner,
      env: config.env,
      registrations: hooks,
      accept: false,
      announce: true,
    });
  return { home, env, config, clock, ids: randomIds, spawner: systemSpawner, net, log, cages, hooks };
}
