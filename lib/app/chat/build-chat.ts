import { join } from "node:path";
import { PROVIDERS } from "../../../adapters/providers/index.gen.js";
import { readOwner } from "../../../storage/lock.js";
import type { Store } from "../../../storage/store.js";
import { draftsWith } from "../../../storage/tables/sessions/prompts.js";
import type { Bus } from "../../backplane/bus.js";
import { exists } from "../../base/fs/home-files.js";
import { loginRoot } from "../../base/home.js";
import { toIso } from "../../base/units.js";
import { type Chat, createChat } from "../../chat/chat.js";
import type { EditorDesk } from "../../chat/editor/editor-desk.js";
import type { Checkpoints } from "../../checkpoints/checkpoints.js";
import { CHECKPOINTS } from "../../checkpoints/keys.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { TurnFiles } from "../../contracts/chat/turn-files.js";
import type { CronApi } from "../../contracts/gateway/cron.js";
import type { MessagesApi } from "../../contracts/gateway/messages.js";
import type { CheckpointTaker } from "../../contracts/owner/checkpoints.js";
import type { DiagnosticsPort } from "../../contracts/owner/language-servers.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import { turnReach } from "../../gateway/conversations/turn-reach.js";
import type { Logins } from "../../logins/logins.js";
import { withPictures } from "../../models/pictures.js";
import type { PluginModels } from "../../models/plugin/plugin-models.js";
import { createModels, type Models } from "../../models/select.js";
import { createAskModel } from "../../runtime/ask-model.js";
import { buildAux } from "../../runtime/aux-models.js";
import { withContextEngine } from "../../runtime/context-engine.js";
import { createGates } from "../../runtime/gates.js";
import { goalJudge } from "../../runtime/goal-judge.js";
import type { MemoryPart } from "../../runtime/memory.js";
import type { OutsidePorts } from "../../runtime/outside-part.js";
import { picturesOf } from "../../runtime/pictures/keep-pictures.js";
import { claimPictures } from "../../runtime/pictures/picture-mentions.js";
import { keepResultPictures } from "../../runtime/pictures/result-pictures.js";
import { shownPictures } from "../../runtime/pictures/shown-pictures.js";
import { vendorRuntime } from "../../runtime/runtimes.js";
import type { SkillsPart } from "../../runtime/skills.js";
import type { ToolRegistry } from "../../tools/registry/tool-registry.js";
import { boardForSession } from "./board-for-session.js";
import { namedTask } from "./named-task.js";
import { otherProfiles } from "./other-profiles.js";
import { sessionFiles } from "./session-files.js";
import { workspaceSummary } from "./workspace-summary.js";

export interface ChatParts {
  readonly sessions: () => Promise<Store>;
  /** A session store in memory, for ephemeral sessions. */
  readonly memory: () => Promise<Store>;
  /** The store that knows who talks in which chat. */
  readonly state?: () => Promise<Store>;
  readonly bus: Bus;
  readonly models: () => Promise<Models>;
  readonly tools: ToolRegistry;
  readonly board: BoardApi;
  readonly checkpoints: () => Promise<Checkpoints>;
  /** Language servers for what is written. */
  readonly diagnostics?: DiagnosticsPort;
  /** Editors whose files the file tools read and write. */
  readonly editors?: EditorDesk;
  /** Chats on messaging platforms, for tools that send to them. */
  readonly messages?: MessagesApi;
  /** Scheduled jobs, for the tool that makes them. */
  readonly cron?: CronApi;
  readonly skills: SkillsPart;
  /** What is kept from one conversation to the next. */
  readonly remembered: MemoryPart;
  /** What tools reach beyond files and commands. */
  readonly outside: OutsidePorts;
  /** Context engines of plugins. */
  readonly engines?: () => readonly PluginProvider[];
}

/** @param logins where stored keys are; without it those of the settings are all */
export function buildModels(options: AppOptions, logins?: () => Promise<Logins>, ofPlugins?: PluginModels): Models {
  const there = () => exists(join(loginRoot(options.home), "auth.json"));
  // Logins are loaded where there are any, or where there are several keys to look after.
  const stored = async (written: number) => (written > 1 || there() ? (await logins?.())?.keys : undefined);
  const env = options.config.env;
  return createModels({
    ...options,
    env,
    providers: PROVIDERS,
    stored,
    ...(ofPlugins === undefined ? {} : { ofPlugins }),
  });
}

/** The text beside the lock may be that of an owner that was killed. */
function hasOwner({ home: { lock }, spawner }: Pick<AppOptions, "home" | "spawner">): boolean {
  const owner = readOwner(lock);
  return owner !== undefined && spawner.identify(owner.pid)?.start === owner.start;
}

/** Texts of input lines that were not sent yet. */

const drafted = async (state: ChatParts["state"], words: string): Promise<readonly string[]> =>
  (await state?.())?.read((q) => draftsWith(q, words)) ?? [];

/** The chat of this owner: sessions, turns, and what they may use. */
export function buildChat(
  options: AppOptions,
  {
    sessions,
    memory,
    state,
    bus,
    models,
    board,
    checkpoints,
    tools,
    skills,
    remembered,
    outside,
    editors,
    engines = () => [],
    ...reached
  }: ChatParts,
): Chat {
  const { home, config, clock, ids, spawner, net, log, cages } = options;
  const aux = buildAux(options, models);
  const gates = createGates(options, aux, turnReach({ ...options, ...(state === undefined ? {} : { store: state }) }));
  const pictures = shownPictures(config, { aux, redact: gates.redactLog });
  // Checkpoints are loaded when the first of them is taken.
  const taker: CheckpointTaker = {
    take: async (...given) => (await checkpoints()).take(...given),
    release: async (...given) => (await checkpoints()).release(...given),
    directoryOf: async (...given) => (await checkpoints()).directoryOf(...given),
  };
  const turnFiles: TurnFiles = {
    changed: async (...given) => (await checkpoints()).turnFiles.changed(...given),
    restore: async (...given) => (await checkpoints()).turnFiles.restore(...given),
    again: async (...given) => (await checkpoints()).turnFiles.again(...given),
  };
  return createChat({
    home,
    config,
    log,
    ports: {
      clock,
      ids,
      spawner,
      net,
      skills: skills.services,
      memory: remembered.api,
      ...outside,
      ...reached,
      ...(cages === undefined ? {} : { cages }),
    },
    choose: async (wanted) => (await models()).choose(wanted),
    runtimeFor: vendorRuntime(options, models),
    line: async (choice) => (await models()).line(choice),
    ask: createAskModel(options, gates.redactLog, (ask) => withPictures(ask, pictures)),
    aux,
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    side: withContextEngine(aux.ask, options, engines),
    tools,
    promptSources: [skills.prompt, remembered.prompt],
    recollect: remembered.turns,
    pictures: (queued) =>
      picturesOf({ ...home, waiting: async (words) => [...(await queued(words)), ...(await drafted(state, words))] }),
    pictured: (text, lineage) => claimPictures(home, text, lineage),
    keepPictures: (images, lineage) => keepResultPictures(home, images, lineage),
    summary: (cwd, env) => workspaceSummary({ spawner, clock }, cwd, env),
    judge: async () => goalJudge(options, await models()),
    store: sessions,
    memory,
    files: sessionFiles(home),
    elsewhere: otherProfiles(options),
    readonly: options.kind === "readonly",
    ownerEnded: () => options.kind === "readonly" && !hasOwner(options),
    gate: gates.forSession,
    ...(editors === undefined ? {} : { editorOf: (lineage) => editors.filesOf(lineage) }),
    board: (session, wanted) => boardForSession(board, session, wanted, config),
    namedTask: (given, env) => namedTask(board, given, env),
    turnFiles,
    checkpoints: (wanted) => ((wanted.checkpoints ?? config.get(CHECKPOINTS.enabled)) ? taker : undefined),
    publish: ({ event, session_id, turn_id, at, data }) =>
      bus.delta(`session:${session_id}`, {
        event,
        session_id,
        at: toIso(at),
        data,
        ...(turn_id === undefined ? {} : { turn_id }),
      }),
  });
}
