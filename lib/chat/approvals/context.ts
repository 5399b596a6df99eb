import type { Clock } from "../../base/time/clock.js";
import type { Ms, TurnId } from "../../base/units.js";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { Config } from "../../contracts/config/config.js";
import type { Permission, PermissionAnswer, ToolContext, UserAnswer } from "../../tools/core/define.js";
import { CHAT_CLARIFY_TIMEOUT, CLARIFY_TIMEOUT } from "../../tools/core/keys.js";
import type { Asker } from "../questions/asker.js";
import type { CallPlace } from "./call.js";
import { formContext } from "./form-asking.js";
import type { HeardOthers } from "./heard-others.js";
import type { TurnFacts } from "./turn-facts.js";

/** What a conversation asks through. */
export interface AskingInput {
  permit(permission: Permission, call: CallPlace): Promise<PermissionAnswer>;
  readonly asker?: Asker;
  readonly config: Config;
  readonly clock: Pick<Clock, "now">;
  readonly transcript: { readonly session: { readonly source: string } };
  redact(text: string): string;
}

/** The call that asks. */
export interface AskingCall {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly facts: TurnFacts;
  readonly heard: HeardOthers;
  turn(): TurnId | undefined;
  cwd(): string;
}

/** The part of a call's context that asks: for permission, and the user for an answer. */
export function approvalContext(
  input: AskingInput,
  call: AskingCall,
): Pick<ToolContext, "permit" | "ask" | "askForm" | "askHidden" | "readUntrusted" | "heardOthers"> {
  const { callId, signal, facts, heard } = call;
  const { asker } = input;
  return {
    permit: (permission) => input.permit(permission, { cwd: call.cwd(), callId, signal, facts, turn: call.turn() }),
    readUntrusted: () => {
      facts.untrusted = true;
      heard.note();
    },
    heardOthers: () => heard.why(facts),
    ...(asker === undefined ? {} : questionsOf(input, asker, call)),
  };
}

const questionsOf = (
  input: AskingInput,
  asker: Asker,
  call: AskingCall,
): Pick<ToolContext, "ask" | "askForm" | "askHidden"> => ({
  ask: (question, choices) => askUser(input, asker, call, { question, choices }),
  ...formContext({ asker, call, now: () => input.clock.now(), redact: (text) => input.redact(text) }),
});

/** A one-shot has a user who reads the answer; others without one get an error that says so. */
const ONE_SHOT = "Nobody can be asked now. Choose the best option and say which one you took.";
const BEST = "Use your best judgement to proceed.";

async function askUser(
  input: AskingInput,
  asker: Asker,
  { signal, turn }: AskingCall,
  asked: { readonly question: string; readonly choices: readonly string[] },
): Promise<UserAnswer> {
  const { source } = input.transcript.session;
  const limit = PLATFORM_TAGS.some((tag) => tag === source) ? CHAT_CLARIFY_TIMEOUT : CLARIFY_TIMEOUT;
  const timeoutMs: Ms = input.config.get(limit) * 1000;
  const data = { question: input.redact(asked.question), choices: asked.choices.map((choice) => input.redact(choice)) };
  const answered = await asker.ask({ kind: "clarify", data }, { signal, turn: turn(), timeoutMs });
  if (answered.answered) return { how: "answered", text: answered.answer };
  if (answered.why === "interrupted") throw signal.reason;
  if (answered.why === "cancelled") return { how: "cancelled", instead: `The user cancelled. ${BEST}` };
  if (answered.why === "nobody") return { how: "nobody", instead: source === "cli" ? ONE_SHOT : "" };
  return { how: "silent", instead: `The user did not answer within ${timeoutMs / 1000} s. ${BEST}` };
}
