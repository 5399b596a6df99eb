import type { StoredEvent } from "../../../storage/store.js";
import type { Bus } from "../../backplane/bus.js";
import type { Clock } from "../../base/time/clock.js";
import { type BoardSlug, type Ms, type SessionId, toIso } from "../../base/units.js";
import { RUNS_TOPIC, type RunInfo } from "../../contracts/board/runs.js";
import { boardRuns, chatRuns, type RunSources } from "./list-runs.js";

const REST: Ms = 100; // changes that come together are looked at together
const MOST_ACTIVITIES = 1_000;
const BOARD = "board:";

/** Sees what every conversation does last, and sends rows of runs as they change while the topic has followers. */
export interface RunWatch {
  /** Events of a store that have become durable. */
  committed(store: string, events: readonly StoredEvent[]): void;
  activityOf(session: SessionId): string | undefined;
  /** From now on followers of the topic are notified. */
  serve(bus: Bus, parties: RunSources): void;
}

export function createRunWatch(clock: Clock, failed: (error: unknown) => void): RunWatch {
  const activities = new Map<string, string>();
  let touched: (source: string) => void = () => undefined;
  return {
    committed: (store, events) => {
      if (store === "sessions") for (const event of events) remember(activities, event);
      if (store === "sessions" || store.startsWith(BOARD)) touched(store);
      // The conversation of a worker shows on the row of its run.
      if (store === "sessions" && events.some(({ run, kind }) => run !== undefined || kind === "tool.started"))
        touched(BOARD);
    },
    activityOf: (session) => activities.get(session),
    serve: (bus, parties) =>
      bus.makeTopics(RUNS_TOPIC, () => {
        const teller = createRows(
          clock,
          parties,
          (event, data) => bus.delta(RUNS_TOPIC, { event, at: toIso(clock.now()), data }),
          failed,
        );
        touched = teller.touched;
        teller.begin();
        return () => {
          touched = () => undefined;
          teller.stop();
        };
      }),
  };
}

/** The name of a tool and what it was called with. */
function remember(activities: Map<string, string>, { kind, session, payload }: StoredEvent): void {
  if (session === undefined) return;
  const doing = kind === "tool.started" ? `${String(payload["name"])} ${String(payload["preview"] ?? "")}` : undefined;
  const said = kind === "turn.ended" ? "" : doing?.replace(/\s+/g, " ").trim().slice(0, 120);
  if (said === undefined) return;
  activities.delete(session);
  if (said !== "") activities.set(session, said);
  if (activities.size > MOST_ACTIVITIES)
    for (const oldest of [...activities.keys()].slice(0, 1)) activities.delete(oldest);
}

type Tell = (event: string, data: Readonly<Record<string, unknown>>) => void;

/** The rows as they were sent; what differs is sent. Only what may have changed is looked at, one look after the other. */
function createRows(clock: Clock, parties: RunSources, tell: Tell, failed: (error: unknown) => void) {
  const rows = new Map<string, Map<string, string>>();
  const dirty = new Set<string>();
  let due: (() => void) | undefined;
  let looking = false;
  let ended = false;
  const look = async (source: string) => {
    const found =
      source === "sessions"
        ? await chatRuns(parties)
        : await boardRuns(parties, source.slice(BOARD.length) as BoardSlug); // a board that there is
    if (ended) return;
    const now = new Map(found.map((row) => [row.id, signOf(row)]));
    const before = rows.get(source);
    rows.set(source, now);
    for (const row of found) if (before?.get(row.id) !== now.get(row.id)) tell("run.changed", { ...row });
    for (const id of before?.keys() ?? []) if (!now.has(id)) tell("run.gone", { id });
  };
  const flush = async () => {
    looking = true;
    try {
      const sources = [...dirty];
      dirty.clear();
      // A change of no board by name: of whichever has an open run.
      const all = sources.includes(BOARD) ? (await parties.board.slugs()).map((slug) => `${BOARD}${slug}`) : [];
      for (const source of new Set([...sources.filter((one) => one !== BOARD), ...all])) await look(source);
    } catch (error) {
      if (!ended) failed(error);
    } finally {
      looking = false;
      if (dirty.size > 0) plan();
    }
  };
  const plan = () => {
    if (ended || looking) return;
    due ??= clock.after(REST, () => {
      due = undefined;
      flush().catch(failed);
    });
  };
  return {
    touched: (source: string) => {
      dirty.add(source);
      plan();
    },
    /** Everything is sent once, so that no follower misses what changed while the list was on its way. */
    begin: () => {
      dirty.add("sessions");
      dirty.add(BOARD);
      plan();
    },
    stop: () => {
      ended = true;
      due?.();
    },
  };
}

/** A process that runs differs from look to look only in its age, and that everybody can count. */
const signOf = ({ started_at, ...row }: RunInfo): string =>
  JSON.stringify(row.kind === "process" ? { ...row, ended_at: row.ended_at !== null } : { ...row, started_at });
