import { isRecord } from "../../base/json/record.js";
import type { Config } from "../config/config.js";
import { findSkills } from "./find-skills.js";
import type { SkillPlace, SkillsApi } from "./skill.js";

/** A skill that a setting names. */
interface BoundSkill {
  /** The setting, as `config set` writes it. */
  readonly key: string;
  readonly name: string;
}

/** Skills that settings bind to chats, topics and webhooks (gateway part, 4.2, 16.1.9, 18.2). */
function boundSkills(config: Pick<Config, "raw">): readonly BoundSkill[] {
  return [
    ...entriesOf(config.raw("platforms")).flatMap(([tag, block]) => ofPlatform(`platforms.${tag}`, block)),
    ...entriesOf(config.raw("webhooks.routes")).flatMap(([route, value]) =>
      namesAt(`webhooks.routes.${route}.skills`, isRecord(value) ? value["skills"] : undefined),
    ),
  ];
}

/** A sentence for each of them that no skill has, with the closest names. */
export async function findUnknownBindings(
  config: Pick<Config, "raw">,
  api: Pick<SkillsApi, "find">,
  place: SkillPlace,
): Promise<readonly { readonly key: string; readonly message: string }[]> {
  const found: { key: string; message: string }[] = [];
  for (const { key, name } of boundSkills(config)) {
    const { why } = await findSkills(api, [name], place);
    if (why !== undefined) found.push({ key, message: `${key}: ${why.message} (${why.hint})` });
  }
  return found;
}

function ofPlatform(at: string, block: unknown): readonly BoundSkill[] {
  if (!isRecord(block)) return [];
  const chats = entriesOf(block["channel_skill_bindings"]).flatMap(([chat, value]) =>
    namesAt(`${at}.channel_skill_bindings.${chat}`, value),
  );
  const topics = (["dm_topics", "group_topics"] as const).flatMap((setting) =>
    entriesOf(block[setting]).flatMap(([chat, threads]) =>
      entriesOf(threads).flatMap(([thread, topic]) =>
        namesAt(`${at}.${setting}.${chat}.${thread}.skill`, isRecord(topic) ? topic["skill"] : undefined),
      ),
    ),
  );
  return [...chats, ...topics];
}

const entriesOf = (value: unknown): readonly [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

function namesAt(key: string, value: unknown): readonly BoundSkill[] {
  const names = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value.map(String) : [];
  return names.map((name) => ({ key, name: name.trim() })).filter(({ name }) => name !== "");
}
