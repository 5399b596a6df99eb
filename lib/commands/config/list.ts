import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { describeSetting, settingFacts } from "../render/settings.js";

export default defineCommand({
  path: "config list",
  summary: "Describe settings: what each does, its type, default, variable and value.",
  topic: "config",
  params: z.object({
    name: z
      .string()
      .optional()
      .describe("a setting, the start of a name (kanban), or a word of the description (default: all)"),
  }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ name }, ctx) => {
    const keys = ctx.settings.keys.filter(({ key }) => !key.includes("*")).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const found = name === undefined ? keys : namedBy(name, keys);
    if (found.length === 0)
      throw new AppError("E_NOT_FOUND", `no setting matches '${name}'`, {
        hint: "agent config list without a name describes every setting",
      });
    const values = new Map(ctx.settings.list().map((setting) => [setting.key, setting]));
    return {
      text: found.map((key) => describeSetting(key, values.get(key.key))).join("\n"),
      data: found.map((key) => ({ ...settingFacts(key), ...values.get(key.key) })),
    };
  },
});

/** Settings of that name or section; without any, those that have the word in name or description. */
function namedBy<T extends { readonly key: string; readonly help: string }>(name: string, keys: readonly T[]): T[] {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  const section = keys.filter(({ key }) => key === wanted || key.startsWith(`${wanted}.`));
  if (section.length > 0) return section;
  return keys.filter(({ key, help }) => `${key} ${help}`.toLowerCase().includes(wanted));
}
