import { LIMITS } from "../../base/limits.js";
import type { TurnId } from "../../base/units.js";
import type { FormAction, FormAnswer, FormAsked } from "../../contracts/chat/form.js";
import { FORM_ACTIONS } from "../../contracts/chat/form.js";
import type { QuestionOutcome } from "../../contracts/chat/questions.js";
import type { ToolContext } from "../../tools/core/define.js";
import type { Asker } from "../questions/asker.js";

export interface FormAsking {
  readonly asker: Asker;
  /** The call that asks. */
  readonly call: { readonly signal: AbortSignal; turn(): TurnId | undefined };
  now(): number;
  redact(text: string): string;
}

/** What a call asks people for: the fields of a form, and a value that is never shown or stored. */
export function formContext(asking: FormAsking): Required<Pick<ToolContext, "askForm" | "askHidden">> {
  const { asker, call, redact } = asking;
  return {
    askForm: async (form, ticket) => {
      const data = withoutSecrets(form, redact);
      const left = form.waits_until === undefined ? LIMITS.formMs : form.waits_until - asking.now();
      if (left <= 0) return { action: "cancel", content: {}, why: "timeout" };
      const timeoutMs = Math.min(left, LIMITS.formMs);
      if (ticket !== undefined) return asker.park(data, { ticket, signal: call.signal, turn: call.turn(), timeoutMs });
      return toFormAnswer(
        await asker.ask({ kind: "form", data }, { signal: call.signal, turn: call.turn(), timeoutMs }),
      );
    },
    askHidden: async (prompt, { kind = "secret", timeoutMs = LIMITS.hiddenMs } = {}) => {
      const given = await asker.ask(
        { kind, data: { prompt: redact(prompt) } },
        { signal: call.signal, turn: call.turn(), timeoutMs },
      );
      if (!given.answered && given.why === "interrupted") throw call.signal.reason;
      return given.answered ? given.answer : undefined;
    },
  };
}

/** Texts of a server are shown without the secrets that this program knows. Names and values of choices are what the server reads. */
const withoutSecrets = (form: FormAsked, redact: (text: string) => string): FormAsked => ({
  ...form,
  title: redact(form.title),
  message: redact(form.message),
  fields: form.fields.map((field) => ({
    ...field,
    label: redact(field.label),
    ...(field.description === undefined ? {} : { description: redact(field.description) }),
  })),
});

function toFormAnswer(given: QuestionOutcome): FormAnswer {
  if (given.answered) return { action: actionOf(given.answer), content: given.content ?? {} };
  if (given.why === "nobody") return { action: "decline", content: {}, why: "nobody" };
  if (given.why === "cancelled") return { action: "cancel", content: {} };
  return { action: "cancel", content: {}, why: given.why === "timeout" ? "timeout" : "interrupted" };
}

const actionOf = (answer: string): FormAction => FORM_ACTIONS.find((one) => one === answer) ?? "cancel";
