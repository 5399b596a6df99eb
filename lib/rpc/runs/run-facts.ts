import { AppError } from "../../base/errors.js";
import { type EpochMs, toIso } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { Run, Task } from "../../contracts/board/board.js";
import type { RunFacts, RunInfo } from "../../contracts/board/runs.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import { listRuns, type RunSources } from "./list-runs.js";

type Fact = readonly [name: string, value: string];

export interface RunFactSources extends RunSources {
  readonly tasks: Pick<BoardApi, "runs" | "task">;
}

/** Everything that is known of a run. @throws E_NOT_FOUND */
export async function runFacts(parties: RunFactSources, id: string): Promise<RunFacts> {
  const row = (await listRuns(parties)).find((one) => one.id === id);
  if (row === undefined)
    throw new AppError("E_NOT_FOUND", `no such run: ${id}`, { id, hint: "it ended more than a day ago" });
  const session = row.session === null ? undefined : await parties.chat.get(row.session);
  const task = row.task === null ? [] : await taskFacts(parties, row.task);
  const facts = [
    ...head(row),
    ...task,
    ...(row.kind === "process" ? [] : sessionFacts(session, task.length > 0)),
    ...tail(row),
  ];
  return { facts: facts.filter(([, value]) => value !== "") };
}

const head = (row: RunInfo): readonly Fact[] => [
  ["what", row.title],
  ["kind", row.kind],
  ["state", row.waits ? `${row.state}, waiting for an answer` : row.state],
  ["profile", row.profile],
];

const tail = (row: RunInfo): readonly Fact[] => [
  ...(row.task === null ? ([["started", at(row.started_at)]] as const) : []),
  ...(row.task === null && row.ended_at !== null ? ([["ended", at(row.ended_at)]] as const) : []),
  ["tokens", row.tokens === null ? "" : row.tokens.toLocaleString("en-US")],
  ["last activity", row.activity],
  ["process", row.process ?? ""],
];

async function taskFacts(
  { tasks }: RunFactSources,
  { board, id, run: number }: NonNullable<RunInfo["task"]>,
): Promise<readonly Fact[]> {
  const [task, runs] = await Promise.all([tasks.task(board, id), tasks.runs(board, id)]);
  const place = runs.findIndex((one) => one.id === number);
  const run = runs[place];
  return [
    ["task", `${id}  ${task.title}`],
    ["board", board],
    ["attempt", `${place + 1} of ${runs.length} (run ${number})`],
    ["workspace", workspaceOf(task)],
    ...(run === undefined ? [] : runFields(run)),
  ];
}

const workspaceOf = ({ workspace_kind: kind, workspace_path: path }: Task): string =>
  path === null ? kind : `${kind}  ${path}`;
const at = (ms: EpochMs): string => `${toIso(ms).slice(0, 19).replace("T", " ")} UTC`;
const instant = (seconds: number | null): string => (seconds === null ? "" : at(seconds * 1000));

const runFields = (run: Run): readonly Fact[] => [
  ["pid", run.worker_pid === null ? "" : String(run.worker_pid)],
  ["started", instant(run.started_at)],
  ["ended", instant(run.ended_at)],
  ["lease until", instant(run.claim_expires)],
  ["last heartbeat", instant(run.last_heartbeat_at)],
  ["exit code", run.exit_code === null ? "" : String(run.exit_code)],
  ["exit signal", run.exit_signal ?? ""],
  ["cost", costOf(run.usage?.cost_usd)],
  ["verdict", run.verdict ?? ""],
  ["summary", run.summary ?? ""],
  ["error", run.error === null ? "" : run.error_class === null ? run.error : `${run.error_class}: ${run.error}`],
];

const costOf = (usd: number | null | undefined): string =>
  usd === null || usd === undefined ? "" : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

function sessionFacts(session: SessionRecord | undefined, ofTask: boolean): readonly Fact[] {
  if (session === undefined) return [];
  const { model, provider, cwd, estimated_cost_usd: cost } = session;
  return [
    ["session", session.id],
    ["model", [provider, model].filter((part) => part !== "").join(" ")],
    ...(ofTask
      ? []
      : ([
          ["directory", cwd],
          ["cost", costOf(cost)],
        ] as const)),
    ["requests", String(session.api_call_count)],
    ["messages", String(session.message_count)],
  ];
}
