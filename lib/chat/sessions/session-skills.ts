import * as z from "zod";
import type { Query, Tx } from "../../../storage/store.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import type { EpochMs } from "../../base/units.js";
import type { NewSession, SessionRecord, Transcript } from "../../contracts/chat/chat.js";
import { findSkills, requireSkills } from "../../contracts/skills/find-skills.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { ContextNotice } from "../../tools/run/read.js";

/** Record of the lineage: skills whose text stands in its prompt from the start. */
export const SKILLS_RECORD = "skills";

const names = z.array(z.string());

function parsed(json: string | undefined): readonly string[] {
  if (json === undefined) return [];
  const read = names.safeParse(JSON.parse(json));
  return read.success ? read.data : [];
}

/** Skills of a stored conversation. */
export const storedSkills = async (q: Query, root: string): Promise<readonly string[]> =>
  parsed(await lineage.get(q, root, SKILLS_RECORD));

/** Skills that this conversation was started with. */
export const skillsIn = async (transcript: Pick<Transcript, "record">): Promise<readonly string[]> =>
  parsed(await transcript.record(SKILLS_RECORD));

/**
 * The options with the own names of their skills.
 *
 * @throws E_USAGE naming those that are unknown, with the closest names; E_AMBIGUOUS
 */
export async function withKnownSkills(services: SkillServices | undefined, options: NewSession): Promise<NewSession> {
  const { skills: given = [], cwd, env, source } = options;
  if (given.length === 0 || services === undefined) return options;
  const place = { cwd, env, platform: source };
  const found = await requireSkills(services.catalog, given, { place, given: "--skills" });
  return { ...options, skills: found.map(({ name }) => name) };
}

/** Remember skills of a new conversation. */
export async function insertSkills(tx: Tx, root: string, skills: readonly string[], at: EpochMs): Promise<void> {
  if (skills.length > 0) await lineage.set(tx, { root, name: SKILLS_RECORD, json: JSON.stringify(skills) }, at);
}

/**
 * Add skills to a conversation: its prompt is built again with the next turn.
 *
 * @returns the record as it is then; undefined: it has them all
 */
export async function addSkills(
  tx: Tx,
  session: SessionRecord,
  skills: readonly string[],
  at: EpochMs,
): Promise<SessionRecord | undefined> {
  const { id, lineage_root: root, model, provider } = session;
  const before = await storedSkills(tx, root);
  const next = [...new Set([...before, ...skills])];
  if (next.length === before.length) return undefined;
  await insertSkills(tx, root, next, at);
  await sessions.setPrompt(tx, id, { prompt: "", model, provider });
  return { ...session, system_prompt: "" };
}

/** The skills that still exist when a prompt is built; the others are reported. */
export async function presentSkills(
  services: SkillServices | undefined,
  names: readonly string[],
  { cwd, env, source }: { readonly cwd: string; readonly env: NewSession["env"]; readonly source: string },
): Promise<{ readonly skills: readonly string[]; readonly notices: readonly ContextNotice[] }> {
  if (names.length === 0 || services === undefined) return { skills: names, notices: [] };
  const { skills, missing, why } = await findSkills(services.catalog, names, { cwd, env, platform: source });
  const gone = missing.length === 1 ? `skill ${missing[0]} is` : `skills ${missing.join(", ")} are`;
  return {
    skills: skills.map(({ name }) => name),
    notices:
      why === undefined
        ? []
        : [{ level: "warning", text: `the ${gone} no longer available; the prompt is made without (${why.hint})` }],
  };
}
