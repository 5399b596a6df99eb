import type { BoardEvent } from "../../../contracts/board/board.js";
import { plain } from "../../render/plain.js";
import { stamp } from "../../render/times.js";

/** Longest text of one value. */
const VALUE_CHARS = 160;
/** Instants in seconds. */
const INSTANT = /(?:^|_)(?:at|until|expires|before)$/;
/** What only machines compare. */
const HIDDEN = new Set([
  "lock",
  "claim_lock",
  "token",
  "boot_id",
  "worker_start",
  "author_kind",
  "len",
  "result_len",
  "run_id",
  "line",
]);

/** The payload of an event for people: the change of the status first, then `name: value`; empty when it says nothing. `--json` prints it whole. */
export function eventText({ payload }: Pick<BoardEvent, "payload">): string {
  const { from, to, ...rest } = payload;
  const moved = typeof from === "string" && typeof to === "string" && from !== to ? [`${from} -> ${to}`] : [];
  return plain([...moved, ...Object.entries(rest).flatMap(([name, value]) => pairText(name, value))].join(", "));
}

function pairText(name: string, value: unknown): readonly string[] {
  if (HIDDEN.has(name) || value === null || value === undefined || value === "" || value === false) return [];
  const label = name.replaceAll("_", " ");
  if (value === true) return [label];
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${label}: ${clip(value.map(textOf).join(" "))}`];
  if (typeof value === "number" && INSTANT.test(name)) return [`${label}: ${stamp(value)} UTC`];
  return [`${label}: ${clip(textOf(value))}`];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function clip(text: string): string {
  const one = text.replace(/\s+/g, " ").trim();
  return one.length <= VALUE_CHARS ? one : `${one.slice(0, VALUE_CHARS - 1)}…`;
}
