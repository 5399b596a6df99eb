import type { Client } from "../../lib/backplane/client.js";
import type { Feed, FeedContext } from "../feeds/feed.js";
import { followStore } from "../feeds/follow-store.js";
import type { Message } from "../messages.js";
import type { RunRow } from "../runs/state.js";
import { sanitizeLine } from "../sanitize.js";
import type { TaskRow } from "./state.js";

type Row = Readonly<Record<string, unknown>>;

const REST_MS = 40; // changes that come together are read together

/** The shown board, read anew when something on it has changed. */
export function boardFeed({ client, options, signal, send, run }: FeedContext): Feed {
  let due: (() => void) | undefined;
  const reload = () => {
    due?.();
    due = options.after(REST_MS, () => run("the board could not be read", async () => send(await loadBoard(client, signal))));
  };
  return {
    start: () => {
      reload();
      const followed = { client, after: options.after, store: "board:default", onBegin: reload, onReset: reload };
      run("the board could not be followed", () => followStore(followed, signal, async () => reload()));
    },
    perform: (effect) => {
      if (effect.do === "reload") reload();
    },
    stop: () => due?.(),
  };
}

/** The shown board and its runs. A board that cannot be read is a message too. */
async function loadBoard(client: Client, signal: AbortSignal): Promise<Message> {
  try {
    const rows = await client.call<readonly Row[]>("kanban.list", {}, { signal, repeat: true });
    const board = { state: "ready", rows: rows.map(toTask) } as const;
    const runs = {
      state: "ready",
      rows: rows
        .filter((row) => row["started_at"] !== null && row["started_at"] !== undefined)
        .map(toRun)
        .toSorted(byActivity)
        .slice(0, 50),
    } as const;
    return { type: "board", slug: "default", board, runs };
  } catch (error) {
    const failed = { state: "failed", message: error instanceof Error ? error.message : String(error) } as const;
    return { type: "board", slug: "default", board: failed, runs: failed };
  }
}

const text = (row: Row, name: string): string => (typeof row[name] === "string" ? row[name] : "");
const number = (row: Row, name: string): number => (typeof row[name] === "number" ? row[name] : 0);

function toTask(row: Row): TaskRow {
  const status = text(row, "status");
  return {
    id: text(row, "id"),
    title: sanitizeLine(text(row, "title")),
    status,
    assignee: typeof row["assignee"] === "string" ? sanitizeLine(row["assignee"]) : null,
    priority: number(row, "priority"),
    note: sanitizeLine(text(row, "wait_note") || (status === "blocked" ? text(row, "block_reason") : "")),
    since: status === "running" ? number(row, "started_at") : number(row, "updated_at"),
  };
}

function toRun(row: Row): RunRow {
  const live = text(row, "status") === "running";
  return {
    taskId: text(row, "id"),
    title: sanitizeLine(text(row, "title")),
    profile: sanitizeLine(text(row, "assignee")),
    state: live ? "running" : text(row, "status"),
    startedAt: number(row, "started_at"),
    endedAt: live ? null : number(row, "completed_at") || number(row, "updated_at"),
  };
}

const byActivity = (a: RunRow, b: RunRow): number => Number(b.endedAt === null) - Number(a.endedAt === null) || b.startedAt - a.startedAt;
