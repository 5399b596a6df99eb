import * as z from "zod";
import type { Query } from "../../../storage/store.js";
import { addPrompt, draftAt, promptsOf, setDraft, trimPrompts } from "../../../storage/tables/sessions/prompts.js";
import { type ClientContext, defineMethod, type Methods } from "../../backplane/methods.js";
import { once } from "../../base/async/lazy.js";
import { sha256 } from "../../base/text/hash.js";
import { HISTORY_SIZE, PERSIST_PROMPTS } from "../../config/display-keys.js";
import type { OwnerServices } from "../commands/owner-services.js";

/** A longer text would not be wanted again as a line, and would fill the store. */
const LONGEST_PROMPT = 16_384;
const LONGEST_DRAFT = 1 << 19;
/** A message of the backplane holds a megabyte. */
const PAGE_CHARS = 160_000;
const PAGE_ROWS = 500;

const cwd = z.string().max(4_096);
const place = z.object({ session_id: z.string().min(1).optional(), cwd: cwd.optional() });

/** What was typed into input lines: what was sent, for going back to it, and what was not sent yet (workspace part, 4.1). */
export function promptMethods(app: OwnerServices): Methods {
  return new Map([...history(app), ...drafts(app)]);
}

function history({ stores, options }: OwnerServices): Methods {
  const { config, clock, home } = options;
  const redactor = once(async () => (await import("../../runtime/known-secrets.js")).logRedactor(config, home));
  return new Map([
    [
      "history.list",
      defineMethod({
        params: z.object({ cwd, after: z.int().min(0).default(0) }),
        access: "read",
        run: async ({ cwd: dir, after }) => {
          const most = Math.max(0, Math.min(PAGE_ROWS, config.get(HISTORY_SIZE) - after));
          const rows = most === 0 ? [] : await (await stores.state()).read((q) => promptsOf(q, dir, { most, after }));
          const texts = fitting(rows);
          return { texts, next: texts.length < rows.length || rows.length === PAGE_ROWS ? after + texts.length : null };
        },
      }),
    ],
    [
      "history.add",
      defineMethod({
        params: z.object({ text: z.string().max(1 << 20), cwd }),
        access: "write",
        repeat: () => "safe", // a text stands there once
        run: async ({ text, cwd: dir }) => {
          const kept = config.get(PERSIST_PROMPTS) && config.get(HISTORY_SIZE) > 0;
          if (!kept || text.trim() === "" || /^\s/.test(text) || text.length > LONGEST_PROMPT) return { kept: false };
          const clean = (await redactor())(text);
          const prompt = { sha256: sha256(clean), text: clean, cwd: dir };
          const at = clock.now();
          const most = config.get(HISTORY_SIZE);
          await (await stores.state()).write("state.add-prompt", async (tx) => {
            await addPrompt(tx, prompt, at);
            await trimPrompts(tx, most);
          });
          return { kept: true };
        },
      }),
    ],
  ]);
}

/** As many as one message holds; always one. */
function fitting(rows: readonly string[]): readonly string[] {
  let used = 0;
  const end = rows.findIndex((text, at) => {
    used += text.length;
    return at > 0 && used > PAGE_CHARS;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function drafts({ stores, options }: OwnerServices): Methods {
  const { clock } = options;
  const claims = createDraftClaims();
  return new Map([
    [
      "draft.get",
      defineMethod({
        params: place,
        access: "read",
        run: async (asked, client) => {
          const slots = slotsOf(asked);
          const texts = await (await stores.state()).read((q) => textsAt(q, slots));
          const mine = claims.claim(client, slots, (slot) => texts.get(slot) !== "");
          return { text: (mine !== undefined && texts.get(mine)) || "" };
        },
      }),
    ],
    [
      "draft.set",
      defineMethod({
        params: place.extend({
          text: z.string().max(1 << 20),
          before: z.string().min(1).max(1_000).optional().describe("how the text begins that was stored last"),
        }),
        access: "write",
        repeat: () => "safe",
        run: async ({ text, before, ...asked }, client) => {
          const at = clock.now();
          const slots = slotsOf(asked);
          // After a restart of the owner nothing is claimed: what others have stored stays theirs.
          const texts = await (await stores.state()).read((q) => textsAt(q, slots));
          // A client that claims what it has stored finds that text itself; another one may begin like it.
          const isSame = (slot: string) => before !== undefined && text !== "" && texts.get(slot) === text;
          const isOwn = (slot: string) => before !== undefined && texts.get(slot)?.startsWith(before) === true;
          const holds = [isSame, isOwn].find((is) => slots.some(is)) ?? ((slot: string) => texts.get(slot) === "");
          const mine = claims.claim(client, slots, holds);
          if (mine === undefined) return { kept: false };
          const draft = { place: mine, text: text.slice(0, LONGEST_DRAFT).toWellFormed() };
          await (await stores.state()).write("state.set-draft", (tx) => setDraft(tx, draft, at));
          return { kept: text !== "" };
        },
      }),
    ],
  ]);
}

/** Workspaces that have the same conversation, or a new one of the same directory, open at the same time and keep a text each. */
const SLOTS = 8;

/** Names under which the texts of a place are stored. Without a session it is the next new one of the directory. */
function slotsOf({ session_id, cwd: dir }: z.output<typeof place>): readonly string[] {
  const name = session_id === undefined ? `new:${dir ?? ""}` : `session:${session_id}`;
  return Array.from({ length: SLOTS }, (_, n) => (n === 0 ? name : `${name}\0${n}`));
}

async function textsAt(q: Query, slots: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const slot of slots) texts.set(slot, await draftAt(q, slot));
  return texts;
}

interface DraftClaims {
  /**
   * The slot of this client, until its connection ends: the one it has, else the first free one that is `preferred`, else the first free one.
   * Undefined: others have all of them.
   */
  claim(
    client: Pick<ClientContext, "id" | "signal">,
    slots: readonly string[],
    preferred?: (slot: string) => boolean,
  ): string | undefined;
}

/** Which connection has which unsent text on its screen: a text that two of them show is sent twice. */
function createDraftClaims(): DraftClaims {
  const holders = new Map<string, number>();
  return {
    claim: ({ id, signal }, slots, preferred = () => false) => {
      const own = slots.find((slot) => holders.get(slot) === id);
      if (own !== undefined) return own;
      const free = slots.filter((slot) => !holders.has(slot));
      const slot = free.find(preferred) ?? free[0];
      if (slot === undefined || signal.aborted) return slot;
      holders.set(slot, id);
      signal.addEventListener("abort", () => holders.delete(slot), { once: true });
      return slot;
    },
  };
}
