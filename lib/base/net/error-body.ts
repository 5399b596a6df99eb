import { isRecord, jsonOf } from "../json/record.js";

const MOST_CHARS = 500;

/** What the body of a refusal says, as `code: message`; else its first characters. Services use the forms of `{"error": ...}` and a few others. */
export function errorBodyText(body: string): string {
  const value = jsonOf(body);
  const record = isRecord(value) ? value : {};
  const inner = isRecord(record["error"]) ? record["error"] : record;
  const code = firstText(inner["code"], inner["type"], inner["status"], record["code"]);
  const message = firstText(inner["message"], inner["error"], inner["detail"], record["error"], record["message"]);
  const said = message === undefined ? body.trim() : code === undefined ? message : `${code}: ${message}`;
  return [...said.replace(/\s+/g, " ")].slice(0, MOST_CHARS).join("");
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values
    .map((value) => (typeof value === "number" ? String(value) : value))
    .find((value): value is string => typeof value === "string" && value.trim() !== "")
    ?.trim();
