import type { ChatMessage } from "../../contracts/models/model.js";
import { planRequest } from "./plan.js";
import { callsFor, type OfflineAnswer, type OfflineConversation, progressSince, ruleContext } from "./progress.js";
import type { OfflineStep } from "./rules.js";
import { failureOf, NO_SIGHT, type ToolAnswer } from "./show.js";
import { describeAssistant, notUnderstood } from "./texts.js";
import { workerAnswer } from "./worker.js";

/** The next answer. It depends on nothing but the conversation and, for time and date, the clock. */
export function answerTo(conversation: OfflineConversation): OfflineAnswer {
  const { request } = conversation;
  const offered = offeredIn(request.tools);
  if (offered.has("kanban_complete")) return workerAnswer(conversation, offered);
  return chatAnswer(conversation, offered);
}

/** Names of the tools that can be called: the board's may stand behind `tool_search`, which names their set. */
function offeredIn(tools: OfflineConversation["request"]["tools"]): ReadonlySet<string> {
  const search = tools.find(({ name }) => name === "tool_search");
  const board = /\bkanban\b/.test(search?.description ?? "") ? BOARD : [];
  return new Set([...tools.map(({ name }) => name), ...board]);
}

const BOARD = ["kanban_create", "kanban_list"];

function chatAnswer(conversation: OfflineConversation, offered: ReadonlySet<string>): OfflineAnswer {
  const { messages } = conversation.request;
  const asked = askedAt(messages, offered.size === 0);
  const request = messages[asked];
  if (request === undefined) return { text: describeAssistant(offered), calls: [] };
  const plan = planRequest(request.content, ruleContext(conversation));
  const progress = progressSince(messages, asked);
  const groups = plan.groups.map((group) => group.filter((step) => step.kind === "call" && offered.has(step.tool)));
  const left = groups.filter((group) => group.length > 0)[progress.rounds];
  if (left) return { text: "", calls: callsFor(left, messages) };
  const answer = finalAnswer(plan, progress.answers, { offered, first: isFirst(messages, asked) });
  const pictured = request.role === "user" && (request.pictures?.length ?? 0) > 0;
  return pictured ? { ...answer, text: `${NO_SIGHT}\n\n${answer.text}` } : answer;
}

/**
 * Place of the message to answer. A request without tools after a tool round asks to sum up: what counts then is the message that began the
 * work.
 */
function askedAt(messages: readonly ChatMessage[], toolless: boolean): number {
  const newest = messages.findLastIndex((message) => message.role === "user");
  const worked = messages.findLastIndex((message) => message.role === "tool");
  if (!toolless || worked < 0 || worked > newest) return newest;
  return messages.slice(0, worked).findLastIndex((message) => message.role === "user");
}

/** Nothing was answered before the message at `asked`. */
function isFirst(messages: readonly ChatMessage[], asked: number): boolean {
  return !messages.slice(0, asked).some((message) => message.role === "assistant");
}

interface FinalFacts {
  readonly offered: ReadonlySet<string>;
  readonly first: boolean;
}

function finalAnswer(
  plan: ReturnType<typeof planRequest>,
  answers: readonly ToolAnswer[],
  facts: FinalFacts,
): OfflineAnswer {
  const texts: string[] = [];
  let count: number | undefined;
  let told = false;
  let used = 0;
  for (const step of plan.groups.flat()) {
    if (step.kind === "count") count = Math.max(count ?? 0, step.to);
    else if (step.kind === "help") told = true;
    else if (step.kind === "say") texts.push(step.text);
    else if (!facts.offered.has(step.tool) && answers[used] === undefined)
      texts.push(`I can't do that: the ${step.tool} tool isn't available here.`);
    else texts.push(shownResult(step, answers[used++]));
  }
  if (plan.unknown.length > 0) texts.push(notUnderstood(plan.unknown));
  if (told || facts.first || plan.unknown.length > 0 || plan.groups.length === 0)
    texts.push(describeAssistant(facts.offered));
  return { text: texts.join("\n\n"), calls: [], ...(count === undefined ? {} : { count }) };
}

function shownResult(step: Extract<OfflineStep, { kind: "call" }>, answer: ToolAnswer | undefined): string {
  if (answer === undefined) return `${step.tool} gave no result.`;
  const failure = failureOf(answer);
  // A command that failed still has output and an exit code worth seeing.
  if (failure !== undefined && answer.fields["output"] === undefined) return `${step.tool} failed: ${failure}`;
  const shown = step.show(answer);
  return failure === undefined || shown.includes(failure) ? shown : `${shown}\n${failure}`;
}
