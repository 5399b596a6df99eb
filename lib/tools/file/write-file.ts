import { relative } from "node:path";
import * as z from "zod";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { toUnixLineEnds } from "../run/codec.js";
import { jsonResult } from "../run/execute.js";
import { noteWrite, staleWarning, withLocks } from "../run/ledger.js";
import { lostPlaceholder, toFailureResult, toRefusalResult } from "../run/scope.js";
import { checkFileEdit, watchEdit } from "./checks.js";
import { difference } from "./difference.js";
import { guardFile } from "./guard.js";
import { holdsBinary, readForEdit, writeLike } from "./store.js";

const params = z.object({
  path: z.string().min(1).describe("File to write, absolute or relative to the working directory."),
  content: z
    .string()
    .max(16 << 20)
    .describe("The whole new content."),
  cross_profile: z.boolean().default(false).describe("Allow skills, plugins, cron or memories of another profile."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "write_file",
  toolset: "file",
  description:
    "Create a file or replace its whole content; missing directories are made. For changes in an existing file use patch. " +
    "Line ends, encoding and mode of an existing file are kept. The answer has the difference and a syntax check.",
  params,
  risk: "write",
  secrets: "true",
  asks: true,
  effects: (given, place) => ({ reads: [], writes: [toPathEffect("path", given.path, place)] }),
  limits: { ms: 120_000, chars: 100_000 },
  preview: (given) => given.path,
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const allowed = guardFile(given.path, ctx, given.cross_profile);
  if (!allowed.ok)
    return {
      ...toFailureResult(allowed.why, { status: "blocked" }),
      status: "blocked",
      filesNotChanged: [allowed.path],
    };
  const { path } = allowed;
  const noText = refusedContent(given.content) ?? lostPlaceholder([given.content], ctx);
  if (noText !== undefined) return { ...toFailureResult(noText), filesNotChanged: [path] };
  const answer = await ctx.permit({
    kind: "write",
    tool: "write_file",
    command: `write ${path}`,
    cwd: ctx.state.cwd,
    paths: [path],
    diff: () => wouldChange(path, given.content, ctx),
  });
  if (!answer.allowed) return { ...toRefusalResult(answer), filesNotChanged: [path] };
  return withLocks([path], () => write(given, ctx, path, allowed.outside));
}

/** The difference to what the file holds now, for the question to the user. */
async function wouldChange(path: string, content: string, ctx: ToolContext): Promise<string> {
  const before = await readForEdit(path, ctx);
  const old =
    typeof before === "string" || before.facts === undefined || holdsBinary(before) ? "" : before.decoded.text;
  return difference(relative(ctx.state.cwd, path) || path, toUnixLineEnds(old), toUnixLineEnds(content));
}

/** A notice of this product is never what a file should hold. */
function refusedContent(content: string): string | undefined {
  if (content.includes('"content_returned":false') && content.includes('"status":"unchanged"')) {
    return "Refusing to write the notice that a file is unchanged as the file's content; read the file with another offset to see it";
  }
  return undefined;
}

async function write(given: Params, ctx: ToolContext, path: string, outside: boolean): Promise<ToolResult> {
  const first = await readForEdit(path, ctx);
  if (typeof first === "string") return { ...toFailureResult(first), filesNotChanged: [path] };
  const { watch, same } = await watchEdit(ctx, [first]);
  const before = same ? first : await readForEdit(path, ctx);
  if (typeof before === "string") return { ...toFailureResult(before), filesNotChanged: [path] };
  const stale = staleWarning(ctx, path, before.facts);
  const written = await writeLike(path, given.content, before, ctx);
  if (typeof written === "string") return { ...toFailureResult(written), filesNotChanged: [path] };
  noteWrite(ctx, path, written.facts);
  const warning = [stale, outside ? "outside the project" : undefined, written.note].filter((one) => one !== undefined);
  const old = before.facts === undefined || holdsBinary(before) ? "" : toUnixLineEnds(before.decoded.text);
  const made = { path, before: before.facts === undefined ? undefined : old, after: given.content };
  const { lints, lsp_diagnostics } = await checkFileEdit(ctx, watch, [made]);
  const text = jsonResult({
    bytes_written: written.bytes,
    created: before.facts === undefined,
    dirs_created: written.dirsCreated,
    lint: lints[0]?.lint ?? { status: "skipped", message: "nothing changed" },
    ...(lsp_diagnostics === undefined ? {} : { lsp_diagnostics }),
    diff: await difference(relative(ctx.state.cwd, path) || path, old, toUnixLineEnds(given.content)),
    ...(warning.length > 0 ? { _warning: warning.join("; ") } : {}),
    resolved_path: path,
    files_modified: [path],
  });
  return { text, filesChanged: [path] };
}
