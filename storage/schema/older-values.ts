import type { Row, Value } from "../store.js";

type Given = Value | undefined;

/** A text; nothing for what is empty. */
export function text(value: Given): string | null {
  if (value === undefined || value === null || value === "") return null;
  return String(value);
}

/** A whole number, also when it was kept as text or with a fraction. */
export function integer(value: Given): number | null {
  if (value === undefined || value === null || value === "") return null;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number : null;
}

/** A whole number of at least 1. */
export function positive(value: Given): number | null {
  const number = typeof value === "string" && !/^\d+$/.test(value) ? null : integer(value);
  return number !== null && number >= 1 ? number : null;
}

/** Above this a number counts milliseconds: as seconds it lies after the year 5000. */
const MILLISECONDS = 100_000_000_000;

/** Unix seconds of an instant that was kept as seconds, milliseconds or ISO text. */
export function instant(value: Given): number | null {
  if (value === undefined || value === null || value === "") return null;
  const number = Number(value);
  if (Number.isFinite(number)) return number < 0 ? null : Math.trunc(number > MILLISECONDS ? number / 1000 : number);
  const parsed = Date.parse(String(value));
  return Number.isNaN(parsed) || parsed < 0 ? null : Math.trunc(parsed / 1000);
}

/** 0 or 1. */
export function flag(value: Given, usual: 0 | 1): number {
  if (value === undefined || value === null) return usual;
  return value === 0 || value === "0" || String(value).toLowerCase() === "false" || value === "" ? 0 : 1;
}

/** A JSON object as text, or nothing. */
export function jsonObject(value: Given): string | null {
  const parsed = parse(value);
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? JSON.stringify(parsed) : null;
}

/** Names from a JSON array or a list with commas, as a JSON array. */
export function skillsOf(value: Given): string {
  const parsed = parse(value);
  const names = Array.isArray(parsed) ? parsed.map(String) : String(value ?? "").split(",");
  return JSON.stringify([...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))]);
}

function parse(value: Given): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : undefined;
  } catch {
    /* ok to lose: invalid JSON is read another way, or was never of use. */
    return undefined;
  }
}

/** A name as assignees are kept. */
export function assigneeOf(value: Given): string | null {
  const name = text(value)?.trim().toLowerCase() ?? "";
  return name === "" || name === "none" ? null : name.slice(0, 64);
}

/** Who wrote a comment. Older boards did not say: only names that people and the board itself used are trusted to be theirs. */
export function authorKind(given: Given, author: string): string {
  if (["human", "worker", "agent", "system"].includes(String(given))) return String(given);
  if (["user", "human", "dashboard"].includes(author)) return "human";
  return ["specifier", "decomposer", "auto-decomposer", "dispatcher", "system"].includes(author) ? "system" : "worker";
}

/** Marks of an archived task. */
export function archived(
  row: Row,
  status: string,
  at: number,
): { archived_at: number | null; archived_from: string | null } {
  if (status !== "archived") return { archived_at: null, archived_from: null };
  const from = text(row["archived_from"]) ?? (instant(row["completed_at"]) === null ? "todo" : "done");
  return { archived_at: instant(row["archived_at"]) ?? at, archived_from: from };
}
