import * as z from "zod";
import { SCREEN_KEYS } from "../../contracts/ui/screen-keys.gen.js";
import { keyLabel, keyLabels, type ScreenKey, withUserKeys } from "../../contracts/ui/screen-keys.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "keys",
  summary: "List the keys of the workspace; * marks keys changed by keys.yaml.",
  topic: "workspace",
  params: z.object({
    words: z.array(z.string()).default([]).describe("words in id, label or context"),
  }),
  positionals: ["words..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ words }, ctx) => {
    const { given, path, problems } = await ctx.settings.screenKeys();
    const changed = new Set(Object.keys(given));
    const { table } = withUserKeys(SCREEN_KEYS, new Map(Object.entries(given)));
    const has = ({ id, label, context, keys }: ScreenKey) => {
      const text = `${id} ${label} ${context} ${keys.map(keyLabel).join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word.toLowerCase()));
    };
    const found = table.filter(has);
    const contexts = [...new Set(found.map(({ context }) => context))];
    const text = contexts.map((context) => section(context, found, changed)).join("\n\n");
    const marked =
      changed.size > 0
        ? `\n\n* changed by ${path}`
        : `\n\nTo change keys, put one "id: keys" (or none) per line into ${path}.`;
    return {
      text: found.length === 0 ? `no key matches '${words.join(" ")}'` : `${text}${marked}`,
      data: { keys: found.map((row) => ({ ...row, changed: changed.has(row.id) })), path, problems },
      warnings: problems,
      ...(found.length === 0 ? { exit: 1 } : {}),
    };
  },
});

function section(context: string, rows: readonly ScreenKey[], changed: ReadonlySet<string>): string {
  const own = rows.filter((row) => row.context === context);
  const told = own.map(({ id, keys, label }) => ({ id, label, shown: keys.length === 0 ? "-" : keyLabels(keys) }));
  const names = widest(told.map(({ shown }) => shown));
  const labels = widest(told.map(({ label }) => label));
  const lines = told.map(
    ({ id, label, shown }) => `${changed.has(id) ? "*" : " "} ${shown.padEnd(names)} ${label.padEnd(labels)} ${id}`,
  );
  return [context, ...lines].join("\n");
}

const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
