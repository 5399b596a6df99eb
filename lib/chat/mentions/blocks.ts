import { factsOf, listDirectory } from "../../base/files.js";
import { absolutePath, guardRead, userHomeOf } from "../../safety/paths.js";
import { fenceFor } from "../../safety/text.js";
import type { ToolContext } from "../../tools/define.js";
import { splitLines } from "../../tools/files/codec.js";
import { noteRead } from "../../tools/files/ledger.js";
import { load } from "../../tools/files/load.js";
import { toolPermission } from "../../tools/permission.js";
import { scopeOf } from "../../tools/scope.js";
import type { Mention } from "./find.js";

/** Entries of a folder that are listed. */
const MOST_ENTRIES = 500;

/** What stands behind the text for a mention, or why nothing does. */
export type Block =
  | { readonly mention: Mention; readonly text: string /** It is in the message now. */; readonly taken: () => void }
  | { readonly mention: Mention; readonly why: string };

/** Whose rules hold for it. */
const TOOLS = { file: "read_file", folder: "search_files" } as const;

type Form = Mention["forms"][number];

/** Inside what a tool of the turn may read. */
export async function blockOf(mention: Mention, ctx: ToolContext): Promise<Block> {
  const form = (await thereOf(mention, ctx)) ?? mention.forms[0];
  if (form === undefined) return { mention, why: "it names nothing" };
  const path = pathOf(form.path, ctx);
  const allowed = guardRead(path, scopeOf(ctx));
  if (!allowed.ok) return { mention, why: allowed.why };
  const answer = await ctx.permit(toolPermission({ tool: TOOLS[mention.kind], preview: form.path }, [path], ctx));
  if (!answer.allowed) return { mention, why: answer.message };
  return mention.kind === "folder" ? folderBlock(mention, form.path, allowed.path) : fileBlock({ mention, form, path: allowed.path }, ctx);
}

/** Relative to where the conversation began, as the paths are that are offered while it is typed. */
const pathOf = (given: string, { state, env }: ToolContext): string => absolutePath(given, state.launchDir, userHomeOf(env));

async function thereOf({ forms }: Mention, ctx: ToolContext): Promise<Form | undefined> {
  for (const form of forms) if ((await factsOf(pathOf(form.path, ctx)).catch(() => undefined)) !== undefined) return form;
  return undefined;
}

interface Found {
  readonly mention: Mention;
  readonly form: Form;
  readonly path: string;
}

async function fileBlock({ mention, form, path }: Found, ctx: ToolContext): Promise<Block> {
  const loaded = await load(path, ctx);
  if ("error" in loaded) return { mention, why: loaded.error };
  const lines = splitLines(loaded.decoded.text);
  const { from = 1, to = lines.length } = form;
  if (from > Math.max(1, lines.length) || to < from) return { mention, why: `it has ${lines.length} lines` };
  const last = Math.min(to, lines.length);
  const whole = from === 1 && last === lines.length;
  const part = whole ? `${lines.length} lines` : `lines ${from}-${last} of ${lines.length}`;
  const taken = () => noteRead(ctx, path, loaded.facts, whole);
  return { mention, taken, text: fenced(`File ${form.path}: ${part}`, lines.slice(from - 1, last).join("\n")) };
}

async function folderBlock(mention: Mention, given: string, path: string): Promise<Block> {
  const kind = (await factsOf(path))?.kind;
  if (kind !== "directory") return { mention, why: kind === undefined ? `there is no folder ${path}` : `${path} is no folder` };
  const entries = (await listDirectory(path)).map(({ name, kind: what }) => (what === "directory" ? `${name}/` : name)).sort();
  const shown = entries.slice(0, MOST_ENTRIES);
  const more = entries.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`… ${more} more`] : [])].join("\n");
  return { mention, taken: () => undefined, text: fenced(`Folder ${given}: ${entries.length} entries`, list) };
}

/** A label, and the text in a fence that nothing in it closes. */
function fenced(label: string, text: string): string {
  const fence = fenceFor(text);
  return `[${label}]\n${fence}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}
