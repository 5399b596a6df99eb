import { join } from "node:path";
import { PROVIDERS } from "../../../adapters/providers/index.gen.js";
import { readOwner } from "../../../storage/lock.js";
import type { Store } from "../../../storage/store.js";
import { draftsWith } from "../../../storage/tables/sessions/prompts.js";
import type { Bus } from "../../backplane/bus.js";
import { lazily } from "../../base/async/lazy.js";
import { readAtMost } from "../../base/fs/files.js";
import { exists } from "../../base/fs/home-files.js";
import { loginRoot } from "../../base/home.js";
import { toIso } from "../../base/units.js";
import { type Chat, createChat } from "../../chat/chat.js";
import type { Checkpoints } from "../../checkpoints/checkpoints.js";
import { CHECKPOINTS } from "../../checkpoints/keys.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { TurnFiles } from "../../contracts/chat/turn-files.js";
import type { CronApi } from "../../contracts/gateway/cron.js";
import type { MessagesApi } from "../../contracts/gateway/messages.js";
import type { CheckpointTaker } from "../../contracts/owner/checkpoints.js";
import type { DiagnosticsPort } from "../../contracts/owner/language-servers.js";
import { turnReach } from "../../gateway/conversations/turn-reach.js";
import type { Logins } from "../../logins/logins.js";
import { IMAGE_INPUT } from "../../models/keys.js";
import { withPictures } from "../../models/pictures.js";
import { createModels, type Models } from "../../models/select.js";
import { createAskModel } from "../../runtime/ask-model.js";
import { buildAux } from "../../runtime/aux-models.js";
import { createGates } from "../../runtime/gates.js";
import { goalJudge } from "../../runtime/goal-judge.js";
import { describing } from "../../runtime/pictures/describe-pictures.js";
import { picturesOf } from "../../runtime/pictures/message-pictures.js";
import { claimPictures } from "../../runtime/pictures/picture-mentions.js";
import { TOOLS } from "../../tools/index.gen.js";
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
  readonly board: BoardApi;
  readonly checkpoints: () => Promise<Checkpoints>;
  /** Language servers for what is written. */
  readonly diagnostics?: DiagnosticsPort;
  /** Chats on messaging platforms, for tools that send to them. */
  readonly messages?: MessagesApi;
  /** Scheduled jobs, for the tool that makes them. */
  readonly cron?: CronApi;
}

/** @param logins where stored keys are; without it those of the settings are all */
export function buildModels(options: AppOptions, logins?: () => Promise<Logins>): Models {
  const there = () => exists(join(loginRoot(options.home), "auth.json"));
  // Logins are loaded where there are any, or where there are several keys to look after.
  const stored = async (written: number) => (written > 1 || there() ? (await logins?.())?.keys : undefined);
  return createModels({ ...options, env: options.config.env, providers: PROVIDERS, stored });
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
  { sessions, memory, state, bus, models, board, checkpoints, ...reached }: ChatParts,
): Chat {
  const { home, config, clock, ids, spawner, net, log, cages } = options;
  const aux = buildAux(options, models);
  const gates = createGates(options, aux, turnReach({ ...options, ...(state === undefined ? {} : { store: state }) }));
  const pictures = {
    mode: () => config.get(IMAGE_INPUT),
    read: readAtMost,
    describe: describing({ config, aux, redact: gates.redactLog }),
  };
  const taker = lazily<CheckpointTaker>(checkpoints);
  return createChat({
    home,
    config,
    log,
    ports: { clock, ids, spawner, net, ...reached, ...(cages === undefined ? {} : { cages }) },
    choose: async (wanted) => (await models()).choose(wanted),
    line: async (choice) => (await models()).line(choice),
    ask: createAskModel(options, gates.redactLog, (ask) => withPictures(ask, pictures)),
    aux,
    side: aux.ask,
    tools: TOOLS,
    pictures: (queued) =>
      picturesOf({ ...home, waiting: async (words) => [...(await queued(words)), ...(await drafted(state, words))] }),
    pictured: (text, lineage) => claimPictures(home, text, lineage),
    summary: (cwd, env) => workspaceSummary({ spawner, clock }, cwd, env),
    judge: async () => goalJudge(options, await models()),
    store: sessions,
    memory,
    files: sessionFiles(home),
    elsewhere: otherProfiles(options),
    readonly: options.kind === "readonly",
    ownerEnded: () => options.kind === "readonly" && !hasOwner(options),
    gate: gates.forSession,
    board: (session, wanted) => boardForSession(board, session, wanted, config),
    namedTask: (given, env) => namedTask(board, given, env),
    turnFiles: lazily<TurnFiles>(async () => (await checkpoints()).turnFiles),
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
