import { relative } from "node:path";
import * as z from "zod";
import type { WatchedEdit } from "../../contracts/owner/language-servers.js";
import type { PathAnswer } from "../../safety/paths/paths.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { toUnixLineEnds } from "../run/codec.js";
import { jsonResult } from "../run/execute.js";
import { noteWrite, seenOf, staleWarning, withLocks } from "../run/ledger.js";
import { lostPlaceholder, pathOf, toFailureResult, toRefusalResult } from "../run/scope.js";
import { checkFileEdit, type EditMade, type Prepared, watchEdit } from "./checks.js";
import { type Compared, difference, differenceOfAll } from "./difference.js";
import { guardFile } from "./guard.js";
import { replaceInText } from "./replace.js";
import { holdsBinary, readForEdit, writeLike } from "./store.js";
import { carryOut, type PatchPlan, plan } from "./transaction.js";
import { type ParsedPatch, parsePatch } from "./v4a.js";

const params = z.object({
  mode: z
    .enum(["replace", "patch"])
    .default("replace")
    .describe("replace: one text in one file; patch: several changes."),
  path: z.string().optional().describe("File, for replace."),
  old_string: z
    .string()
    .max(4 << 20)
    .optional()
    .describe("Text to replace; must be unique unless replace_all."),
  new_string: z
    .string()
    .max(4 << 20)
    .optional()
    .describe("Text that takes its place."),
  replace_all: z.boolean().default(false).describe("Replace every occurrence."),
  patch: z
    .string()
    .max(8 << 20)
    .optional()
    .describe("Patch text, for patch."),
  cross_profile: z.boolean().default(false).describe("Allow skills, plugins, cron or memories of another profile."),
});

type Params = z.output<typeof params>;

const HINT_AFTER = 3;

export default defineTool({
  name: "patch",
  toolset: "file",
  description:
    "Change existing files. mode replace: put new_string in the place of old_string in path; include enough lines to make it unique. " +
    "mode patch: a text with '*** Update File: p' and hunks ('@@ hint', lines beginning with ' ', '-' or '+'), '*** Add File: p' ('+' lines), " +
    "'*** Delete File: p', '*** Move File: a -> b'; all of it is applied or nothing. The answer has the difference and a syntax check.",
  params,
  risk: "write",
  secrets: "true",
  asks: true,
  effects: (given, place) => ({ reads: [], writes: headersOf(given).map((path) => toPathEffect("path", path, place)) }),
  limits: { ms: 120_000, chars: 100_000 },
  preview: (given) => headersOf(given).join(", ") || given.mode,
  run,
});

function headersOf(given: Params): readonly string[] {
  if (given.mode === "replace") return given.path === undefined ? [] : [given.path];
  return pathsIn(parsePatch(given.patch ?? ""));
}

/** Files of this name are moved or changed; a place to which a file would have moved was never to be changed. */
function changedBy(given: Params): readonly string[] {
  if (given.mode === "replace") return headersOf(given);
  return [...new Set(parsePatch(given.patch ?? "").operations.map(({ path }) => path))];
}

const pathsIn = (parsed: ParsedPatch): readonly string[] => [
  ...new Set(
    parsed.operations.flatMap((one) => ("to" in one && one.to !== undefined ? [one.path, one.to] : [one.path])),
  ),
];

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const lost = lostPlaceholder([given.old_string, given.new_string, given.patch], ctx);
  if (lost !== undefined)
    return {
      ...toFailureResult(lost, { success: false }),
      filesNotChanged: changedBy(given).map((path) => pathOf(path, ctx)),
    };
  return given.mode === "patch" ? runPatch(given, ctx) : runReplace(given, ctx);
}

async function runReplace(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const { path, old_string, new_string } = given;
  if (path === undefined || old_string === undefined || new_string === undefined)
    return toFailureResult("replace needs path, old_string and new_string");
  const guarded = await mayWrite(given, ctx, [path]);
  if ("text" in guarded) return guarded;
  const real = guarded.paths.get(path) ?? path;
  return withLocks([real], () => replaceIn(real, { old_string, new_string, replace_all: given.replace_all }, ctx));
}

/** Guards and permission for every path that is named. A result is the refusal. */
async function mayWrite(
  given: Params,
  ctx: ToolContext,
  named: readonly string[],
): Promise<ToolResult | { paths: ReadonlyMap<string, string> }> {
  const answers = named.map((path): [string, PathAnswer] => [path, guardFile(path, ctx, given.cross_profile)]);
  const real = answers.map(([, answer]) => answer.path);
  const changed = changedBy(given);
  const unchanged = answers.filter(([path]) => changed.includes(path)).map(([, answer]) => answer.path);
  const refused = answers.find(([, answer]) => !answer.ok)?.[1];
  if (refused?.ok === false)
    return { ...toFailureResult(refused.why, { status: "blocked" }), status: "blocked", filesNotChanged: unchanged };
  const answer = await ctx.permit({
    kind: "write",
    tool: "patch",
    command: `patch ${real.join(", ")}`,
    cwd: ctx.state.cwd,
    paths: real,
    diff: async () => asDiff(given),
  });
  if (!answer.allowed) return { ...toRefusalResult(answer), filesNotChanged: unchanged };
  return { paths: new Map(answers.map(([path, one]) => [path, one.path])) };
}

/** What is asked for, in the form of a difference. */
function asDiff({ patch, old_string = "", new_string = "" }: Params): string {
  const marked = (sign: string, text: string) => text.split("\n").map((line) => `${sign}${line}`);
  return patch ?? [...marked("-", old_string), ...marked("+", new_string)].join("\n");
}

type Change = Parameters<typeof replaceInText>[1];

/** @param ready Given when the servers have been asked already, and the file was written meanwhile. */
async function replaceIn(path: string, change: Change, ctx: ToolContext, ready?: Prepared): Promise<ToolResult> {
  const before = await readForEdit(path, ctx);
  if (typeof before === "string") return { ...toFailureResult(before), filesNotChanged: [path] };
  if (before.facts !== undefined && holdsBinary(before))
    return { ...toFailureResult(`${path} is a binary file`), filesNotChanged: [path] };
  const creates = before.facts === undefined && change.old_string === "";
  if (before.facts === undefined && !creates)
    return { ...toFailureResult(`File not found: ${path}`), filesNotChanged: [path] };
  const { crlf } = before.decoded.encoding;
  const old = crlf ? toUnixLineEnds(before.decoded.text) : before.decoded.text;
  const wanted = crlf
    ? { ...change, old_string: toUnixLineEnds(change.old_string), new_string: toUnixLineEnds(change.new_string) }
    : change;
  const replaced = creates
    ? { ok: true as const, text: change.new_string, strategy: "exact" }
    : replaceInText(old, wanted);
  if (!replaced.ok) return missed(ctx, path, replaced.error);
  const warning = creates ? undefined : staleWarning(ctx, path, before.facts);
  const { watch, same } = ready ?? (await watchEdit(ctx, [before]));
  if (!same) return replaceIn(path, change, ctx, { watch, same: true });
  const written = await writeLike(path, replaced.text, before, ctx);
  if (typeof written === "string") return { ...toFailureResult(written), filesNotChanged: [path] };
  noteWrite(ctx, path, written.facts);
  const warnings = [warning?.startsWith("replaced a file") ? undefined : warning, written.note].filter(
    (one) => one !== undefined,
  );
  const { lints, lsp_diagnostics } = await checkFileEdit(ctx, watch, [
    { path, before: creates ? undefined : old, after: replaced.text },
  ]);
  const text = jsonResult({
    success: true,
    diff: await difference(relative(ctx.state.cwd, path) || path, old, replaced.text),
    strategy: replaced.strategy,
    files_modified: [path],
    resolved_path: path,
    lint: lints[0]?.lint ?? { status: "skipped", message: "nothing changed" },
    ...(lsp_diagnostics === undefined ? {} : { lsp_diagnostics }),
    ...(warnings.length === 0 ? {} : { _warning: warnings.join("; ") }),
  });
  return { text, filesChanged: [path] };
}

function missed(ctx: ToolContext, path: string, error: string): ToolResult {
  const { misses } = seenOf(ctx);
  const count = (misses.get(path) ?? 0) + 1;
  misses.set(path, count);
  const hint =
    count >= HINT_AFTER
      ? { hint: `${count} patches of this file failed; read it again with read_file before the next one` }
      : {};
  return { ...toFailureResult(error, { path, success: false, ...hint }), filesNotChanged: [path] };
}

async function runPatch(given: Params, ctx: ToolContext): Promise<ToolResult> {
  if (given.patch === undefined || given.patch.trim() === "")
    return toFailureResult("patch mode needs the text of a patch");
  const parsed = parsePatch(given.patch);
  if (parsed.errors.length > 0) return invalid(parsed.errors, []);
  const named = pathsIn(parsed);
  const guarded = await mayWrite(given, ctx, named);
  if ("text" in guarded) return guarded;
  const { paths } = guarded;
  return withLocks([...paths.values()], () => applyPatch(parsed, (path) => paths.get(path) ?? path, ctx));
}

function invalid(errors: readonly string[], paths: readonly string[]): ToolResult {
  const list = errors.map((error) => `• ${error}`).join("\n");
  return {
    ...toFailureResult(`Patch validation failed (no files were modified):\n${list}`, { success: false }),
    filesNotChanged: paths,
  };
}

type Resolve = (path: string) => string;

async function applyPatch(
  parsed: ParsedPatch,
  resolve: Resolve,
  ctx: ToolContext,
  ready?: Prepared,
): Promise<ToolResult> {
  const planned = await plan(parsed.operations, resolve, ctx);
  const paths = [...planned.files.keys()];
  const named = new Set(parsed.operations.map(({ path }) => resolve(path)));
  const unchanged = paths.filter((path) => named.has(path));
  if (planned.errors.length > 0) return invalid(planned.errors, unchanged);
  const before = [...planned.files.values()].map((file) => file.before);
  const { watch, same } = ready ?? (await watchEdit(ctx, before));
  if (!same) return applyPatch(parsed, resolve, ctx, { watch, same: true });
  const failed = await carryOut(planned, ctx);
  if (failed !== undefined)
    return {
      ...toFailureResult(failed, { success: false }),
      filesNotChanged: unchanged,
    };
  for (const [path, { written }] of planned.files) noteWrite(ctx, path, written?.facts);
  return { text: jsonResult({ success: true, ...(await report(planned, watch, ctx)) }), filesChanged: paths };
}

async function report(
  planned: PatchPlan,
  watch: WatchedEdit | undefined,
  ctx: ToolContext,
): Promise<Record<string, unknown>> {
  const made = [...planned.files].map(([path, { before, text }]): EditMade => {
    return { path, before: before.facts === undefined ? undefined : toUnixLineEnds(before.decoded.text), after: text };
  });
  const { lints, lsp_diagnostics } = await checkFileEdit(ctx, watch, made);
  const notes = [...planned.files].flatMap(([path, { written }]) =>
    written?.note === undefined ? [] : [`${path}: ${written.note}`],
  );
  return {
    diff: await differenceOfAll(compared(planned, (path) => relative(ctx.state.cwd, path) || path)),
    files_modified: [...planned.files.keys()],
    files_created: planned.created,
    files_deleted: planned.deleted,
    files_moved: planned.moved,
    lint: lints.length === 1 ? lints[0]?.lint : Object.fromEntries(lints.map(({ path, lint }) => [path, lint])),
    ...(lsp_diagnostics === undefined ? {} : { lsp_diagnostics }),
    ...(notes.length === 0 ? {} : { _warning: notes.join("; ") }),
  };
}

/** Each file of a plan with what it was. A file that moved is compared with itself at its old path, and the old path is left out. */
function compared(planned: PatchPlan, nameFile: (path: string) => string): readonly Compared[] {
  const origins = findOrigins(planned);
  const left = new Set(origins.values());
  return [...planned.files].flatMap(([path, file]): Compared[] => {
    const from = origins.get(path);
    const source = from === undefined ? file : (planned.files.get(from) ?? file);
    if (holdsBinary(source.before) && from === undefined) return [];
    if (file.text === undefined && (left.has(path) || file.before.facts === undefined)) return [];
    const before =
      source.before.facts === undefined || holdsBinary(source.before) ? "" : toUnixLineEnds(source.before.decoded.text);
    const after = holdsBinary(source.before) ? "" : (file.text ?? "");
    return [{ path: nameFile(path), ...(from === undefined ? {} : { from: nameFile(from) }), before, after }];
  });
}

/** First path of each file that moved, by its last one. */
function findOrigins({ files, moved }: PatchPlan): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  for (const { from, to } of moved) {
    origins.set(to, origins.get(from) ?? from);
    origins.delete(from);
  }
  // A file that was made by the same patch, or came back to its place, did not move.
  return new Map([...origins].filter(([to, from]) => from !== to && files.get(from)?.before.facts !== undefined));
}
