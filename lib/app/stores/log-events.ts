import type { Store, StoredEvent } from "../../../storage/store.js";
import type { Log, LogFacts, LogSeverity } from "../../base/log/log.js";

type Payload = StoredEvent["payload"];

/** One line of the log for an event; ids, numbers and short words only, never what people or models wrote. */
interface LineForm {
  readonly component: "turn" | "tools" | "board";
  readonly level: LogSeverity;
  readonly message: string;
  readonly facts: readonly string[];
}

const form = (
  component: LineForm["component"],
  level: LogSeverity,
  message: string,
  facts: readonly string[] = [],
): LineForm => ({
  component,
  level,
  message,
  facts,
});

/** Lines of the log about a conversation. */
const CONVERSATIONS: ReadonlyMap<string, LineForm> = new Map([
  ["turn.started", form("turn", "info", "turn started", ["source"])],
  ["usage", form("turn", "info", "model responded", ["input_tokens", "output_tokens", "estimated_cost_usd"])],
  ["tool.started", form("tools", "debug", "tool call started", ["name", "call_id"])],
  ["tool.ended", form("tools", "debug", "tool call ended", ["name", "call_id", "status", "exit_code", "duration_ms"])],
  ["fallback", form("turn", "warning", "switched to another model")],
  [
    "compaction.started",
    form("turn", "info", "compaction started", ["reason", "tokens", "trigger", "window", "messages"]),
  ],
  [
    "compaction.ended",
    form("turn", "info", "compaction ended", ["ok", "reason", "tokens_before", "tokens_after", "new_session_id"]),
  ],
  ["child.started", form("turn", "info", "child started", ["id", "role"])],
  ["child.ended", form("turn", "info", "child ended", ["id", "status", "duration_ms"])],
  ["process.started", form("tools", "info", "background process started", ["id", "pid"])],
  ["process.ended", form("tools", "info", "background process ended", ["id", "exit_code", "reason"])],
]);

const FACTS_OF_RUNS = [
  "pid",
  "exit_code",
  "exit_kind",
  "signal",
  "error_class",
  "cause",
  "trigger_outcome",
  "failures",
  "from",
  "to",
  "until",
];

/** Lines of the log about a board: dispatch and runs, and failures as warnings. */
const BOARD: ReadonlyMap<string, LineForm> = new Map([
  ...["claimed", "spawned", "adopted", "completed", "blocked", "scheduled", "promoted", "reclaimed"].map(
    (kind): [string, LineForm] => [kind, form("board", "info", kind, FACTS_OF_RUNS)],
  ),
  ...["spawn_failed", "crashed", "timed_out", "stale", "stuck", "gave_up", "protocol_violation", "rate_limited"].map(
    (kind): [string, LineForm] => [kind, form("board", "warning", kind.replaceAll("_", " "), FACTS_OF_RUNS)],
  ),
  ...["claim_rejected", "claim_extended", "due", "respawn_guarded", "status"].map((kind): [string, LineForm] => [
    kind,
    form("board", "debug", kind.replaceAll("_", " "), FACTS_OF_RUNS),
  ]),
]);

/** What happens in conversations and on boards, as lines of the log: what was done yesterday is explained from it. */
export function logEvents(store: Pick<Store, "name" | "onEvents">, log: Log): () => void {
  const forms = store.name === "sessions" ? CONVERSATIONS : store.name.startsWith("board:") ? BOARD : undefined;
  if (forms === undefined) return () => undefined;
  const logs = { turn: log.child("turn"), tools: log.child("tools"), board: log.child("board") };
  return store.onEvents((events) => {
    for (const event of events) {
      if (event.kind === "turn.ended") tellEnd(logs.turn, event);
      const known = forms.get(event.kind);
      if (known === undefined) continue;
      logs[known.component][known.level](known.message, { ...placeOf(event), ...pick(event.payload, known.facts) });
    }
  });
}

/** How a turn ended. One that failed is a warning, with the class of the error; what the provider said stands in the line of the provider. */
function tellEnd(log: Log, event: StoredEvent): void {
  const { payload } = event;
  const failed = payload["failed"] === true;
  const error = payload["error"];
  const cause = typeof error === "object" && error !== null && "class" in error ? { error: String(error.class) } : {};
  const facts = pick(payload, ["exit_reason", "api_calls", "tool_calls", "model", "provider", "duration_ms"]);
  log[failed ? "warning" : "info"](failed ? "turn failed" : "turn ended", { ...placeOf(event), ...facts, ...cause });
}

const placeOf = ({ store, session, turn, task, run }: StoredEvent): LogFacts => ({
  session,
  ...(turn === undefined ? {} : { turn }),
  ...(store.startsWith("board:") ? { board: store.slice("board:".length) } : {}),
  ...(task === undefined ? {} : { task }),
  ...(run === undefined ? {} : { run }),
});

const MOST = 120;

function pick(payload: Payload, names: readonly string[]): LogFacts {
  return Object.fromEntries(
    names.flatMap((name): [string, string | number | boolean][] => {
      const value = payload[name];
      if (typeof value === "number" || typeof value === "boolean") return [[name, value]];
      return typeof value === "string" && value !== "" ? [[name, value.slice(0, MOST)]] : [];
    }),
  );
}
