import { createMailbox } from "../../../lib/base/async/mailbox.js";
import { isRecord } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { RuntimeHost } from "../../../lib/contracts/runtimes/runtime.js";
import { shown, type TurnError, turnErrorOf } from "./failures.js";
import { createItemTracker, type ItemTracker } from "./item-tracker.js";
import type { RequestId } from "./requests/requests.js";
import { createTurnMilestones, type TurnMilestones } from "./turn-milestones.js";
import { sumUsage } from "./usage.js";

type Params = Readonly<Record<string, unknown>>;

/** Notifications of a turn that may wait to be stored. */
const WAITING = 20_000;
/** What ends a turn is stored in any case. */
const LAST_WORDS = 8;

/** A turn that the program works: its notifications, in order. */
export interface RunningTurn
  extends Pick<TurnMilestones, "turnId" | "begun" | "ended">,
    Pick<ItemTracker, "started" | "processes" | "answer"> {
  readonly thread: string;
  /** A notification of its thread. False: too many wait. */
  notify(method: string, params: Params): boolean;
  /** The id of the turn, from the answer to `turn/start`. */
  named(turnId: string): void;
  /** Resolves when everything told so far is stored. */
  idle(): Promise<void>;
  /** The turn is over without its end: what has not ended is stored as interrupted. */
  interrupted(): Promise<void>;
}

interface Parts {
  readonly thread: string;
  readonly host: RuntimeHost;
  readonly log: Log;
  readonly resolved: (id: RequestId) => void;
}

/** @see RunningTurn */
export function createRunningTurn({ thread, host, log, resolved }: Parts): RunningTurn {
  const updates = createMailbox("notifications of the app-server", WAITING + LAST_WORDS);
  const items = createItemTracker(host);
  const milestones = createTurnMilestones();
  const usage = sumUsage();
  /** Newest error that is not tried again. */
  let error: TurnError | undefined;

  /** Whether a notification is about another turn of the thread. */
  const isOfOtherTurn = (id: unknown): boolean => {
    const turnId = milestones.turnId();
    return turnId !== undefined && id !== undefined && id !== turnId;
  };
  const showReasoning = ({ delta }: Params): void => {
    if (typeof delta === "string") host.live({ kind: "reasoning", delta });
  };
  const addOutput = ({ itemId, delta }: Params): void => items.addOutput(itemId, delta);
  const handlers: Readonly<Record<string, (params: Params) => void | Promise<void>>> = {
    "turn/started": ({ turn }) => {
      if (isRecord(turn) && typeof turn["id"] === "string") milestones.nameOnce(turn["id"]);
    },
    "thread/status/changed": ({ status }) => {
      const flags = isRecord(status) && Array.isArray(status["activeFlags"]) ? status["activeFlags"] : [];
      if (flags.length > 0) host.live({ kind: "status", text: flags.map(String).join(", ") });
    },
    "item/started": ({ item }) => (isRecord(item) ? items.begin(item) : undefined),
    "item/completed": ({ item }) => (isRecord(item) ? items.complete(item) : undefined),
    "item/agentMessage/delta": ({ itemId, delta }) => items.showText(itemId, delta),
    "item/reasoning/summaryTextDelta": showReasoning,
    "item/reasoning/textDelta": showReasoning,
    "item/commandExecution/outputDelta": addOutput,
    "item/fileChange/outputDelta": addOutput,
    "item/mcpToolCall/progress": ({ itemId, message }) => items.addOutput(itemId, message),
    "thread/tokenUsage/updated": ({ turnId, tokenUsage }) => {
      if (isOfOtherTurn(turnId)) return;
      const sum = usage.add(tokenUsage);
      if (sum !== undefined) host.usage(sum.usage, sum.window);
    },
    error: ({ error: given, willRetry }) => {
      const told = turnErrorOf(given);
      if (told === undefined) return;
      if (willRetry === true) host.live({ kind: "status", text: shown(told.message) });
      else error = told;
    },
    "thread/goal/updated": ({ goal }) => showGoal(goal, host),
    "turn/completed": (params) => {
      const turn = isRecord(params["turn"]) ? params["turn"] : {};
      if (isOfOtherTurn(turn["id"])) return;
      milestones.end({ status: String(turn["status"]), error: turnErrorOf(turn["error"]) ?? error });
    },
  };
  /** What must not wait behind the notifications that are being stored. */
  const noteAtOnce = (method: string, params: Params): void => {
    const { item, requestId } = params;
    if (method === "item/started" && isRecord(item)) items.announce(item);
    if (method === "serverRequest/resolved" && (typeof requestId === "number" || typeof requestId === "string"))
      resolved(requestId);
    if (method === "turn/started" || method === "item/started") milestones.heard();
  };
  return {
    thread,
    started: items.started,
    begun: milestones.begun,
    ended: milestones.ended,
    named: milestones.name,
    turnId: milestones.turnId,
    answer: items.answer,
    idle: () => updates.idle(),
    processes: items.processes,
    interrupted: () => updates.post(items.interruptOpen),
    notify: (method, params) => {
      if (updates.waiting >= WAITING) return false;
      noteAtOnce(method, params);
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (handler === undefined) log.debug("notification of the app-server", { method });
      else updates.post(async () => await handler(params)).catch(milestones.fail);
      return true;
    },
  };
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
