import type { Row, Value } from "../../../storage/store.js";

type Redact = (text: string) => string;

/** Keys of events that show who worked where: not useful elsewhere, and private. */
const IDENTITY = new Set(["lock", "pid", "worker_pid", "prev_pid", "host_id", "boot_id"]);

/** Columns that hold JSON: in an archive they are what they say. */
const JSON_COLUMNS = new Set(["payload", "metadata", "skills"]);

/** A row as an archive has it, without known secrets. */
export function clean(row: Row, redact: Redact): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cleanValue(name, value, redact)]));
}

function cleanValue(name: string, value: Value, redact: Redact): unknown {
  if (typeof value !== "string") return value;
  return JSON_COLUMNS.has(name) ? inside(JSON.parse(value), redact) : redact(value);
}

function inside(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => inside(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one, redact)]));
}

/** An event without the identity of claimers and workers. */
export function withoutIdentity(event: Row): Row {
  const payload: unknown = JSON.parse(String(event["payload"]));
  const kept = Object.fromEntries(
    Object.entries(payload as Record<string, unknown>).filter(([name]) => !IDENTITY.has(name)),
  ); // stored as a JSON object
  return { ...event, payload: JSON.stringify(kept) };
}
