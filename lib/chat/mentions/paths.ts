import { statPath } from "../../base/fs/files.js";
import { absolutePath, guardRead, userHomeOf } from "../../safety/paths/paths.js";
import { resolveCagedPath } from "../../tools/core/caged.js";
import type { ToolContext } from "../../tools/core/define.js";
import { toolPermission } from "../../tools/run/permission.js";
import { scopeOf } from "../../tools/run/scope.js";
import type { Mention, MentionForm, MentionResult, MentionSources, OfferedMention } from "./define.js";

/** A path that a mention means and that may be read. */
export interface MentionedPath {
  readonly form: MentionForm;
  /** The real one. */
  readonly path: string;
}

/** Look which path is meant, and make a block of it when a tool of the turn may read it. `tool`: whose rules hold for it. */
export async function ofPath(
  { forms }: Mention,
  { ctx, tool }: { readonly ctx: ToolContext; readonly tool: string },
  make: (found: MentionedPath) => Promise<MentionResult>,
): Promise<MentionResult> {
  const form = (await thereOf(forms, ctx)) ?? forms[0];
  if (form === undefined) return { why: "missing path" };
  const path = pathOf(form.name, ctx);
  const allowed = guardRead(path, scopeOf(ctx));
  if (!allowed.ok) return { why: allowed.why };
  const answer = await ctx.permit(toolPermission({ tool, preview: form.name }, [path], ctx));
  return answer.allowed ? make({ form, path: allowed.path }) : { why: answer.message };
}

/** Relative to where the conversation began, as the paths are that are offered while it is typed. */
const pathOf = (given: string, ctx: ToolContext): string =>
  resolveCagedPath(absolutePath(given, ctx.state.launchDir, userHomeOf(ctx.env)), ctx);

async function thereOf(forms: readonly MentionForm[], ctx: ToolContext): Promise<MentionForm | undefined> {
  for (const form of forms)
    if ((await statPath(pathOf(form.name, ctx)).catch(() => undefined)) !== undefined) return form;
  return undefined;
}

/** Files, or only directories, that may be mentioned. A name with blanks stands in quotes. */
export async function pathsOffered({ paths }: MentionSources, folders: boolean): Promise<readonly OfferedMention[]> {
  return (await paths())
    .filter((path) => path.endsWith("/") === folders)
    .map((path) => {
      const what: OfferedMention["kind"] = folders ? "directory" : "file";
      return { name: /\s/.test(path) ? `"${path}"` : path, label: path, detail: what, kind: what, match: path };
    });
}
