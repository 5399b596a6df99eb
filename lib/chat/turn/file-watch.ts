import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { inspectPath, readProjectFile } from "../../base/fs/tree-read.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, TurnId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import {
  type CheckpointTaker,
  FILES_CHANGED,
  type FilesChanged,
  type TakenCheckpoint,
} from "../../contracts/owner/checkpoints.js";
import { toScreenLine } from "../../safety/redact/text.js";
import type { Permission, PermissionAnswer, ToolContext } from "../../tools/core/define.js";
import { readsOnly } from "../../tools/shell/look.js";

type Permit<P> = (permission: Permission, place: P) => Promise<PermissionAnswer>;

/** Where something is about to run. */
interface Place {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** What the turns of a conversation do about the files that they change: checkpoints, and the record of what was changed (core part, 24). */
export interface FileWatch {
  begin(turn: TurnId): void;
  /** The calls of the next response begin. */
  round(): void;
  /**
   * What is permitted is about to happen: the state before it is kept first. Without a checkpoint the call runs anyway; only an
   * interrupt rejects.
   */
  watching<P extends { readonly signal: AbortSignal }>(permit: Permit<P>): Permit<P>;
  /** A call is about to run. For programs that need no permission; never rejects. */
  starting(
    call: Pick<ToolCall, "name">,
    preview: string,
    ctx: () => Pick<ToolContext, "state" | "signal">,
  ): Promise<void>;
  /** A program of another maker is about to work the turn: it runs what it wants there. The state before it is kept; never rejects. */
  handing(program: string, place: Place): Promise<void>;
  /** A call has changed these files. */
  changed(paths: readonly string[]): void;
  /** The calls of a response are done: what they changed is remembered, now or a little later. */
  settled(): Promise<void>;
  /** The turn is over but for its last commit. */
  end(): Promise<void>;
}

export interface FileWatchDeps {
  readonly transcript: Transcript;
  readonly clock: Pick<Clock, "mono">;
  readonly env: Readonly<Record<string, string>>;
  /** Directory in which the conversation began. */
  readonly cwd: string;
  /** The checkpoints, while they are wanted. */
  checkpoints?(): CheckpointTaker | undefined;
  redact(text: string): string;
}

interface State {
  turn: TurnId | undefined;
  round: number;
  /** Directories that something was about to change, with who keeps their state. */
  readonly touched: Map<string, CheckpointTaker>;
  /** What a turn that broke off has not given back. */
  stale: { readonly directory: string; readonly taker: CheckpointTaker; readonly turn: TurnId | undefined }[];
  /** Directories whose failure was reported in this turn. */
  readonly failed: Set<string>;
  /** Files whose change is not in the record yet. */
  readonly changed: Set<string>;
  recordedAt: Ms;
}

/** The record is not written after each response: a commit takes longer than most calls. */
const RECORD_EVERY: Ms = 5_000;

const REMEMBERED = 2_000;
const HASHED_BYTES = 10 << 20;
const REASON_CHARS = 60; // core part, 24.2

export function createFileWatch(deps: FileWatchDeps): FileWatch {
  const state: State = {
    turn: undefined,
    round: 0,
    touched: new Map(),
    stale: [],
    failed: new Set(),
    changed: new Set(),
    recordedAt: 0,
  };
  return {
    begin: (turn) => {
      for (const [directory, taker] of state.touched) state.stale.push({ directory, taker, turn: state.turn });
      state.turn = turn;
      state.round = 0;
      state.recordedAt = deps.clock.mono();
      state.failed.clear();
      state.touched.clear();
    },
    round: () => {
      state.round += 1;
    },
    watching: (permit) => async (permission, place) => {
      const answer = await permit(permission, place);
      if (answer.allowed) await before(deps, state, permission, place.signal);
      return answer;
    },
    starting: async ({ name }, preview, ctx) => {
      if (!UNASKED.has(name)) return;
      const { state: at, signal } = ctx();
      await starting(deps, state, { name, preview }, { cwd: at.cwd, signal });
    },
    handing: async (program, { cwd, signal }) => {
      await starting(deps, state, { name: HANDED, preview: `worked by ${program}` }, { cwd, signal });
    },
    changed: (paths) => {
      for (const path of paths) state.changed.add(path);
    },
    settled: async () => {
      if (deps.clock.mono() - state.recordedAt >= RECORD_EVERY) await recordChanges(deps, state);
    },
    end: () => end(deps, state),
  };
}

/** A turn that a program of another maker works, in the place of a tool. */
const HANDED = "turn";

/** Calls that run a program whose writes are unknown; `exec_command` is the name of such programs for theirs. */
const RUNS: ReadonlySet<string> = new Set(["terminal", "process", "execute_code", "exec_command", HANDED]);

/** Paths by which the directories of a call are found, and those that it names; undefined: nothing is changed. */
function reachOf({
  kind,
  tool,
  command,
  cwd,
  paths = [],
}: Permission): { readonly roots: readonly string[]; readonly named: readonly string[] } | undefined {
  if (kind === "write") return { roots: paths.map((path) => dirname(path)), named: paths };
  if (!RUNS.has(tool) || (kind === "command" && readsOnly(command, cwd))) return undefined;
  return { roots: [cwd], named: [] };
}

async function before(deps: FileWatchDeps, state: State, permission: Permission, signal: AbortSignal): Promise<void> {
  const taker = deps.checkpoints?.();
  const reach = taker && reachOf(permission);
  if (taker === undefined || reach === undefined || state.turn === undefined) return;
  const reason = reasonOf(deps, permission);
  for (const directory of await directoriesOf(deps, state, taker, reach.roots)) {
    state.touched.set(directory, taker);
    await keep(deps, state, { taker, directory, named: reach.named, kind: "before", reason }, signal);
  }
}

/** None, with a notice, when they are unknown: the call runs anyway. */
async function directoriesOf(
  deps: FileWatchDeps,
  state: State,
  taker: CheckpointTaker,
  roots: readonly string[],
): Promise<ReadonlySet<string>> {
  try {
    await giveBack(state);
    return new Set(await Promise.all(roots.map((path) => taker.directoryOf(path, deps.env, deps.cwd))));
  } catch (error) {
    await tellFailure(deps, state, { directory: roots[0] ?? deps.cwd, kind: "before" }, error);
    return new Set();
  }
}

/** Tools that run code without asking first. */
const UNASKED: ReadonlySet<string> = new Set(["execute_code"]);

async function starting(
  deps: FileWatchDeps,
  state: State,
  { name, preview }: { readonly name: string; readonly preview: string },
  { cwd, signal }: Place,
): Promise<void> {
  try {
    await before(deps, state, { kind: "tool", tool: name, command: preview, cwd }, signal);
  } catch (error) {
    if (!signal.aborted) throw error; // an interrupted call ends by itself
  }
}

async function giveBack(state: State): Promise<void> {
  const { stale } = state;
  state.stale = [];
  for (const { directory, taker, turn } of stale) if (turn !== undefined) await taker.release(directory, turn);
}

function reasonOf({ redact }: FileWatchDeps, { kind, tool, command }: Permission): string {
  return kind === "write" ? `before ${tool}` : `before ${tool}: ${toScreenLine(redact(command), REASON_CHARS)}`;
}

interface Keeping {
  readonly taker: CheckpointTaker;
  readonly directory: string;
  readonly named: readonly string[];
  readonly kind: "before" | "after";
  readonly reason: string;
}

async function keep(
  deps: FileWatchDeps,
  state: State,
  keeping: Keeping,
  signal?: AbortSignal,
): Promise<TakenCheckpoint | undefined> {
  const { transcript } = deps;
  const { turn } = state;
  const { taker, ...wanted } = keeping;
  if (turn === undefined) return undefined;
  const { id: session, lineage_root: lineage } = transcript.session;
  try {
    const taken = await taker.take({ ...wanted, origin: { lineage, session, turn, round: state.round } }, signal);
    if (taken.notice !== undefined)
      await transcript.event(turn, "notice", { level: "info", code: "checkpoint_partial", text: taken.notice });
    const { checkpoint } = taken;
    if (!taken.made || checkpoint === undefined) return taken;
    const { id, directory, reason, files } = checkpoint;
    await transcript.event(turn, "checkpoint.made", { id, directory, reason, counts: { files } });
    return taken;
  } catch (error) {
    if (signal?.aborted) throw error;
    await tellFailure(deps, state, keeping, error);
    return undefined;
  }
}

async function tellFailure(
  { transcript }: FileWatchDeps,
  state: State,
  { directory, kind }: Pick<Keeping, "directory" | "kind">,
  error: unknown,
): Promise<void> {
  if (state.turn === undefined || state.failed.has(directory)) return;
  state.failed.add(directory);
  const why = error instanceof Error ? error.message : String(error);
  const what = kind === "before" ? "No checkpoint was made before this step" : "No checkpoint was made after this turn";
  await transcript.event(state.turn, "notice", {
    level: "warning",
    code: "no_checkpoint",
    text: `${what}: ${directory}: ${why}`,
  });
}

async function end(deps: FileWatchDeps, state: State): Promise<void> {
  const { turn, touched } = state;
  if (turn === undefined) return;
  await recordChanges(deps, state);
  await giveBack(state);
  if (touched.size > 0) {
    const turns = new Set((await deps.transcript.messages()).map((message) => message.turn_id));
    const changed: Record<string, string> = {};
    for (const [directory, taker] of touched) {
      const taken = await keep(deps, state, {
        taker,
        directory,
        named: [],
        kind: "after",
        reason: `after turn ${turns.size}`,
      });
      await taker.release(directory, turn);
      Object.assign(changed, taken?.changed);
    }
    await remember(deps, changed);
    touched.clear();
  }
  state.turn = undefined;
}

async function recordChanges(deps: FileWatchDeps, state: State): Promise<void> {
  if (state.changed.size === 0) return;
  state.recordedAt = deps.clock.mono();
  const paths = [...state.changed];
  state.changed.clear();
  await remember(deps, Object.fromEntries(paths.map((path) => [path, leftAt(path)])));
}

function leftAt(path: string): string {
  const read = readProjectFile(path, HASHED_BYTES);
  if (read !== undefined) return createHash("sha256").update(read.bytes).digest("hex");
  return inspectPath(path) === undefined ? "absent" : "unknown";
}

async function remember({ transcript }: FileWatchDeps, changed: FilesChanged): Promise<void> {
  const entries = Object.entries(changed).filter(([, content]) => content !== "directory");
  if (entries.length === 0) return;
  const known = new Map(Object.entries(filesChanged(await transcript.record(FILES_CHANGED))));
  for (const [path, content] of entries) {
    known.delete(path); // the newest stand last
    known.set(path, content);
  }
  await transcript.setRecord(FILES_CHANGED, JSON.stringify(Object.fromEntries([...known].slice(-REMEMBERED))));
}

/** The record `files_changed` as it is stored; empty without one. */
export function filesChanged(json: string | undefined): FilesChanged {
  if (json === undefined) return {};
  const record: unknown = JSON.parse(json);
  if (typeof record !== "object" || record === null) return {};
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
