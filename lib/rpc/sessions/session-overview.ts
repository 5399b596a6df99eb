import { join } from "node:path";
import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { SessionRow } from "../../contracts/chat/session-overview.js";
import type { OwnerServices } from "../commands/owner-services.js";

const MOST = 1_000;
const MAX_PINS = 200;

const overview = z.object({
  /** Only sessions of this directory; absent: of all. */
  cwd: z.string().optional(),
  archived: z.boolean().default(false),
  /** In place of these: the sessions in which those that a search found continue. */
  found: z.array(z.string()).max(1_000).optional(),
});

/** What the session manager of a front end shows: state, place and cost of each session, pinned ones first, then newest activity. */
export function sessionOverviewMethods(app: OwnerServices): Methods {
  const pins = createPins(app.options.home.dir);
  return new Map([
    [
      "session.overview",
      defineMethod({ params: overview, access: "read", run: async (asked) => rows(app, asked, pins.read()) }),
    ],
    [
      "session.pin",
      defineMethod({
        params: z.object({ session_id: z.string().min(1), pinned: z.boolean() }),
        access: "write",
        repeat: () => "safe", // pinned twice is pinned
        run: async ({ session_id: id, pinned }) => pins.set(id, pinned),
      }),
    ],
  ]);
}

async function rows(
  { chat }: OwnerServices,
  { cwd, archived, found: hits }: z.output<typeof overview>,
  pins: ReadonlySet<string>,
): Promise<readonly SessionRow[]> {
  const filter = { limit: MOST, archived, ...(cwd === undefined ? {} : { cwd }) };
  const listed: Promise<readonly Overviewed[]> = hits === undefined ? chat.list(filter) : holding(chat, hits);
  const [sessions, questions] = await Promise.all([listed, chat.questions()]);
  const asked = new Map<string, number>();
  for (const { session_id: id } of questions) asked.set(id, (asked.get(id) ?? 0) + 1);
  const found = await Promise.all(
    sessions.map(
      async ({
        id,
        title,
        preview,
        cwd: dir,
        model,
        message_count,
        estimated_cost_usd,
        ...one
      }): Promise<SessionRow> => ({
        id,
        title: title ?? "",
        preview,
        cwd: dir,
        model,
        messages: message_count,
        cost: estimated_cost_usd,
        last_active_at: one.last_active_at,
        archived: one.archived,
        running: await chat.isBusy(id),
        ...(one.found === undefined ? {} : { found: one.found }),
        questions: asked.get(id) ?? 0,
        pinned: pins.has(one.lineage_root) || pins.has(id),
      }),
    ),
  );
  return [...found.filter((one) => one.pinned), ...found.filter((one) => !one.pinned)];
}

type Overviewed = SessionRecord & { readonly preview: string; readonly found?: readonly string[] };

/** The sessions in which those that a search found continue, each once, in the order of the search. */
async function holding(chat: OwnerServices["chat"], ids: readonly string[]): Promise<readonly Overviewed[]> {
  const current = await chat.currentOf(ids.map((id) => id as SessionId)); // unknown ids are left out
  const held = new Map<string, { record: SessionRecord; found: string[] }>();
  for (const [id, record] of current) {
    const known = held.get(record.id);
    if (known === undefined) held.set(record.id, { record, found: [id] });
    else known.found.push(id);
  }
  return [...held.values()].map(({ record, found }) => ({ ...record, preview: "", found }));
}

/** Sessions that stay on top, by id. A file that can not be read pins none. */
function createPins(dir: string): {
  read(): ReadonlySet<string>;
  set(id: string, pinned: boolean): { pinned: boolean };
} {
  const path = join(dir, "pins.json");
  const read = (): ReadonlySet<string> => {
    try {
      const stored: unknown = JSON.parse(readTextSync(path) ?? "[]");
      return new Set(Array.isArray(stored) ? stored.filter((one): one is string => typeof one === "string") : []);
    } catch {
      return new Set(); // a pin is no more than an order in a list
    }
  };
  return {
    read,
    set: (id, pinned) => {
      const others = [...read()].filter((one) => one !== id);
      replaceTextFile(path, JSON.stringify(pinned ? [id, ...others].slice(0, MAX_PINS) : others), 0o600);
      return { pinned };
    },
  };
}
