import type { SkillFile } from "../../contracts/skills/guard.js";
import type { SkillFileUpdate } from "../../contracts/skills/hub.js";
import { mergeTexts } from "./merge.js";

export interface MergedSkill {
  readonly files: readonly SkillFile[];
  readonly updates: readonly SkillFileUpdate[];
}

interface Sides {
  readonly base: readonly SkillFile[];
  readonly mine: readonly SkillFile[];
  readonly theirs: readonly SkillFile[];
  /** Files whose changes in the home are given up. */
  readonly follows: ReadonlySet<string>;
}

/**
 * Bring the files of a home to what a source has now (housekeeping part, 3.3): untouched ones follow, changed ones stay, and where both sides
 * changed a text it is merged or the new one lies beside as `<file>.new`.
 */
export function mergeSkill({ base, mine, theirs, follows }: Sides): MergedSkill {
  const of = (files: readonly SkillFile[]) => new Map(files.map((file) => [file.path, file]));
  const before = of(base);
  const now = of(mine);
  const next = of(theirs);
  const files = new Map(now);
  const updates: SkillFileUpdate[] = [];
  const say = (path: string, action: SkillFileUpdate["action"]) => updates.push({ path, action });
  for (const path of [...new Set([...before.keys(), ...next.keys()])].toSorted()) {
    const was = before.get(path);
    const own = now.get(path);
    const fresh = next.get(path);
    const untouched = follows.has(path) || (was !== undefined && own !== undefined && same(was, own));
    if (fresh === undefined) {
      if (own === undefined) continue;
      if (untouched) {
        files.delete(path);
        say(path, "removed");
      } else say(path, "kept");
      continue;
    }
    if (own !== undefined && same(own, fresh)) continue;
    if (untouched || (was === undefined && own === undefined)) {
      files.set(path, fresh);
      say(path, own === undefined ? "added" : "replaced");
      continue;
    }
    if (was !== undefined && same(was, fresh)) {
      say(path, "kept");
      continue;
    }
    // What the user removed stays removed.
    if (own === undefined) {
      say(path, "kept");
      continue;
    }
    const merged = was === undefined ? undefined : mergeBytes(was, own, fresh);
    if (merged === undefined) {
      files.set(`${path}.new`, { ...fresh, path: `${path}.new` });
      say(path, "conflict");
    } else {
      files.set(path, { ...own, bytes: merged });
      say(path, "merged");
    }
  }
  return { files: [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)), updates };
}

const same = (a: SkillFile, b: SkillFile): boolean => Buffer.compare(a.bytes, b.bytes) === 0;

function mergeBytes(base: SkillFile, mine: SkillFile, theirs: SkillFile): Buffer | undefined {
  const texts = [base, mine, theirs].map(({ bytes }) => textOf(bytes));
  const [was, own, fresh] = texts;
  if (was === undefined || own === undefined || fresh === undefined) return undefined;
  const merged = mergeTexts(was, own, fresh);
  return merged === undefined ? undefined : Buffer.from(merged);
}

/** Undefined: the bytes are not text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // not UTF-8
  }
}
