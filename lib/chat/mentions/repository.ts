import { join } from "node:path";
import type { Ms } from "../../base/units.js";
import { type Git, type GitAnswer, openGit } from "../../safety/git/git.js";
import { findWorkTree } from "../../safety/git/work-tree.js";
import { guardRead, isWithin } from "../../safety/paths/paths.js";
import type { ToolContext } from "../../tools/core/define.js";
import { toolPermission } from "../../tools/run/permission.js";
import { scopeOf } from "../../tools/run/scope.js";

/** One call of git; it looks, and writes nothing. The first look at a large work tree reads all of it. */
const LIMIT_MS: Ms = 30_000;
/** Output that is read of it. */
const MOST_BYTES = 1 << 20;
const MOST_FILES = 500;
const MOST_NAMES = 128 * 1024;

/** Programs of the repository are not asked what changed, submodules not looked into, and nothing of its settings shapes what is read. */
export const PLAIN_DIFF_OPTIONS = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  "--submodule=short",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "-O/dev/null",
] as const;

/** The repository that a conversation began in, as far as a tool of the turn may read it. */
export interface Repository {
  readonly root: string;
  /** Git in its root. Rejects with what it said when it fails. */
  read(args: readonly string[], too?: string): Promise<string>;
  /** Of the paths that git names, those that may be read. */
  among(names: readonly string[]): AllowedPaths;
}

export interface AllowedPaths {
  readonly paths: readonly string[];
  readonly refused: readonly string[];
}

/** @returns why no repository may be read */
export async function repositoryFor(ctx: ToolContext, preview: string): Promise<Repository | { readonly why: string }> {
  const at = ctx.state.launchDir;
  const limits = { limitMs: LIMIT_MS, signal: ctx.signal };
  const ports = { ...ctx.ports, env: ctx.env };
  const here = await openGit(ports, at, { ...limits, filters: "none" });
  const tree = await findWorkTree(here, limits);
  if ("why" in tree) return tree;
  const root = tree.top;
  const scope = scopeOf(ctx);
  const open = guardRead(root, scope);
  if (!open.ok) return { why: open.why };
  const answer = await ctx.permit(toolPermission({ tool: "search_files", preview }, [root], ctx));
  if (!answer.allowed) return { why: answer.message };
  const git: Git = { ...here, cwd: root, run: here.run };
  const hides = answer.hides ?? (() => false);
  const mayRead = (name: string) => {
    const found = guardRead(join(root, name), scope);
    return found.ok && !hides(found.path) && !hides(join(root, name));
  };
  return {
    root,
    read: async (args, too) => outputOf(await git.run(["-C", root, ...args], { ...limits, maxBytes: MOST_BYTES }), too),
    among: (names) => {
      const refused = names.filter((name) => !mayRead(name));
      const below = (name: string) => refused.some((one) => isWithin(one, name));
      const paths = names.filter((name) => !below(name));
      return { paths, refused };
    },
  };
}

function outputOf({ ok, out, said, cut }: GitAnswer, too = "mention single files with @file:"): string {
  if (!ok) throw new Error(`git failed: ${firstLine(said)}`);
  if (cut) throw new Error(`it exceeds ${MOST_BYTES >> 20} MiB; ${too}`);
  return out;
}

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 300) ?? "";

/** Names that are too many for one call. */
export function explainTooManyNames(paths: readonly string[], too: string): string | undefined {
  const bytes = paths.reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0);
  if (paths.length <= MOST_FILES && bytes <= MOST_NAMES) return undefined;
  return `${paths.length} changed files (limit ${MOST_FILES}): ${too}`;
}

/** What is said of paths that were left out. */
export function leftOut(refused: readonly string[]): { readonly without?: string } {
  if (refused.length === 0) return {};
  const named = refused.slice(0, 5).join(", ");
  const more = refused.length > 5 ? ` and ${refused.length - 5} more` : "";
  return { without: `${named}${more}: may contain secrets, or a rule forbids reading` };
}

export const parseNames = (out: string): readonly string[] => [
  ...new Set(out.split("\0").filter((name) => name !== "")),
];
