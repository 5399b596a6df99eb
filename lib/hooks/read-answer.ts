import { isRecord } from "../base/json/record.js";
import type { DispatchDecision, TransformName } from "../contracts/hooks/hooks.js";

/** What an answer means: a decision, nothing (`undefined`), or nothing that can be understood. */
export type AnswerReading<T> =
  | { readonly ok: true; readonly value: T | undefined }
  | { readonly ok: false; readonly why: string };

const NOTHING = { ok: true, value: undefined } as const;
const malformed = (wanted: string): AnswerReading<never> => ({
  ok: false,
  why: `malformed answer: expected ${wanted}`,
});
const isNothing = (value: unknown) =>
  value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);

/** `{action: "block", message}`, `{action: "allow"}` or nothing. */
export function toolBlockOf(value: unknown): AnswerReading<{ readonly block: string }> {
  if (isNothing(value)) return NOTHING;
  if (isRecord(value) && value["action"] === "allow") return NOTHING;
  if (!isRecord(value) || value["action"] !== "block") return malformed('nothing, or {action: "block", message}');
  const { message } = value;
  return { ok: true, value: { block: typeof message === "string" && message !== "" ? message : "blocked by a hook" } };
}

/** `{action: "skip"}`, `{action: "allow"}`, `{action: "rewrite", text}` or nothing. */
export function dispatchOf(value: unknown): AnswerReading<DispatchDecision> {
  if (isNothing(value)) return NOTHING;
  if (isRecord(value)) {
    const { action, text } = value;
    if (action === "skip" || action === "allow") return { ok: true, value: { action } };
    if (action === "rewrite" && typeof text === "string") return { ok: true, value: { action, text } };
  }
  return malformed('nothing, or {action: "skip" | "allow"} or {action: "rewrite", text}');
}

/** A string replaces the text; of `transform_llm_output` only one that is not empty. */
export const transformOf =
  (name: TransformName) =>
  (value: unknown): AnswerReading<string> => {
    if (isNothing(value) || (value === "" && name === "transform_llm_output")) return NOTHING;
    return typeof value === "string" ? { ok: true, value } : malformed("nothing, or a string");
  };

/** A string that is not empty, or `{context}` with one. */
export function addedContextOf(value: unknown): AnswerReading<string> {
  const text = isRecord(value) && "context" in value ? value["context"] : value;
  if (isNothing(text) || text === "") return NOTHING;
  return typeof text === "string" ? { ok: true, value: text } : malformed("nothing, a string, or {context}");
}
