import { join, resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { listNames } from "../../base/fs/directory.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { exists } from "../../base/fs/home-files.js";
import { MEMORY_TARGETS, type MemoryTarget } from "../../contracts/memory/memory.js";
import { type CommandContext, defineCommand } from "../define.js";
import { entriesOfMarkdown } from "./markdown-entries.js";
import { entryCount, requireMaster } from "./memory-text.js";

/** Homes of OpenClaw, the name of choice first, and its workspaces below them. */
const HOMES = [".openclaw", ".clawdbot", ".moltbot"];
const WORKSPACES = ["workspace", "workspace-main", "workspace.default", "."];
const FILE_MAX = 1 << 20;

interface Notes {
  readonly target: MemoryTarget;
  readonly path: string;
}

export default defineCommand({
  path: "memory import",
  summary: "Add notes of an OpenClaw installation, or of a Markdown file, as entries.",
  topic: "memory",
  params: z.object({
    source: z.string().optional().describe("directory of the installation, or a file (default: ~/.openclaw)"),
    target: z.enum(MEMORY_TARGETS).default("memory").describe("what a file is added to"),
    dry_run: z.boolean().default(false).describe("show what would be added"),
  }),
  positionals: ["source"],
  surfaces: ["cli"],
  access: "write",
  self: "settings",
  run: async ({ source, target, dry_run: dry }, ctx) => {
    requireMaster(ctx);
    const totals = { added: 0, left: [] as string[], refused: [] as string[] };
    const notes = findNotes(source, target, ctx);
    for (const kind of MEMORY_TARGETS) {
      const texts = notes
        .filter((one) => one.target === kind)
        .flatMap(({ path }) => entriesOfMarkdown(readNotes(path)));
      const brought = await ctx.memory.bring(kind, [...new Set(texts)], dry);
      totals.added += brought.added;
      totals.left.push(...brought.left);
      totals.refused.push(...brought.refused);
    }
    const { added, left, refused } = totals;
    const lines = [
      `${dry ? "Would add" : "Added"} ${entryCount(added)} from ${notes.map(({ path }) => path).join(", ")}.`,
      ...listed("no room for", left),
      ...listed("refused, since it gives instructions to a model:", refused),
    ];
    const ok = left.length === 0 && refused.length === 0;
    return {
      text: lines.join("\n"),
      data: { ok, added, left, refused, files: notes.map(({ path }) => path) },
      exit: ok ? 0 : 1,
    };
  },
});

const listed = (why: string, texts: readonly string[]): readonly string[] => texts.map((text) => `${why} ${text}`);

/** @throws E_NOT_FOUND */
function findNotes(source: string | undefined, target: MemoryTarget, { cwd, env }: CommandContext): readonly Notes[] {
  const places = source === undefined ? HOMES.map((name) => join(env["HOME"] ?? "/", name)) : [resolve(cwd, source)];
  const [named = ""] = places;
  if (source !== undefined && readRegularFileSync(named, FILE_MAX) !== undefined) return [{ target, path: named }];
  for (const place of places)
    for (const workspace of WORKSPACES) {
      const found = notesIn(join(place, workspace));
      if (found.length > 0) return found;
    }
  throw new AppError("E_NOT_FOUND", `no MEMORY.md, USER.md or memory/*.md in ${places.join(", ")}`, {
    hint: "agent memory import DIRECTORY, or a Markdown file of at most 1 MB",
  });
}

function notesIn(dir: string): readonly Notes[] {
  const daily = listNames(join(dir, "memory"))
    .filter((name) => name.endsWith(".md"))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => join("memory", name));
  const memory = ["MEMORY.md", ...daily].map((name): Notes => ({ target: "memory", path: join(dir, name) }));
  const all: readonly Notes[] = [...memory, { target: "user", path: join(dir, "USER.md") }];
  return all.filter(({ path }) => exists(path));
}

/** @throws E_INVALID */
function readNotes(path: string): string {
  const bytes = readRegularFileSync(path, FILE_MAX);
  if (bytes !== undefined) return bytes.toString("utf8");
  throw new AppError("E_INVALID", `${path} is not a plain file of at most 1 MB`, {
    path,
    hint: "split it, or name another",
  });
}
