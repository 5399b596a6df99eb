import * as z from "zod";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type { SessionModel, SessionModelApi, SessionModelChange } from "../../contracts/chat/model.js";
import type { Config } from "../../contracts/config/config.js";
import { REASONING_EFFORTS, type ReasoningEffort } from "../../contracts/models/model.js";
import { REASONING_EFFORT } from "../config/keys.js";
import { knownSession, type SessionStores } from "./session-stores.js";

/** Record of the lineage. */
const NAME = "model";

const optional = <T extends z.ZodType>(schema: T) => z.exactOptional(schema);
const record = z.object({
  provider: optional(z.string()),
  model: optional(z.string()),
  base_url: optional(z.string()),
  effort: optional(z.enum(REASONING_EFFORTS)),
  fast: optional(z.boolean()),
  /** What the front end asked for when the model was chosen: another wish, as flags of a later start, counts more. */
  over: optional(z.string()),
});
type Kept = z.output<typeof record>;

/** What cannot be read does not count as a choice. */
function parsed(json: string | undefined): Kept {
  if (json === undefined) return {};
  const read = record.safeParse(JSON.parse(json));
  return read.success ? read.data : {};
}

const shown = ({ over: _over, ...kept }: Kept): SessionModel => kept;

function changed(kept: Kept, change: SessionModelChange, over: string | undefined): Kept {
  const next = { ...kept, ...change, ...(change.model === undefined ? {} : { over }) };
  return record.parse(
    Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null && value !== undefined)),
  );
}

/** What a front end asks of the models, by flags. */
export interface ModelWish {
  readonly model?: string;
  readonly provider?: string;
}

/** The model chosen in the conversation takes precedence over the one that its front end asked for on opening. */
const stands = ({ model, over }: Kept, asked: string): boolean =>
  model !== undefined && (over === undefined || over === asked || asked === wishText({}));

const wishText = ({ model = "", provider = "" }: ModelWish): string => JSON.stringify([model, provider]);

/** The wishes of stored conversations. `frontEnd`: what the front end of an open conversation asks for. */
export function sessionModels(
  stores: SessionStores,
  clock: Clock,
  frontEnd: (id: SessionId) => ModelWish | undefined,
): SessionModelApi {
  const rootOf = async (id: SessionId) => {
    const { store, session } = await knownSession(stores, id);
    return { store, root: session.lineage_root };
  };
  return {
    modelOf: async (id) => {
      const { store, root } = await rootOf(id);
      const kept = parsed(await store.read((q) => lineage.get(q, root, NAME)));
      const wish = frontEnd(id);
      if (wish === undefined || stands(kept, wishText(wish))) return shown(kept);
      const { model: _model, provider: _provider, base_url: _url, ...rest } = shown(kept);
      return rest;
    },
    setModel: async (id, change) => {
      const { store, root } = await rootOf(id);
      const at = clock.now();
      const wish = frontEnd(id);
      const over = wish === undefined ? undefined : wishText(wish);
      return store.write("chat.model", async (tx) => {
        const next = changed(parsed(await lineage.get(tx, root, NAME)), change, over);
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
  const asked = wishText(wanted);
  const isKept = stands(kept, asked);
  if (isKept && kept.over === undefined) await transcript.setRecord(NAME, JSON.stringify({ ...kept, over: asked }));
  const effort = kept.effort ?? (config.get(REASONING_EFFORT) || undefined);
  const { provider, model, base_url: baseUrl } = kept;
  return {
    wanted: isKept
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
