import { join } from "node:path";
import * as z from "zod";
import { readRegularFileSync } from "../../base/fs/files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import { type FileLockDeps, lockFile } from "../../base/process/file-lock.js";
import type { EpochMs } from "../../base/units.js";
import type { SkillUsage, SkillUse } from "../../contracts/skills/usage.js";

const counter = z.int().min(0).catch(0);
const time = z.number().nullable().catch(null);
const record = z.object({
  created_by: z.enum(["agent", "user", "hub"]).catch("user"),
  created_at: time,
  uses: counter,
  views: counter,
  patches: counter,
  last_activity_at: time,
  state: z.enum(["active", "stale", "archived"]).catch("active"),
  pinned: z.boolean().catch(false),
});
const file = z.object({ skills: z.record(z.string(), record).catch({}) });

/** An unused skill. */
const NO_USE: SkillUse = {
  created_by: "user",
  created_at: null,
  uses: 0,
  views: 0,
  patches: 0,
  last_activity_at: null,
  state: "active",
  pinned: false,
};

interface UsageDeps extends FileLockDeps {
  readonly home: Pick<Home, "dir">;
  readonly now: () => EpochMs;
}

const FILE_MAX = 8 << 20;
const WAIT_MS = 5_000;

/** @see SkillUsage */
export function createUsage(deps: UsageDeps): SkillUsage {
  const path = join(deps.home.dir, "skills", ".usage.json");
  const read = (): Map<string, SkillUse> => {
    const bytes = readRegularFileSync(path, FILE_MAX);
    if (bytes === undefined) return new Map();
    try {
      return new Map(Object.entries(file.parse(JSON.parse(bytes.toString("utf8"))).skills));
    } catch {
      return new Map(); /* ok to lose: counters start over where the file is damaged */
    }
  };
  const change: SkillUsage["change"] = async (name, to) => {
    const lock = await lockFile(`${path}.lock`, deps, { ms: WAIT_MS });
    try {
      const all = read();
      const next = to(all.get(name) ?? NO_USE);
      if (next === undefined) all.delete(name);
      else all.set(name, next);
      replaceTextFile(path, `${JSON.stringify({ skills: Object.fromEntries(all) }, null, 1)}\n`, 0o600);
    } finally {
      lock.release();
    }
  };
  return {
    all: read,
    of: (name) => read().get(name) ?? NO_USE,
    count: (name, what) =>
      change(name, (before) => ({
        ...before,
        [what]: before[what] + 1,
        last_activity_at: deps.now(),
        state: "active",
      })),
    change,
  };
}
