import type { PluginConsent, PluginRow } from "../../contracts/plugins/plugins.js";
import type { CommandContext } from "../define.js";

/** One line for each plugin, in columns. */
export function pluginTable(rows: readonly PluginRow[]): string {
  const cells = rows.map((row) => [row.key, row.version, row.source, row.state, pluginNote(row)]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((line) => (line[at] ?? "").length)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What is wrong with it, else where it is from, else what it is for. */
function pluginNote({ error, commit, description }: PluginRow): string {
  if (error !== null) return error.split("\n")[0] ?? "";
  return [commit === null ? "" : commit.slice(0, 12), description.split("\n")[0] ?? ""]
    .filter((part) => part !== "")
    .join("  ");
}

/** Lines about what a plugin brings and wants, for the person who decides about it. */
export function pluginDetails(row: PluginRow): readonly string[] {
  const list = (name: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`  ${name}: ${values.join(", ")}`];
  const variables = row.requires_env.map(
    ({ name, set, description }) => `${name}${set ? "" : " (not set)"}${description === "" ? "" : `: ${description}`}`,
  );
  return [
    `${row.name} ${row.version} (${row.key})`.replace(/ +\(/, " ("),
    ...(row.description === "" ? [] : [`  ${row.description}`]),
    ...list("author", row.author === "" ? [] : [row.author]),
    ...list("from", row.url === null ? [] : [`${row.url}${row.ref === null ? "" : `#${row.ref}`}`]),
    ...list("commit", row.commit === null ? [] : [row.commit]),
    ...list("kind", [row.kind]),
    ...list("variables", variables),
    ...list("tools", row.provides_tools),
    ...list("hooks", row.provides_hooks),
    ...list(
      "commands",
      row.provides_cli.map((name) => `agent ${name}`),
    ),
    ...list("policy", row.policy ? ["it guards tool calls: while it cannot be loaded, every call is blocked"] : []),
  ];
}

/** Ask at a terminal; elsewhere the answer is no. */
export async function askYes(
  ctx: Pick<CommandContext, "tty" | "json" | "surface" | "stdin">,
  question: string,
): Promise<boolean> {
  if (ctx.surface !== "cli" || ctx.tty !== true || ctx.json) return false;
  return /^y(?:es)?$/i.test((await ctx.stdin(100, `${question} [y/N] `)).trim());
}

const FILES_SHOWN = 20;

/** Show the files of a project's plugin and ask whether exactly these may run. */
export function consentAsker(ctx: CommandContext, yes: boolean): (wanted: PluginConsent) => Promise<boolean> {
  return async ({ key, dir, digest, files, changed }) => {
    const more = files.length - FILES_SHOWN;
    await ctx.err(
      [
        `${key} is a plugin of the project${changed ? "; its files have changed since they were allowed" : ""}: ${dir}`,
        ...files.slice(0, FILES_SHOWN).map((file) => `  ${file}`),
        ...(more > 0 ? [`  and ${more} more`] : []),
        `  sha256 ${digest}`,
        "",
      ].join("\n"),
    );
    return yes || (await askYes(ctx, "Run exactly these files?"));
  };
}
