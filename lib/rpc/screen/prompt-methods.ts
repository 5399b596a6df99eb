import * as z from "zod";
import { addPrompt, draftAt, promptsOf, setDraft, trimPrompts } from "../../../storage/tables/sessions/prompts.js";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { once } from "../../base/async/lazy.js";
import { sha256 } from "../../base/text/hash.js";
import { HISTORY_SIZE, PERSIST_PROMPTS } from "../../config/display-keys.js";
import type { OwnerServices } from "../commands/owner-services.js";

/** A longer text is no line that somebody wants to have again, and would fill the store. */
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
  const redactor = once(async () => (await import("../../runtime/gates.js")).logRedactor(config, home));
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
  return new Map([
    [
      "draft.get",
      defineMethod({
        params: place,
        access: "read",
        run: async (asked) => ({ text: await (await stores.state()).read((q) => draftAt(q, placeOf(asked))) }),
      }),
    ],
    [
      "draft.set",
      defineMethod({
        params: place.extend({ text: z.string().max(1 << 20) }),
        access: "write",
        repeat: () => "safe",
        run: async ({ text, ...asked }) => {
          const at = clock.now();
          const draft = { place: placeOf(asked), text: text.slice(0, LONGEST_DRAFT).toWellFormed() };
          await (await stores.state()).write("state.set-draft", (tx) => setDraft(tx, draft, at));
          return { kept: text !== "" };
        },
      }),
    ],
  ]);
}

/** Without a session it is the next new one of the directory. */
const placeOf = ({ session_id, cwd: dir }: z.output<typeof place>): string =>
  session_id === undefined ? `new:${dir ?? ""}` : `session:${session_id}`;
