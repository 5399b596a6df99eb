import { lastEnding } from "../../../storage/tables/sessions/turns.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi, NewSession, TurnResult } from "../../contracts/chat/chat.js";
import type { GoalApi } from "../../contracts/chat/goal.js";
import type { Activity, QueueApi } from "../../contracts/chat/queue.js";
import type { Config } from "../../contracts/config/config.js";
import { GOAL_TURNS } from "../config/keys.js";
import { BUSY_INPUT_MODE } from "../config/lane-keys.js";
import { createGoals } from "../goals/goal-engine.js";
import type { AskJudge } from "../goals/goal-judge.js";
import { readGoal, storedGoal } from "../goals/goal-store.js";
import { knownSession, type SessionStores } from "../sessions/books.js";
import { goesOnElsewhere } from "../sessions/sessions.js";
import { readQueue } from "../transcript/queue-store.js";
import { openTranscript } from "../transcript/transcript.js";
import { changeSubgoals, clearGoal, pauseGoal, resumeGoal, setGoal, untilGoalRests } from "./goal-verbs.js";
import type { Lane, LaneDeps } from "./lane.js";
import type { OpenSessions } from "./open-sessions.js";
import type { Converse, TellSession } from "./runner.js";

/** What judges the goals of conversations. */
export interface JudgeParts {
  readonly ask: AskJudge;
  /** `git diff --stat` of a directory; "" without a repository. */
  diffStat(cwd: string, env: Readonly<Record<string, string>>): Promise<string>;
}

export interface LanePorts {
  readonly ports: { readonly clock: Clock; readonly ids: Ids };
  readonly config: Config;
  readonly log: Log;
  /** Made when the first goal is judged. */
  judge(): Promise<JudgeParts>;
}

/** What the lanes of an owner work with. */
export function laneDeps({ ports, config, log, judge }: LanePorts, converse: Converse, tell: TellSession): LaneDeps {
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

/** The lane of a session, opened with the place where the session was worked last when nobody has opened it yet. */
export function laneFinder(
  books: SessionStores,
  open: OpenSessions,
): (id: SessionId, options?: NewSession) => Promise<Lane> {
  return async (id, options) => {
    const { store, session } = await knownSession(books, id);
    const known = open.lane(session);
    if (known && options === undefined) return known;
    const newest = goesOnElsewhere(session) ? await (await books.of(id)).sessions.reopen(id, session.cwd) : session;
    return open.open(store, newest, options ?? { source: "cli", cwd: session.cwd, env: {} });
  };
}

type LaneApi = QueueApi & GoalApi<TurnResult> & Pick<ChatApi, "submit" | "interrupt" | "shellLine">;

/** Turns, queues and goals, each by its lane. What only looks opens nothing. */
export function laneApi(
  books: SessionStores,
  open: OpenSessions,
  { config, log }: Pick<LanePorts, "config" | "log">,
): LaneApi {
  const find = laneFinder(books, open);
  const verb =
    <A extends readonly unknown[], R>(act: (lane: Lane, ...args: A) => Promise<R>) =>
    async (id: SessionId, ...args: A): Promise<R> =>
      act(await find(id), ...args);
  return {
    submit: async (turn) => (await find(turn.session)).submit(turn),
    post: async (message) => (await find(message.session)).post(message),
    // Whoever interrupts does not stand in line at the store.
    interrupt: async (id, options) => (open.named(id) ?? (await opened(books, open, id)))?.interrupt(options) ?? false,
    activity: async () => Promise.all(open.all().map(activityOf)),
    view: async (id) => {
      const { store, session } = await knownSession(books, id);
      const queue = await readQueue(store, session.lineage_root);
      const { turn, startedAt, ...phase } = open.lane(session)?.phase ?? IDLE;
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
      const lane = await aside(books, open, parent);
      const told = async () => {
        const { final_response: answer, error } = await lane.submit({ session: lane.session.id, text });
        await parent.note(`Background ${lane.session.id}: ${error?.message ?? answer}`, "background");
      };
      told().catch((error: unknown) =>
        log.error("the answer of a background prompt was not posted", { error: String(error) }),
      );
      return lane.session.id;
    },
    shellLine: verb((lane, command: string, tell: boolean) => lane.shellLine(command, tell)),
    steer: verb((lane, text: string) => lane.steer(text)),
    queue: async (id) => {
      const { store, session } = await knownSession(books, id);
      return readQueue(store, session.lineage_root);
    },
    queueAdd: verb((lane, item) => lane.add(item)),
    queueEdit: verb((lane, item: string, text: string) => lane.edit(item, text)),
    queueMove: verb((lane, item: string, before: string | undefined) => lane.move(item, before)),
    queueRemove: verb((lane, item: string) => lane.remove(item)),
    queueSendNow: verb((lane, item: string | undefined) => lane.sendNow(item)),
    queueSteer: verb((lane, item: string) => lane.steerItem(item)),
    goal: async (id) => {
      const { store, session } = await knownSession(books, id);
      return readGoal(store, session.lineage_root);
    },
    goalSet: verb((lane, text: string) => setGoal(lane, text, config.get(GOAL_TURNS))),
    goalPause: verb(pauseGoal),
    goalResume: verb(resumeGoal),
    goalClear: verb(clearGoal),
    goalSubgoal: verb(changeSubgoals),
    goalRest: verb(untilGoalRests),
  };
}

const IDLE = { phase: "idle", detail: "", since: 0, streamed: "", output: {}, turn: undefined, startedAt: undefined };

/** A conversation beside another one, worked in the same place. */
async function aside(books: SessionStores, open: OpenSessions, parent: Lane): Promise<Lane> {
  const { session, options } = parent;
  const { cwd, profile, ephemeral } = session;
  const more = {
    ...(options.toolsets === undefined ? {} : { toolsets: options.toolsets }),
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
  const made = await books.create({ ...place, ...more });
  return open.open((await books.of(made.id)).store, made, { ...options, source: "background" });
}

async function opened(books: SessionStores, open: OpenSessions, id: SessionId): Promise<Lane | undefined> {
  return open.lane((await knownSession(books, id)).session);
}

async function activityOf(lane: Lane): Promise<Activity> {
  const { phase, detail, since, turn } = lane.phase;
  const { id, lineage_root, title } = lane.session;
  return {
    session_id: id,
    lineage_root,
    title,
    turn_id: turn ?? null,
    phase,
    detail,
    since,
    waiting: (await lane.queue()).items.length,
  };
}
