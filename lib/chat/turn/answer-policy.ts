import type { ChatMessage, ProviderTraits, ToolCall } from "../../contracts/models/model.js";
import type { RoundAnswer } from "./round.js";
import type { TurnEnding } from "./turn-usage.js";

const MAX_CONTINUATIONS = 3; // core part, 2.4
const MAX_TRUNCATED_CALLS = 3;
const MAX_EMPTY_REPEATS = 3;
const DEFAULT_CAP = 4096;
const HIGHEST_CAP = 32_768;

const GO_ON =
  "Your answer was cut off by the output limit. Go on exactly where it stopped, without repeating anything.";
const GO_ON_AFTER_CUT =
  "The network connection was cut while you were answering. Go on exactly where the text stopped, without repeating anything.";
const SPLIT_CALL =
  "The network connection was cut while a tool call was being sent. Make the call again, and split large contents into several calls of less than about 8000 tokens each.";
const USE_RESULTS =
  "You gave an empty answer after the tool calls. Look at the tool results above and go on with the task.";

const WRITE_IT = "You thought about it and wrote no answer. Write the answer now.";
const CONTINUE_NOW = "Continue now: do what you announced with the tools, and answer when it is done.";
const MAX_PREFILLS = 2;
const MAX_INCOMPLETE = 3;
const MAX_ANNOUNCEMENTS = 2;

/** What the turn remembers between its requests. Nothing of it is stored. */
export interface AnswerMemory {
  /** Messages for the wire only, after the stored ones. */
  wireOnly: ChatMessage[];
  /** Texts of answers that were cut by the output limit, to be joined into one. */
  parts: string[];
  continuations: number;
  truncatedCalls: number;
  emptyAsks: number;
  nudged: boolean;
  /** The last of `parts` was cut by the network, not by a limit. */
  networkCut: boolean;
  prefills: number;
  incompletes: number;
  announcements: number;
  /** Text beside calls that only kept house: likely the answer, should nothing follow. */
  prior: string;
  cap: number | undefined;
}

/** What a verdict looks at besides the answer. */
export interface AnswerFacts {
  /** A tool round of this turn came before. */
  readonly afterTools: boolean;
  readonly traits: ProviderTraits;
  /** What the user said. */
  readonly question: string;
}

export const newAnswerMemory = (wireOnly: readonly ChatMessage[] = []): AnswerMemory => ({
  wireOnly: [...wireOnly],
  parts: [],
  continuations: 0,
  truncatedCalls: 0,
  emptyAsks: 0,
  nudged: false,
  networkCut: false,
  prefills: 0,
  incompletes: 0,
  announcements: 0,
  prior: "",
  cap: undefined,
});

export type AnswerVerdict =
  | { readonly do: "tools"; readonly calls: readonly ToolCall[] }
  | { readonly do: "ask again" }
  | { readonly do: "end"; readonly ending: TurnEnding };

type Ok = Extract<RoundAnswer, { ok: true }>;

/** What a response means (core part, 2.4). Changes `memory`, nothing else. */
export function judgeAnswer(answer: Ok, memory: AnswerMemory, facts: AnswerFacts): AnswerVerdict {
  if (answer.finish === "content_filter") return end(refused(answer.content));
  const cut = answer.finish === "length" || answer.finish === "dropped" || seemsCut(answer, facts);
  if (answer.toolCalls.length > 0) return cut ? again(answer, memory, facts) : { do: "tools", calls: answer.toolCalls };
  if (answer.finish === "incomplete" && memory.incompletes < MAX_INCOMPLETE) return goesOn(answer, memory);
  if (answer.content.trim() === "") return empty(answer, memory, facts);
  if (cut) return goOn(answer, memory, facts);
  if (facts.traits.announces === true && !facts.afterTools && announces(answer.content, facts.question, memory))
    return goesOn(answer, memory);
  const replay = memory.parts.length === 0 && answer.replay !== undefined ? { replay: answer.replay } : {};
  return end({
    reason: "text_response",
    answer: joined(memory, answer.content),
    reasoning: answer.reasoning,
    ...replay,
  });
}

/** Some servers say `stop` when the window is full: an answer that ends in the middle of a sentence was cut. */
function seemsCut({ finish, content, toolCalls }: Ok, { afterTools, traits }: AnswerFacts): boolean {
  const text = content.trimEnd();
  if (traits.fakeStop !== true || !afterTools || finish !== "stop" || toolCalls.length > 0 || text.length < 20)
    return false;
  return !/[.!?:)"'\]}\u3002\uff01\uff1f\uff1a\uff09\u3011\u300d\u300f\u300b]$|```$|[\u{1F300}-\u{10FFFF}]$/u.test(
    text,
  );
}

/** The answer so far, on the wire only, and the same question again. */
function goesOn(answer: Ok, memory: AnswerMemory): AnswerVerdict {
  const interim: ChatMessage = {
    role: "assistant",
    content: answer.content,
    ...(answer.replay === undefined ? {} : { replay: answer.replay }),
  };
  const announced = answer.finish !== "incomplete";
  if (announced) memory.announcements += 1;
  else memory.incompletes += 1;
  memory.wireOnly = [
    ...memory.wireOnly,
    interim,
    ...(announced ? [{ role: "user", content: CONTINUE_NOW } as const] : []),
  ];
  return { do: "ask again" };
}

const ANNOUNCEMENT =
  /^(?:(?:sure|okay|ok|certainly|of course|alright|absolutely|great)[,.!]? {1,2})?(?:first,? {1,2})?(?:i[\u2019']ll|i will|let me|i[\u2019']m going to|i am going to|i[\u2019']m) (?:\w+ ){0,3}?(?:look|check|inspect|examin|review|read|search|scan|investigat|explor|open|run|start|analy[sz]|find|dig|see|begin)/i;
const WORKSPACE =
  /\b(?:files?|repo|repository|code|codebase|project|director(?:y|ies)|folders?|workspace|tests?|bugs?|functions?|class|modules?|build|branch|commits?|here)\b|[\w-]\/[\w-]|\w\.(?:ts|js|py|go|rs|c|h|cpp|java|md|json|ya?ml|toml|sh|txt)\b/i;
const LONGEST_ANNOUNCEMENT = 400;

function announces(text: string, question: string, memory: AnswerMemory): boolean {
  const said = text.trim();
  if (memory.announcements >= MAX_ANNOUNCEMENTS || said.length > LONGEST_ANNOUNCEMENT || said.endsWith("?"))
    return false;
  return ANNOUNCEMENT.test(said) && WORKSPACE.test(question);
}

/** A truncated call is never run: the same request is asked again, with more room. */
function again(answer: Ok, memory: AnswerMemory, facts: AnswerFacts): AnswerVerdict {
  memory.truncatedCalls += 1;
  if (memory.truncatedCalls > MAX_TRUNCATED_CALLS)
    return end({ reason: "truncated", answer: "Response truncated due to output length limit", partial: true });
  if (answer.finish === "dropped") memory.wireOnly = [...memory.wireOnly, { role: "user", content: SPLIT_CALL }];
  else raiseCap(memory, memory.truncatedCalls, facts);
  return { do: "ask again" };
}

function goOn(answer: Ok, memory: AnswerMemory, facts: AnswerFacts): AnswerVerdict {
  memory.parts.push(answer.content);
  memory.networkCut = answer.finish === "dropped";
  memory.continuations += 1;
  if (memory.continuations > MAX_CONTINUATIONS) {
    const failure = {
      class: "truncated",
      message: `Response remained truncated after ${MAX_CONTINUATIONS} continuation attempts`,
    };
    return end({ reason: "truncated", answer: memory.parts.join(""), partial: true, failure });
  }
  if (answer.finish !== "dropped") raiseCap(memory, memory.continuations, facts);
  const ask = answer.finish === "dropped" ? GO_ON_AFTER_CUT : GO_ON;
  memory.wireOnly = [
    ...memory.wireOnly,
    { role: "assistant", content: answer.content },
    { role: "user", content: ask },
  ];
  return { do: "ask again" };
}

function empty(answer: Ok, memory: AnswerMemory, { afterTools, traits }: AnswerFacts): AnswerVerdict {
  if (memory.parts.length > 0) {
    const reason = memory.networkCut ? "partial_stream_recovery" : "text_response";
    return end({ reason, answer: memory.parts.join("") });
  }
  if (memory.prior !== "") return end({ reason: "fallback_prior_turn_content", answer: memory.prior, stored: true });
  if (answer.finish === "length" && answer.reasoning !== "")
    return end({
      reason: "truncated",
      answer: "The thinking budget was used up before an answer was written",
      partial: true,
    });
  if (afterTools && !memory.nudged && answer.reasoning === "") {
    memory.nudged = true;
    memory.wireOnly = [
      ...memory.wireOnly,
      { role: "assistant", content: "(empty)" },
      { role: "user", content: USE_RESULTS },
    ];
    return { do: "ask again" };
  }
  if (answer.reasoning !== "" && memory.prefills < MAX_PREFILLS) {
    memory.prefills += 1;
    const write: readonly ChatMessage[] = traits.noPrefill === true ? [{ role: "user", content: WRITE_IT }] : [];
    memory.wireOnly = [...memory.wireOnly, { role: "assistant", content: answer.reasoning }, ...write];
    return { do: "ask again" };
  }
  memory.emptyAsks += 1;
  if (memory.emptyAsks <= MAX_EMPTY_REPEATS) return { do: "ask again" };
  const why = `the model returned ${MAX_EMPTY_REPEATS + 1} empty answers. The request was repeated ${MAX_EMPTY_REPEATS} times; ask again, or choose another model.`;
  const failure = { class: "empty_response", message: `No reply: ${why}` };
  return end({ reason: "empty_response_exhausted", answer: `⚠️ No reply: ${why}`, failure });
}

function raiseCap(memory: AnswerMemory, attempt: number, { traits }: AnswerFacts): void {
  const before = memory.cap ?? traits.outputCap ?? 0;
  const raised = (traits.outputCap ?? DEFAULT_CAP) * (attempt + 1);
  memory.cap = Math.min(Math.max(raised, before), Math.max(HIGHEST_CAP, before));
}

function refused(text: string): TurnEnding {
  const own = text.trim() === "" ? "" : `\n\nThe model said: ${text.trim()}`;
  const answer = `The model refused to answer this request because of its content policy. Rephrase it, or choose another model.${own}`;
  return {
    reason: "content_policy_blocked",
    answer,
    partial: true,
    failure: {
      class: "content_policy_blocked",
      message: "the model refused the request because of its content policy",
    },
  };
}

const joined = (memory: AnswerMemory, last: string): string => [...memory.parts, last].join("");
const end = (ending: TurnEnding): AnswerVerdict => ({ do: "end", ending });
