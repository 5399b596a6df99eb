import { type BoardSlug, type EpochMs, type RunId, type SessionId, toUnix } from "../../base/units.js";
import type { RecentRun } from "../../contracts/board/api.js";
import type { Run } from "../../contracts/board/board.js";
import type { RunInfo } from "../../contracts/board/runs.js";
import type { ChatApi, SessionRecord } from "../../contracts/chat/chat.js";
import type { ChildInfo } from "../../contracts/chat/children.js";
import type { ProcessInfo } from "../../contracts/chat/processes.js";
import type { OpenQuestion } from "../../contracts/chat/questions.js";
import type { Activity } from "../../contracts/chat/queue.js";

/** What works by itself is listed from. */
export interface RunSources {
  readonly chat: Pick<
    ChatApi,
    | "activity"
    | "asides"
    | "children"
    | "currentOf"
    | "everyProcess"
    | "questions"
    | "runningTurns"
    | "interrupt"
    | "interruptChild"
    | "processKill"
    | "get"
  >;
  readonly board: {
    slugs(): Promise<readonly BoardSlug[]>;
    recentRuns(board: BoardSlug, since: number): Promise<readonly RecentRun[]>;
  };
  now(): EpochMs;
  /** What a conversation did last, as far as this owner has seen it. */
  activityOf(session: SessionId): string | undefined;
}

const DAY_MS = 86_400_000;
const MOST_ENDED = 200;

/** Runs of one board. */
export async function boardRuns(
  { board, chat, now, activityOf }: RunSources,
  slug: BoardSlug,
): Promise<readonly RunInfo[]> {
  const found = (await board.recentRuns(slug, toUnix(now() - DAY_MS))).filter(({ run }) => !isHandoff(run));
  const ids = found.flatMap(({ run }) => (run.session_id === null ? [] : [run.session_id as SessionId])); // written from one
  const sessions = ids.length === 0 ? new Map<SessionId, SessionRecord>() : await chat.currentOf(ids);
  return found.map(({ run, title }): RunInfo => {
    const session = run.session_id === null ? undefined : sessions.get(run.session_id as SessionId); // written from one
    const done = run.exit_code === null ? (run.exit_signal ?? "") : `exit ${run.exit_code}`;
    const doing = session === undefined ? undefined : (activityOf(session.id) ?? activityOf(session.lineage_root));
    return {
      id: `task:${slug}/${run.id}`,
      kind: "task",
      title,
      profile: run.profile,
      waits: false,
      process: null,
      state: run.status,
      started_at: run.started_at * 1000,
      ended_at: run.ended_at === null ? null : run.ended_at * 1000,
      tokens:
        session === undefined
          ? run.usage === null
            ? null
            : run.usage.input_tokens + run.usage.output_tokens
          : tokensOf(session),
      activity: run.ended_at === null ? (doing ?? "") : done,
      session: session?.id ?? null,
      task: { board: slug, id: run.task_id, run: run.id as RunId },
    };
  });
}

/** Without a worker: it keeps the handoff of a task that a person has completed or blocked. */
const isHandoff = ({ started_at, ended_at, worker_pid, session_id, outcome }: Run): boolean =>
  started_at === ended_at && worker_pid === null && session_id === null && outcome !== "reclaimed";

const tokensOf = (session: SessionRecord): number =>
  session.input_tokens + session.cache_read_tokens + session.cache_write_tokens + session.output_tokens;

/** What conversations have begun: children, background questions, processes, turns. */
export async function chatRuns(parties: RunSources): Promise<readonly RunInfo[]> {
  const { chat, now } = parties;
  const [questions, activity, children, asides, processes, turns] = await Promise.all([
    chat.questions(),
    chat.activity(),
    chat.children(),
    chat.asides(now() - DAY_MS, MOST_ENDED),
    chat.everyProcess(),
    chat.runningTurns(),
  ]);
  const started = new Map(turns.map((turn) => [turn.session_id, turn.started_at]));
  const running = activity.filter(({ turn_id }) => turn_id !== null);
  const busy = new Map(running.map((one) => [one.lineage_root, one]));
  const childs = new Map(children.map((child) => [child.id, child]));
  const places = { parties, questions, started };
  const kept = asides.map(({ session, asked }) =>
    asideRow(places, { session, asked }, childs.get(session.id), busy.get(session.lineage_root)),
  );
  const known = new Set([...asides.map(({ session }) => session.lineage_root)]);
  const others = running.filter((one) => !known.has(one.lineage_root));
  const sessions = await chat.currentOf(others.map((one) => one.session_id));
  return [
    ...kept,
    ...processes.map((one) => processRow(one, now())),
    ...others.map((one) => turnRow(places, one, sessions.get(one.session_id))),
  ];
}

interface Places {
  readonly parties: RunSources;
  readonly questions: readonly OpenQuestion[];
  readonly started: ReadonlyMap<SessionId, EpochMs>;
}

function asideRow(
  { parties, questions, started }: Places,
  { session, asked }: { readonly session: SessionRecord; readonly asked: string },
  child: ChildInfo | undefined,
  turn: Activity | undefined,
): RunInfo {
  const kind = session.source === "subagent" ? "child" : "background";
  const works = kind === "child" ? child !== undefined : turn !== undefined;
  const done = kind === "child" ? (session.end_reason ?? "interrupted") : "completed";
  return {
    id: `${kind}:${session.lineage_root}`,
    kind,
    title: oneLine(asked),
    profile: session.profile,
    process: null,
    task: null,
    state: works ? "running" : done,
    waits: works && questions.some(({ origin }) => origin.child === session.id || origin.session_id === session.id),
    started_at: started.get(session.id) ?? session.started_at,
    ended_at: works ? null : (session.ended_at ?? session.last_active_at),
    tokens: tokensOf(session),
    activity: works ? (parties.activityOf(session.id) ?? child?.tool ?? turn?.phase ?? "") : "",
    session: session.id,
  };
}

function processRow(one: ProcessInfo, now: EpochMs): RunInfo {
  const works = one.status === "running";
  const started = now - one.uptime_ms;
  return {
    id: `process:${one.session_id}/${one.id}`,
    kind: "process",
    title: oneLine(one.command),
    profile: "",
    waits: false,
    task: null,
    state: works ? "running" : (one.reason ?? "exited"),
    started_at: started,
    ended_at: works ? null : started + one.uptime_ms,
    tokens: null,
    activity: works ? `pid ${one.pid}` : one.exit_code === null ? "" : `exit ${one.exit_code}`,
    session: one.session_id,
    process: one.id,
  };
}

function turnRow({ parties, questions, started }: Places, turn: Activity, session: SessionRecord | undefined): RunInfo {
  const { session_id: id, lineage_root: root, phase, detail } = turn;
  return {
    id: `turn:${root}`,
    kind: "turn",
    title: turn.title ?? "new session",
    profile: session?.profile ?? "",
    process: null,
    task: null,
    state: "running",
    started_at: started.get(id) ?? turn.since,
    ended_at: null,
    session: id,
    waits: questions.some((one) => one.lineage_root === root && one.origin.child === undefined),
    tokens: session === undefined ? null : tokensOf(session),
    activity: parties.activityOf(id) ?? (detail === "" ? phase : detail),
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 200);

/** Everything, who works first, then who ended, newest first. */
export async function listRuns(parties: RunSources): Promise<readonly RunInfo[]> {
  const boards = await parties.board.slugs();
  const all = (await Promise.all([...boards.map((slug) => boardRuns(parties, slug)), chatRuns(parties)])).flat();
  const live = all.filter((run) => run.ended_at === null);
  const ended = all.filter((run) => run.ended_at !== null).sort((a, b) => (b.ended_at ?? 0) - (a.ended_at ?? 0));
  return [...live.sort((a, b) => b.started_at - a.started_at), ...ended.slice(0, MOST_ENDED)];
}
