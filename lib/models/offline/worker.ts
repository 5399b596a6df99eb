import type { ChatMessage } from "../../contracts/models/model.js";
import { planRequest } from "./plan.js";
import { callsFor, type OfflineAnswer, type OfflineConversation, progressSince, ruleContext } from "./progress.js";
import type { OfflineStep } from "./rules.js";
import { failureOf, readAnswer, showRaw, type ToolAnswer } from "./show.js";

/** Most characters of one result that the summary repeats. */
const MAX_RESULT = 500;

/** A board worker: look at the task, do the lines of its body that a rule understands, then complete it, or block it with the reason. */
export function workerAnswer(conversation: OfflineConversation, offered: ReadonlySet<string>): OfflineAnswer {
  const { messages } = conversation.request;
  const task = newestTask(messages);
  if (task === undefined) return { text: "", calls: callsFor([toolStep("kanban_show", {})], messages) };
  const settled = settledSince(messages, task.at);
  if (settled !== undefined) return { text: settled, calls: [] };
  const steps = planRequest(task.instructions, ruleContext(conversation));
  const groups = steps.groups.map((group) => group.filter((step) => step.kind === "call" && offered.has(step.tool)));
  const progress = progressSince(messages, task.at);
  const left = groups.filter((group) => group.length > 0)[progress.rounds];
  if (left) return { text: "", calls: callsFor(left, messages) };
  const end = settle(steps.groups.flat(), { answers: progress.answers, offered, unknown: steps.unknown });
  return { text: "", calls: callsFor([end], messages) };
}

const toolStep = (tool: string, args: Readonly<Record<string, unknown>>): OfflineStep => ({
  kind: "call",
  tool,
  args,
  show: showRaw,
  read: false,
  done: "",
});

/** The task as the last `kanban_show` told it, and the place of that result. */
function newestTask(messages: readonly ChatMessage[]): { at: number; instructions: string } | undefined {
  const at = messages.findLastIndex((message) => message.role === "tool" && message.name === "kanban_show");
  const message = messages[at];
  if (message === undefined) return undefined;
  const { fields } = readAnswer(message.content);
  const task = typeof fields["task"] === "object" && fields["task"] !== null ? { ...fields["task"] } : fields;
  const text = (name: string) => {
    const found: unknown = Object.entries(task).find(([key]) => key === name)?.[1];
    return typeof found === "string" ? found.trim() : "";
  };
  return { at, instructions: text("body") || text("title") };
}

/** What to say when the task was completed or blocked already; the refusal when that failed. */
function settledSince(messages: readonly ChatMessage[], at: number): string | undefined {
  const end = messages
    .slice(at)
    .findLast((message) => message.role === "tool" && /^kanban_(complete|block)$/.test(message.name));
  if (end === undefined) return undefined;
  const failure = failureOf(readAnswer(end.content));
  return failure === undefined ? "The task is settled." : `The task could not be settled: ${failure}`;
}

interface Outcome {
  readonly answers: readonly ToolAnswer[];
  readonly offered: ReadonlySet<string>;
  readonly unknown: readonly string[];
}

function settle(steps: readonly OfflineStep[], outcome: Outcome): OfflineStep {
  const lines: string[] = [];
  const failures: string[] = [];
  let used = 0;
  for (const step of steps) {
    if (step.kind === "say") lines.push(step.text);
    if (step.kind === "count") lines.push(`counted to ${step.to}`);
    if (step.kind !== "call") continue;
    if (!outcome.offered.has(step.tool)) {
      failures.push(`${step.done}: there is no tool ${step.tool}`);
      continue;
    }
    const answer = outcome.answers[used++];
    const failure = answer === undefined ? "no result" : (failureOf(answer) ?? exitFailure(answer));
    if (failure === undefined) lines.push(doneLine(step, answer));
    else failures.push(`${step.done}: ${failure}`);
  }
  if (failures.length > 0)
    return toolStep("kanban_block", { reason: `the offline assistant could not do it. ${failures.join("; ")}` });
  if (lines.length === 0) return toolStep("kanban_block", { reason: notUnderstoodReason(outcome.unknown) });
  const skipped = outcome.unknown.length === 0 ? "" : `; not understood: ${outcome.unknown.join(" | ")}`;
  return toolStep("kanban_complete", { summary: `${lines.join("; ")}${skipped}` });
}

function notUnderstoodReason(unknown: readonly string[]): string {
  const what =
    unknown.length === 0
      ? "the task has no text"
      : `no line of the task is among them: ${unknown.join(" | ").slice(0, MAX_RESULT)}`;
  return `the offline assistant follows fixed rules and is not a language model; ${what}. Set up a model with agent setup, then unblock the task.`;
}

function exitFailure(answer: ToolAnswer): string | undefined {
  const code = answer.fields["exit_code"];
  return typeof code === "number" && code !== 0 ? `exit code ${code}` : undefined;
}

/** A read is worth its result, a change is worth its name. */
function doneLine(step: Extract<OfflineStep, { kind: "call" }>, answer: ToolAnswer | undefined): string {
  if (answer === undefined || (!step.read && step.tool !== "terminal")) return step.done;
  return `${step.done}: ${step.show(answer).slice(0, MAX_RESULT)}`;
}
