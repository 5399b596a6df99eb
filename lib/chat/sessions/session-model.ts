import * as z from "zod";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type { SessionModel, SessionModelApi, SessionModelChange } from "../../contracts/chat/model.js";
import type { Config } from "../../contracts/config/config.js";
import { REASONING_EFFORTS, type ReasoningEffort } from "../../contracts/models/model.js";
import { REASONING_EFFORT } from "../config/keys.js";
import { knownSession, type SessionStores } from "./books.js";

/** Record of the lineage. */
const NAME = "model";

const optional = <T extends z.ZodType>(schema: T) => z.exactOptional(schema);
const record = z.object({
  provider: optional(z.string()),
  model: optional(z.string()),
  base_url: optional(z.string()),
  effort: optional(z.enum(REASONING_EFFORTS)),
  fast: optional(z.boolean()),
  /** What the front end asked for when the model was chosen: another wish of its later on counts more. */
  over: optional(z.string()),
});
type Kept = z.output<typeof record>;

/** What cannot be read is no wish. */
function parsed(json: string | undefined): Kept {
  if (json === undefined) return {};
  const read = record.safeParse(JSON.parse(json));
  return read.success ? read.data : {};
}

const shown = ({ over: _over, ...kept }: Kept): SessionModel => kept;

function changed(kept: Kept, change: SessionModelChange): Kept {
  const { over: _over, ...known } = kept;
  const next = { ...known, ...change };
  return record.parse(
    Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null && value !== undefined)),
  );
}

/** The wishes of stored conversations. */
export function sessionModels(books: SessionStores, clock: Clock): SessionModelApi {
  const rootOf = async (id: SessionId) => {
    const { store, session } = await knownSession(books, id);
    return { store, root: session.lineage_root };
  };
  return {
    modelOf: async (id) => {
      const { store, root } = await rootOf(id);
      return shown(parsed(await store.read((q) => lineage.get(q, root, NAME))));
    },
    setModel: async (id, change) => {
      const { store, root } = await rootOf(id);
      const at = clock.now();
      return store.write("chat.model", async (tx) => {
        const next = changed(parsed(await lineage.get(tx, root, NAME)), change);
        await lineage.set(tx, { root, name: NAME, json: JSON.stringify(next) }, at);
        return shown(next);
      });
    },
  };
}

/** Let a conversation begin with this way of thinking. */
export async function beginThinking(
  transcript: Pick<Transcript, "setRecord">,
  { effort, fast }: { readonly effort?: ReasoningEffort | undefined; readonly fast?: boolean | undefined },
): Promise<void> {
  if (effort !== undefined || fast !== undefined) await transcript.setRecord(NAME, JSON.stringify({ effort, fast }));
}

/** What a turn asks of its models. */
export interface TurnModel<W> {
  readonly wanted: W;
  readonly effort?: ReasoningEffort;
  readonly fast?: boolean;
}

/** A model that was chosen in the conversation counts until its front end comes with another wish. */
export async function modelForTurn<
  W extends { readonly model?: string; readonly provider?: string; readonly baseUrl?: string },
>(transcript: Transcript, config: Config, wanted: W): Promise<TurnModel<W>> {
  const kept = parsed(await transcript.record(NAME));
  const asked = JSON.stringify([wanted.model ?? "", wanted.provider ?? ""]);
  const stands = kept.model !== undefined && (kept.over === undefined || kept.over === asked || asked === '["",""]');
  if (stands && kept.over === undefined) await transcript.setRecord(NAME, JSON.stringify({ ...kept, over: asked }));
  const effort = kept.effort ?? (config.get(REASONING_EFFORT) || undefined);
  const { provider, model, base_url: baseUrl } = kept;
  return {
    wanted: stands
      ? {
          ...wanted,
          ...(provider === undefined ? {} : { provider }),
          ...(model === undefined ? {} : { model }),
          ...(baseUrl === undefined ? {} : { baseUrl }),
        }
      : wanted,
    ...(effort === undefined ? {} : { effort }),
    ...(kept.fast === undefined ? {} : { fast: kept.fast }),
  };
}
