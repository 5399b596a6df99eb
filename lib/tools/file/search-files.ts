import * as z from "zod";
import { changedAt, statPath } from "../../base/fs/files.js";
import { canonicalJson } from "../../base/json/canonical-json.js";
import { glob } from "../../safety/paths/glob.js";
import { guardRead, innerPath, type PathScope, secretFilter } from "../../safety/paths/paths.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { jsonResult } from "../run/execute.js";
import { callNumber, seenOf } from "../run/ledger.js";
import { toolPermission } from "../run/permission.js";
import { pathOf, scopeOf, toFailureResult, toRefusalResult } from "../run/scope.js";
import { createNeedle, createSearched, type FileSearch, type Needle, type Searched, searchFiles } from "./content.js";
import { similarFiles } from "./similar.js";
import { type WalkEnd, walk } from "./walk.js";

const WITHIN_MS = 60_000;
const SKIPPED_SHOWN = 20;

const params = z.object({
  pattern: z
    .string()
    .min(1)
    .max(4_000)
    .describe("Regular expression (JavaScript) for content, glob or name for files."),
  target: z
    .enum(["content", "files", "grep", "find"])
    .default("content")
    .describe("content (or grep): search inside files; files (or find): find files by name."),
  path: z.string().default(".").describe("Directory or file to search."),
  file_glob: z.string().optional().describe("Only files whose name or path matches."),
  limit: z.number().int().min(1).max(500).default(50).describe("Results to show."),
  offset: z.number().int().min(0).default(0).describe("Results to leave out first."),
  output_mode: z.enum(["content", "files_only", "count"]).default("content").describe("Lines, file names, or counts."),
  context: z.number().int().min(0).max(10).default(0).describe("Lines around each match."),
  ignore_case: z.boolean().default(false).describe("Ignore upper and lower case."),
  include_ignored: z.boolean().default(false).describe("Also look into ignored files."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "search_files",
  toolset: "file",
  description:
    "Search file contents by regular expression, or find files by name (target files: globs with **, newest first). " +
    "Files that git ignores are left out unless include_ignored. total_count is the true total; use offset for more.",
  params,
  risk: "read",
  asks: true,
  effects: (given, place) => ({ reads: [toPathEffect("tree", given.path, place)], writes: [] }),
  limits: { ms: 90_000, chars: 100_000 },
  preview: previewOf,
  run,
});

function previewOf({ pattern, path }: Params): string {
  return `${pattern} in ${path}`;
}

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const asked = repeatOf(given, ctx);
  if (asked >= 4)
    return toFailureResult(`BLOCKED: this search was made ${asked} times in a row; its result has not changed`, {
      already_searched: asked,
    });
  const scope = scopeOf(ctx);
  const named = pathOf(given.path, ctx);
  const allowed = guardRead(named, scope);
  if (!allowed.ok) return toFailureResult(allowed.why);
  const answer = await ctx.permit(toolPermission({ tool: "search_files", preview: previewOf(given) }, [named], ctx));
  if (!answer.allowed) return toRefusalResult(answer);
  const facts = await statPath(allowed.path);
  if (facts === undefined)
    return toFailureResult(`Path not found: ${allowed.path}`, { similar_paths: await similarFiles(allowed.path) });
  const search: Search = {
    given,
    ctx,
    root: allowed.path,
    isFile: facts.kind === "file",
    scope,
    hides: answer.hides ?? (() => false),
  };
  const fields =
    given.target === "files" || given.target === "find" ? await findFiles(search) : await findContent(search);
  const warning = asked === 3 ? { _warning: "the same search a third time; the next one is blocked" } : {};
  return { text: jsonResult({ ...fields, ...warning }) };
}

interface Search {
  readonly given: Params;
  readonly ctx: ToolContext;
  readonly root: string;
  readonly isFile: boolean;
  readonly scope: PathScope;
  /** Rules keep the file from this call. */
  readonly hides: (path: string) => boolean;
}

/** How often this search was asked in a row. */
function repeatOf(given: Params, ctx: ToolContext): number {
  const { searches } = seenOf(ctx);
  const call = callNumber(ctx.state).count;
  const key = canonicalJson({ ...given, cwd: ctx.state.cwd });
  const before = searches.get(key);
  const count = before === undefined || call - before.call > 1 ? 1 : before.count + 1;
  searches.set(key, { count, call });
  return count;
}

/** A glob with `/` is compared with the whole path, one without with the name; a plain name matches anywhere in names. */
function nameFilter(pattern: string, ignoreCase: boolean): (relative: string) => boolean {
  const plain = !/[*?[{]/.test(pattern);
  const compiled = glob(plain && !pattern.includes("/") ? `*${pattern}*` : pattern.replace(/^\.\//, ""), ignoreCase);
  if (pattern.includes("/")) return (path) => compiled.path(path) || (plain && path.endsWith(`/${pattern}`));
  return (path) => compiled.word(path.slice(path.lastIndexOf("/") + 1));
}

type Visit = (path: string, relative: string) => Promise<void> | undefined;

async function visitAll(search: Search, visit: Visit): Promise<WalkEnd> {
  const { ctx, given, root, scope, hides } = search;
  const isSecret = secretFilter(root, scope);
  const guarded: Visit = (path, inner) => (isSecret(path) || hides(path) ? undefined : visit(path, inner));
  if (search.isFile) {
    await guarded(root, root.slice(root.lastIndexOf("/") + 1));
    return { complete: true, ignored: 0 };
  }
  return walk(
    {
      root,
      userHome: scope.userHome,
      includeIgnored: given.include_ignored,
      clock: ctx.ports.clock,
      signal: ctx.signal,
      within: WITHIN_MS,
    },
    guarded,
  );
}

const shownPath = (path: string, ctx: ToolContext): string => innerPath(path, ctx.state.cwd) ?? path;

async function findFiles(search: Search): Promise<Record<string, unknown>> {
  const { given, ctx } = search;
  const wanted = nameFilter(given.pattern, given.ignore_case);
  const alsoWanted = given.file_glob === undefined ? () => true : nameFilter(given.file_glob, given.ignore_case);
  const found: string[] = [];
  let seen = 0;
  const end = await visitAll(search, (path, inner) => {
    seen += 1;
    if (wanted(inner) && alsoWanted(inner)) found.push(path);
    return undefined;
  });
  const newest = found
    .map((path) => ({ path, at: changedAt(path) }))
    .sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1));
  const files = newest.slice(given.offset, given.offset + given.limit).map((one) => shownPath(one.path, ctx));
  return {
    total_count: end.complete ? found.length : `at least ${found.length}`,
    files,
    ...pageFields(given, files.length, found.length, end),
    ...(found.length === 0 ? { files_searched: seen, files_ignored: end.ignored } : {}),
  };
}

async function findContent(search: Search): Promise<Record<string, unknown>> {
  const { given, ctx } = search;
  const needle = createNeedle(given.pattern, given.ignore_case);
  const wanted = given.file_glob === undefined ? () => true : nameFilter(given.file_glob, given.ignore_case);
  const searched = createSearched();
  const page = {
    offset: given.offset,
    limit: given.output_mode === "content" ? given.limit : 0,
    context: given.context,
  };
  const files = searchFiles({ needle, page, searched, clock: ctx.ports.clock, signal: ctx.signal });
  const end = await endingWith(files, () =>
    visitAll(search, (path, inner) => (wanted(inner) ? files.visit(path, shownPath(path, ctx)) : undefined)),
  );
  return { ...outputOf(given, searched, end), ...extras(searched, needle, end) };
}

/** The last files are looked through before the result is reported, and no thread is left, however it ends. */
async function endingWith(files: FileSearch, walked: () => Promise<WalkEnd>): Promise<WalkEnd> {
  try {
    return await walked();
  } finally {
    await files.end();
  }
}

function outputOf(given: Params, searched: Searched, end: WalkEnd): Record<string, unknown> {
  const total = end.complete ? searched.total : `at least ${searched.total}`;
  if (given.output_mode === "content") {
    return {
      total_count: total,
      matches: searched.hits,
      ...pageFields(given, searched.hits.length, searched.total, end),
      files_searched: searched.files,
    };
  }
  const entries = [...searched.counts].slice(given.offset, given.offset + given.limit);
  const paging = pageFields(given, entries.length, searched.counts.size, end);
  if (given.output_mode === "count") return { counts: Object.fromEntries(entries), total_count: total, ...paging };
  return {
    total_count: end.complete ? searched.counts.size : `at least ${searched.counts.size}`,
    files: entries.map(([path]) => path),
    ...paging,
  };
}

function pageFields(given: Params, shown: number, total: number, end: WalkEnd): Record<string, unknown> {
  const next = given.offset + shown;
  return {
    truncated: next < total || !end.complete,
    ...(next < total && shown > 0 ? { next_offset: next } : {}),
    ...(end.complete ? {} : { limit_reason: "time" }),
  };
}

function extras(searched: Searched, needle: Needle, end: WalkEnd): Record<string, unknown> {
  return {
    ...(needle.note === undefined ? {} : { note: needle.note }),
    ...(searched.skipped.length === 0
      ? {}
      : {
          skipped: searched.skipped.slice(0, SKIPPED_SHOWN),
          skipped_reason: `the pattern took too long on ${searched.skipped.length} files`,
        }),
    ...(searched.total === 0 ? { files_searched: searched.files, files_ignored: end.ignored } : {}),
  };
}
