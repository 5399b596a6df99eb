import * as z from "zod";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type { SessionTools, SessionToolsApi } from "../../contracts/chat/tools.js";
import { knownSession, type SessionStores } from "./session-stores.js";

/** Record of the lineage: sets that its user has switched in the conversation. */
const NAME = "toolsets";

/** Record of the lineage: its user wants a new prompt. */
const PROMPT = "prompt";
const RENEW = JSON.stringify("renew");

const record = z.object({ enabled: z.array(z.string()), disabled: z.array(z.string()) });
const NONE: SessionTools = { enabled: [], disabled: [] };

/** What cannot be read does not count as a choice. */
function parsed(json: string | undefined): SessionTools {
  if (json === undefined) return NONE;
  const read = record.safeParse(JSON.parse(json));
  return read.success ? read.data : NONE;
}

/** Sets that were switched in this conversation. */
export const switchedIn = async (transcript: Pick<Transcript, "record">): Promise<SessionTools> =>
  parsed(await transcript.record(NAME));

/** Whether the user wants a new prompt in place of the stored one. The wish is over with this answer. */
export async function takesNewPrompt(transcript: Pick<Transcript, "record" | "setRecord">): Promise<boolean> {
  if ((await transcript.record(PROMPT)) !== RENEW) return false;
  await transcript.setRecord(PROMPT, "null");
  return true;
}

/** The same of stored conversations, to be shown and changed. */
export function sessionTools(stores: SessionStores, clock: Clock): SessionToolsApi {
  const rootOf = async (id: SessionId) => {
    const { store, session } = await knownSession(stores, id);
    return { store, root: session.lineage_root };
  };
  return {
    toolsOf: async (id) => {
      const { store, root } = await rootOf(id);
      return parsed(await store.read((q) => lineage.get(q, root, NAME)));
    },
    renewPrompt: async (id) => {
      const { store, root } = await rootOf(id);
      const at = clock.now();
      await store.write("chat.prompt-wish", async (tx) => {
        await lineage.set(tx, { root, name: PROMPT, json: RENEW }, at);
      });
    },
    switchTools: async (id, names, on) => {
      const { store, root } = await rootOf(id);
      const at = clock.now();
      return store.write("chat.toolsets", async (tx) => {
        const before = parsed(await lineage.get(tx, root, NAME));
        const without = (list: readonly string[]) => list.filter((name) => !names.includes(name));
        const next = {
          enabled: on ? [...without(before.enabled), ...names] : without(before.enabled),
          disabled: on ? without(before.disabled) : [...without(before.disabled), ...names],
        };
        await lineage.set(tx, { root, name: NAME, json: JSON.stringify(next) }, at);
        return next;
      });
    },
  };
}
