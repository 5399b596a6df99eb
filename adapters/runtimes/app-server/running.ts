import { createMailbox } from "../../../lib/base/async/mailbox.js";
import { isRecord } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { RuntimeHost } from "../../../lib/contracts/runtimes/runtime.js";
import { shown, type TurnError, turnErrorOf } from "./failures.js";
import { callOf, createProjector, INTERRUPTED, succeeded } from "./items.js";
import type { RequestId } from "./requests/requests.js";
import { sumUsage } from "./usage.js";

type Params = Readonly<Record<string, unknown>>;

/** Notifications of a turn that may wait to be stored. */
const WAITING = 20_000;
/** What ends a turn is stored in any case. */
const LAST_WORDS = 8;
/** Output of a command is kept so far, for the case that its end is never told. */
const OUTPUT_CHARS = 100_000;

/** The end of a turn as the program told it. */
export interface TurnEnd {
  readonly status: string;
  readonly error: TurnError | undefined;
}

/** A turn that the program works: its notifications, in order. */
export interface RunningTurn {
  readonly thread: string;
  /** Items that were started, by id: requests for approval refer to them. */
  readonly started: ReadonlyMap<string, unknown>;
  /** A notification of its thread. False: too many wait. */
  notify(method: string, params: Params): boolean;
  /** The id of the turn, from the answer to `turn/start`. */
  named(turnId: string): void;
  turnId(): string | undefined;
  /** Resolves when the program works the turn: its id is known, and it has told something of it. Before that it refuses words for the turn. */
  readonly begun: Promise<void>;
  /** Resolves when the program has told the end, and all before it is stored. Rejects when something could not be stored. */
  readonly ended: Promise<TurnEnd>;
  /** Resolves when everything told so far is stored. */
  idle(): Promise<void>;
  /** Processes of the commands that have not ended, as the program names them. */
  processes(): readonly string[];
  /** The turn is over without its end: what has not ended is stored as interrupted. */
  interrupted(): Promise<void>;
  answer(): string;
  /** Newest error that is not tried again. */
  error(): TurnError | undefined;
}

interface Parts {
  readonly thread: string;
  readonly host: RuntimeHost;
  readonly log: Log;
  readonly resolved: (id: RequestId) => void;
}

export function createRunningTurn({ thread, host, log, resolved }: Parts): RunningTurn {
  const updates = createMailbox("notifications of the app-server", WAITING + LAST_WORDS);
  const projector = createProjector();
  const started = new Map<string, unknown>();
  /** Calls that have not ended, with their output so far. */
  const open = new Map<string, { readonly item: Params; output: string }>();
  const shownText = new Set<string>();
  const usage = sumUsage();
  let turnId: string | undefined;
  let error: TurnError | undefined;
  let end: (end: TurnEnd) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let isTold = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const beginIfKnown = () => {
    if (isTold && turnId !== undefined) begin();
  };
  const ended = new Promise<TurnEnd>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  ended.catch(() => undefined); // told to the turn, which may wait for something else at this moment

  const complete = async (item: Params): Promise<void> => {
    const call = callOf(item);
    const id = String(item["id"]);
    open.delete(id);
    if (item["type"] === "agentMessage" && !shownText.has(id) && typeof item["text"] === "string")
      host.live({ kind: "text", delta: item["text"] });
    const projected = projector.project(item);
    if (projected !== undefined) await host.item(projected);
    if (call !== undefined) host.live({ kind: "called", callId: call.id, ok: succeeded(item) });
  };
  const beginCall = (item: Params): void => {
    const call = callOf(item);
    if (call === undefined) return;
    open.set(String(item["id"]), { item, output: "" });
    host.live({ kind: "call", callId: call.id, tool: call.tool, preview: previewOf(item) });
  };
  const output = (itemId: unknown, text: unknown): void => {
    const item = started.get(String(itemId));
    const call = isRecord(item) ? callOf(item) : undefined;
    if (call === undefined || typeof text !== "string") return;
    host.live({ kind: "output", callId: call.id, text });
    const kept = open.get(String(itemId));
    if (kept !== undefined) kept.output = (kept.output + text).slice(0, OUTPUT_CHARS);
  };
  const failed = (params: Params): void => {
    const told = turnErrorOf(params["error"]);
    if (told === undefined) return;
    if (params["willRetry"] === true) host.live({ kind: "status", text: shown(told.message) });
    else error = told;
  };
  const tokens = (params: Params): void => {
    if (turnId !== undefined && params["turnId"] !== undefined && params["turnId"] !== turnId) return;
    const sum = usage.add(params["tokenUsage"]);
    if (sum !== undefined) host.usage(sum.usage, sum.window);
  };
  const completed = (params: Params): void => {
    const turn = isRecord(params["turn"]) ? params["turn"] : {};
    if (turnId !== undefined && turn["id"] !== undefined && turn["id"] !== turnId) return;
    end({ status: String(turn["status"]), error: turnErrorOf(turn["error"]) ?? error });
  };
  const handlers: Readonly<Record<string, (params: Params) => void | Promise<void>>> = {
    "turn/started": ({ turn }) => {
      if (isRecord(turn) && typeof turn["id"] === "string") turnId ??= turn["id"];
      beginIfKnown();
    },
    "thread/status/changed": ({ status }) => {
      const flags = isRecord(status) && Array.isArray(status["activeFlags"]) ? status["activeFlags"] : [];
      if (flags.length > 0) host.live({ kind: "status", text: flags.map(String).join(", ") });
    },
    "item/started": ({ item }) => (isRecord(item) ? beginCall(item) : undefined),
    "item/completed": ({ item }) => (isRecord(item) ? complete(item) : undefined),
    "item/agentMessage/delta": ({ itemId, delta }) => {
      shownText.add(String(itemId));
      if (typeof delta === "string") host.live({ kind: "text", delta });
    },
    "item/reasoning/summaryTextDelta": ({ delta }) => reasoningDelta(delta),
    "item/reasoning/textDelta": ({ delta }) => reasoningDelta(delta),
    "item/commandExecution/outputDelta": ({ itemId, delta }) => output(itemId, delta),
    "item/fileChange/outputDelta": ({ itemId, delta }) => output(itemId, delta),
    "item/mcpToolCall/progress": ({ itemId, message }) => output(itemId, message),
    "thread/tokenUsage/updated": tokens,
    error: failed,
    "thread/goal/updated": ({ goal }) => showGoal(goal, host),
    "turn/completed": completed,
  };
  const reasoningDelta = (delta: unknown): void => {
    if (typeof delta === "string") host.live({ kind: "reasoning", delta });
  };
  return {
    thread,
    started,
    ended,
    begun,
    named: (id) => {
      turnId = id;
      beginIfKnown();
    },
    turnId: () => turnId,
    answer: () => projector.answer(),
    error: () => error,
    idle: () => updates.idle(),
    processes: () => [...open.values()].flatMap(({ item }) => processOf(item) ?? []),
    interrupted: () =>
      updates.post(async () => {
        for (const { item, output } of [...open.values()])
          await complete({ ...item, status: INTERRUPTED, aggregatedOutput: output });
      }),
    notify: (method, params) => {
      if (updates.waiting >= WAITING) return false;
      const item = params["item"];
      if (method === "item/started" && isRecord(item)) started.set(String(item["id"]), item);
      if (method === "serverRequest/resolved") {
        const id = params["requestId"];
        if (typeof id === "number" || typeof id === "string") resolved(id);
      }
      if (method === "turn/started" || method === "item/started") {
        isTold = true;
        beginIfKnown();
      }
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) log.debug("notification of the app-server", { method });
      else updates.post(async () => await handler(params)).catch(fail);
      return true;
    },
  };
}

const processOf = ({ processId }: Params): string | undefined =>
  typeof processId === "string" ? processId : undefined;

/** What a call does, in one line. */
function previewOf(item: Params): string {
  const { command, changes, tool } = item;
  if (typeof command === "string") return command;
  if (!Array.isArray(changes)) return String(tool ?? "");
  return changes.map((change: unknown) => (isRecord(change) ? String(change["path"]) : "")).join(", ");
}

/** A goal of the thread that has come to a limit. */
function showGoal(goal: unknown, host: RuntimeHost): void {
  if (!isRecord(goal)) return;
  const { status, tokensUsed, tokenBudget, objective } = goal;
  const limits: Readonly<Record<string, string>> = {
    usageLimited: "the goal of the app-server waits for the usage limit of the account",
    budgetLimited: `the goal of the app-server has used its budget (${String(tokensUsed)} of ${String(tokenBudget)} tokens)`,
  };
  const text = Object.hasOwn(limits, String(status)) ? limits[String(status)] : undefined;
  if (text === undefined) return;
  host.live({ kind: "status", text });
  host.notice({ level: "warning", text, once: `app-server goal ${String(status)} ${String(objective)}` });
}
