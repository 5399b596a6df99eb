import type { CreateElicitationRequest, ElicitationPropertySchema } from "@agentclientprotocol/sdk";
import { toAppError } from "../../lib/base/errors.js";
import type { Log } from "../../lib/base/log/log.js";
import type { OwnerLine } from "../../lib/contracts/acp/owner-line.js";
import type { FormAsked, FormField } from "../../lib/contracts/chat/form.js";
import type { ApprovalAsked, ClarifyAsked } from "../../lib/contracts/chat/questions.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import type { Editor } from "./editor.js";
import { toAnswer, toPermissionRequest } from "./permissions.js";
import { toAgentChunk } from "./updates.js";

export interface QuestionsDeps {
  readonly line: OwnerLine;
  readonly editor: Editor;
  readonly log: Log;
  /** As the editor names the conversation. */
  readonly sessionId: string;
}

/** Questions of a conversation that the editor shows. */
export interface Questions {
  /** Ask those that were open already. */
  open(questions: readonly unknown[]): void;
  /** True: the event was about a question. */
  hear(event: WireEvent): boolean;
  /** Withdraw what is shown. */
  close(): void;
}

type Kind = "approval" | "clarify" | "form" | "password" | "secret";

interface Question {
  readonly request: string;
  readonly kind: Kind;
  readonly data: unknown;
}

const EVENT = /^(approval|clarify|form|password|secret)\.(requested|resolved)$/;

export function createQuestions(deps: QuestionsDeps): Questions {
  const shown = new Map<string, AbortController>();
  const ask = (question: Question) => {
    if (shown.has(question.request)) return;
    const control = new AbortController();
    shown.set(question.request, control);
    askEditor(deps, question, control.signal)
      .catch(async (error: unknown) => {
        if (control.signal.aborted || toAppError(error).code === "E_ALREADY_RESOLVED") return;
        deps.log.warning("a question could not be asked", { kind: question.kind, error: String(error) });
        await decline(deps, question);
      })
      .catch((error: unknown) => {
        deps.log.debug("a question could not be closed", { kind: question.kind, error: String(error) });
      })
      .finally(() => shown.delete(question.request));
  };
  return {
    open: (questions) => {
      for (const question of questions) ask(question as Question); // the owner's open questions have these members
    },
    hear: ({ event, data }) => {
      const [, kind, what] = EVENT.exec(event) ?? [];
      if (kind === undefined) return false;
      const request = String(data["request"]);
      if (what === "resolved") shown.get(request)?.abort();
      else ask({ request, kind: kind as Kind, data }); // the expression names them
      return true;
    },
    close: () => {
      for (const control of shown.values()) control.abort();
    },
  };
}

async function askEditor(deps: QuestionsDeps, question: Question, signal: AbortSignal): Promise<void> {
  const { line, editor, sessionId } = deps;
  const { request, kind } = question;
  const respond = (method: string, given: object) => line.call(method, { request, ...given }, { repeat: true });
  switch (kind) {
    case "approval": {
      const asked = question.data as ApprovalAsked; // the owner's event has these members
      const response = await editor.permission(toPermissionRequest(sessionId, asked), signal);
      if (!signal.aborted) await respond("approval.respond", { answer: toAnswer(response, asked) });
      return;
    }
    case "clarify": {
      const asked = question.data as ClarifyAsked; // the owner's event has these members
      if (!canAsk(editor)) return await tellHow(deps, asked.question, () => respond("clarify.respond", {}));
      const response = await editor.elicit(toChoice(sessionId, asked), signal);
      const content = "content" in response ? (response.content as Record<string, unknown> | undefined) : undefined; // of an accepted form
      const answer = response.action === "accept" ? content?.["answer"] : undefined;
      if (!signal.aborted) await respond("clarify.respond", { answer: typeof answer === "string" ? answer : null });
      return;
    }
    case "form": {
      const asked = question.data as FormAsked; // the owner's event has these members
      if (!canAsk(editor) || asked.url !== undefined)
        return await tellHow(deps, asked.message, () => respond("form.respond", { action: "decline" }));
      const response = await editor.elicit(toForm(sessionId, asked), signal);
      if (signal.aborted) return;
      const content = response.action === "accept" && "content" in response ? { content: response.content ?? {} } : {};
      await respond("form.respond", { action: response.action, ...content });
      return;
    }
    case "password":
    case "secret":
      // The protocol has no hidden input.
      return await tellHow(deps, "A password or a secret is asked for.", () => respond(`${kind}.respond`, {}));
  }
}

/** Close a question that the editor has answered with an error; otherwise the turn would wait for ever. */
async function decline({ line }: QuestionsDeps, { request, kind }: Question): Promise<void> {
  const given = kind === "approval" ? { answer: "deny" } : kind === "form" ? { action: "cancel" } : {};
  await line.call(`${kind}.respond`, { request, ...given }, { repeat: true });
}

const canAsk = ({ capabilities }: Editor): boolean => (capabilities.elicitation?.form ?? undefined) !== undefined;

/** The editor cannot show the question: it is closed, and the person learns where it can be answered. */
async function tellHow(
  { editor, sessionId }: QuestionsDeps,
  what: string,
  close: () => Promise<unknown>,
): Promise<void> {
  const how =
    "This editor cannot show the question. Answer with your next message, or use this session in a terminal: `agent --resume";
  await editor.update(sessionId, toAgentChunk(`\n\n${what}\n\n${how} ${sessionId}\`.\n\n`));
  await close();
}

function toChoice(sessionId: string, { question, choices }: ClarifyAsked): CreateElicitationRequest {
  const about = choices.length === 0 ? {} : { description: `For example: ${choices.join("; ")}` };
  return {
    sessionId,
    mode: "form",
    message: question,
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Answer", ...about } },
      required: ["answer"],
    },
  };
}

function toForm(sessionId: string, { title, from, message, fields }: FormAsked): CreateElicitationRequest {
  return {
    sessionId,
    mode: "form",
    message: `${from}: ${message}`,
    requestedSchema: {
      type: "object",
      title,
      properties: Object.fromEntries(fields.map((field) => [field.name, toProperty(field)])),
      required: fields.filter(({ required }) => required).map(({ name }) => name),
    },
  };
}

function toProperty(field: FormField): ElicitationPropertySchema {
  const { label: title, description, type, choices = [] } = field;
  const about = { title, ...(description === undefined ? {} : { description }) };
  const options = choices.map(({ value, label }) => ({ const: value, title: label }));
  switch (type) {
    case "boolean":
      return { type: "boolean", ...about };
    case "number":
    case "integer":
      return { type, ...about, ...bounds(field, "minimum", "maximum") };
    case "choice":
      return { type: "string", ...about, oneOf: options };
    case "choices":
      return { type: "array", ...about, items: { anyOf: options } };
    case "text":
      return { type: "string", ...about, ...lengths(field) };
  }
}

function bounds({ min, max }: FormField, low: string, high: string): Record<string, number> {
  return { ...(min === undefined ? {} : { [low]: min }), ...(max === undefined ? {} : { [high]: max }) };
}

function lengths({ min_length: minLength, max_length: maxLength, pattern }: FormField) {
  return {
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}
