import { asStored, EVENT_INSERT_ONLY, LAST_SEQ } from "../events.js";
import type { DomainEvent, Row, StoredEvent, Value } from "../store.js";
import { EVENT_PAYLOAD, eventArgs } from "../value.js";
import type { Statements } from "./statements.js";

/** Write events and answer them with their numbers. */
export function appendEvents(statements: Statements, store: string, events: readonly DomainEvent[]): StoredEvent[] {
  return events.map((event) => {
    const args = eventArgs(event);
    const seq = statements.insert(EVENT_INSERT_ONLY, args);
    return asStored({ store, seq, payload: String(args[EVENT_PAYLOAD]) }, event);
  });
}

export function lastSeq(statements: Statements): number {
  return Number(statements.all(LAST_SEQ, [])[0]?.["seq"] ?? 0);
}

interface Reference {
  readonly from: number;
  readonly column: string;
}

/** Replace `{ from, column }` members of a payload by the value that an earlier step of the script returned. */
export function resolveReferences(event: DomainEvent, rows: readonly Row[][]): DomainEvent {
  const members = Object.entries(event.payload).map(([key, value]) => [
    key,
    isReference(value) ? referred(value, rows) : value,
  ]);
  return { ...event, payload: Object.fromEntries(members) };
}

const referred = (reference: Reference, rows: readonly Row[][]): Value =>
  rows[reference.from]?.[0]?.[reference.column] ?? null;

function isReference(value: unknown): value is Reference {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return false;
  return "from" in value && typeof value.from === "number" && "column" in value && typeof value.column === "string";
}
