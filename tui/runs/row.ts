import { RUN_KINDS, type RunKind } from "../../lib/contracts/board/runs.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { type Data, number, text } from "../model/data.js";
import type { RunRow } from "./state.js";

/** A run as the owner tells it; undefined: it is none that this version knows. */
export function toRunRow(given: unknown): RunRow | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const data = given as Data; // its members are looked at one by one
  const kind = kindOf(text(data, "kind"));
  const id = text(data, "id");
  if (kind === undefined || id === "") return undefined;
  const task = typeof data["task"] === "object" && data["task"] !== null ? (data["task"] as Data) : undefined;
  const session = text(data, "session");
  const process = text(data, "process");
  return {
    id,
    kind,
    title: sanitizeLine(text(data, "title")),
    profile: sanitizeLine(text(data, "profile")),
    state: sanitizeLine(text(data, "state")),
    waits: data["waits"] === true,
    activity: sanitizeLine(text(data, "activity")),
    startedAt: number(data, "started_at"),
    endedAt: typeof data["ended_at"] === "number" ? data["ended_at"] : null,
    tokens: typeof data["tokens"] === "number" ? data["tokens"] : null,
    session: session === "" ? undefined : session,
    process: process === "" ? undefined : process,
    ...(task === undefined
      ? { board: undefined, task: undefined, run: undefined }
      : { board: text(task, "board"), task: text(task, "id"), run: number(task, "run") }),
  };
}

const kindOf = (name: string): RunKind | undefined => RUN_KINDS.find((kind) => kind === name);
