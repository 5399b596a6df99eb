import { lastEnding } from "../../../storage/tables/sessions/turns.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi, NewSession, TurnResult } from "../../contracts/chat/chat.js";
import type { GoalApi } from "../../contracts/chat/goal.js";
import type { Activity, QueueApi } from "../../contracts/chat/queue.js";
import type { Config } from "../../contracts/config/config.js";
import { BUSY_INPUT_MODE } from "../config/busy-keys.js";
import { GOAL_TURNS } from "../config/keys.js";
import { createGoals } from "../goals/goal-engine.js";
import type { AskJudge } from "../goals/goal-judge.js";
import { readGoal, storedGoal } from "../goals/goal-store.js";
import { knownSession, type SessionStores } from "../sessions/session-stores.js";
import { goesOnElsewhere } from "../sessions/sessions.js";
import { readQueue } from "../transcript/queue-store.js";
import { openTranscript } from "../transcript/transcript.js";
import { changeSubgoals, clearGoal, pauseGoal, resumeGoal, setGoal, untilGoalRests } from "./goal-verbs.js";
import type { OpenSessions } from "./open-sessions.js";
import type { SessionActor, SessionActorDeps } from "./session-actor.js";
import type { Converse, TellSession } from "./turn-runner.js";

/** What judges the goals of conversations. */
export interface JudgeParts {
  readonly ask: AskJudge;
  /** `git diff --stat` of a directory; "" without a repository. */
  diffStat(cwd: string, env: Readonly<Record<string, string>>): Promise<string>;
}

export interface ActorPorts {
  readonly ports: { readonly clock: Clock; readonly ids: Ids };
  readonly config: Config;
  readonly log: Log;
  /** Made when the first goal is judged. */
  judge(): Promise<JudgeParts>;
}

/** What the actors of an owner work with. */
export function actorDeps(
  { ports, config, log, judge }: ActorPorts,
  converse: Converse,
  tell: TellSession,
): SessionActorDeps {
  const { clock, ids } = ports;
  return {
    converse,
    clock,
    ids,
    log,
    tell,
    busyMode: () => config.get(BUSY_INPUT_MODE),
    goals: (store, session, options) =>
      createGoals({
        transcript: openTranscript({ store, clock }, session),
        kept: storedGoal(store, clock, session),
        clock,
        ask: async (request, signal) => (await judge()).ask(request, signal),
        diffStat: async () => (await judge()).diffStat(options.cwd, options.env),
      }),
  };
}

/** The actor of a session. If it is not open yet, it opens in the directory where the session was last used. */
export function actorFinder(
  stores: SessionStores,
  open: OpenSessions,
): (id: SessionId, options?: NewSession) => Promise<SessionActor> {
  return async (id, options) => {
    const { store, session } = await knownSession(stores, id);
    const known = open.actor(session);
    if (known && options === undefined) return known;
    const newest = goesOnElsewhere(session) ? await (await stores.of(id)).sessions.reopen(id, session.cwd) : session;
    return open.open(store, newest, options ?? { source: "cli", cwd: session.cwd, env: {} });
  };
}

type ActorApi = QueueApi & GoalApi<TurnResult> & Pick<ChatApi, "submit" | "interrupt" | "shellLine">;

/** Turns, queues and goals, each by its actor. What only looks opens nothing. */
export function actorApi(
  stores: SessionStores,
  open: OpenSessions,
  { config, log }: Pick<ActorPorts, "config" | "log">,
): ActorApi {
  const find = actorFinder(stores, open);
  const verb =
    <A extends readonly unknown[], R>(act: (actor: SessionActor, ...args: A) => Promise<R>) =>
    async (id: SessionId, ...args: A): Promise<R> =>
      act(await find(id), ...args);
  return {
    submit: async (turn) => (await find(turn.session)).submit(turn),
    post: async (message) => (await find(message.session)).post(message),
    // An interrupt does not stand in line at the store.
    interrupt: async (id, options) => (open.named(id) ?? (await opened(stores, open, id)))?.interrupt(options) ?? false,
    activity: async () => Promise.all(open.all().map(activityOf)),
    view: async (id) => {
      const { store, session } = await knownSession(stores, id);
      const queue = await readQueue(store, session.lineage_root);
      const { turn, startedAt, ...phase } = open.actor(session)?.phase ?? IDLE;
      const cut_off = turn === undefined && (await store.read((q) => lastEnding(q, id))) === "owner_stopped";
      return {
        ...phase,
        turn_id: turn ?? null,
        turn_started_at: turn === undefined ? null : (startedAt ?? null),
        queue,
        cut_off,
      };
    },
    background: async (id, text) => {
      const parent = await find(id);
      const actor = await aside(stores, open, parent);
      const told = async () => {
        const { final_response: answer, error } = await actor.submit({ session: actor.session.id, text });
        await parent.note(`Background ${actor.session.id}: ${error?.message ?? answer}`, "background");
      };
      told().catch((error: unknown) =>
        log.error("failed to post the answer of a background prompt", { error: String(error) }),
      );
      return actor.session.id;
    },
    shellLine: verb((actor, command: string, tell: boolean) => actor.shellLine(command, tell)),
    steer: verb((actor, text: string) => actor.steer(text)),
    queue: async (id) => {
      const { store, session } = await knownSession(stores, id);
      return readQueue(store, session.lineage_root);
    },
    queueAdd: verb((actor, item) => actor.add(item)),
    queueEdit: verb((actor, item: string, text: string) => actor.edit(item, text)),
    queueMove: verb((actor, item: string, before: string | undefined) => actor.move(item, before)),
    queueRemove: verb((actor, item: string) => actor.remove(item)),
    queueSendNow: verb((actor, item: string | undefined) => actor.sendNow(item)),
    queueSteer: verb((actor, item: string) => actor.steerItem(item)),
    goal: async (id) => {
      const { store, session } = await knownSession(stores, id);
      return readGoal(store, session.lineage_root);
    },
    goalSet: verb((actor, text: string) => setGoal(actor, text, config.get(GOAL_TURNS))),
    goalPause: verb(pauseGoal),
    goalResume: verb(resumeGoal),
    goalClear: verb(clearGoal),
    goalSubgoal: verb(changeSubgoals),
    goalRest: verb(untilGoalRests),
  };
}

const IDLE = { phase: "idle", detail: "", since: 0, streamed: "", output: {}, turn: undefined, startedAt: undefined };

/** A conversation beside another one, worked in the same place. */
async function aside(stores: SessionStores, open: OpenSessions, parent: SessionActor): Promise<SessionActor> {
  const { session, options } = parent;
  const { cwd, profile, ephemeral } = session;
  const more = {
    ...(options.toolsets === undefined ? {} : { toolsets: options.toolsets }),
    ...(options.skills === undefined ? {} : { skills: options.skills }),
    ...(ephemeral ? { ephemeral } : {}),
  };
  const place = {
    source: "background",
    cwd,
    profile,
    model: "",
    provider: "",
    parent: { session, relation: "background" },
  } as const;
  const made = await stores.create({ ...place, ...more });
  return open.open((await stores.of(made.id)).store, made, { ...options, source: "background" });
}

async function opened(stores: SessionStores, open: OpenSessions, id: SessionId): Promise<SessionActor | undefined> {
  return open.actor((await knownSession(stores, id)).session);
}

async function activityOf(actor: SessionActor): Promise<Activity> {
  const { phase, detail, since, turn } = actor.phase;
  const { id, lineage_root, title } = actor.session;
  return {
    session_id: id,
    lineage_root,
    title,
    turn_id: turn ?? null,
    phase,
    detail,
    since,
    waiting: (await actor.queue()).items.length,
  };
}
