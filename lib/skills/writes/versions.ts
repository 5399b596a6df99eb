import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { readBounded } from "../../base/fs/bounded-file.js";
import { listNames, removeDir, removeFileSync } from "../../base/fs/directory.js";
import { replaceDurably } from "../../base/fs/durable.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import type { SkillVersion } from "../../contracts/skills/writes.js";
import { isBelow } from "../../safety/paths/paths.js";
import { checkSkillName } from "./places.js";
import { readHeadLine, readVersionRecord, recordText, type VersionRecord } from "./record.js";

/** Versions that are kept of a skill; the oldest goes first. */
const VERSIONS_MAX = 100;
const RECORD_MAX = 256 << 20;
/** The first line of a record is mostly shorter. */
const HEAD_BYTES = 16 << 10;
const FILE = /^([1-9]\d{0,8})\.json$/;

/** Directory of versions below `skills/`. */
export const VERSIONS = ".versions";

export interface VersionStore {
  /** Place for a file that is renamed later. */
  readonly draft: (name: string) => string;
  next(name: string): number;
  write(record: VersionRecord): void;
  remove(record: VersionRecord): void;
  /** @throws E_NOT_FOUND */
  read(id: string): VersionRecord;
  /** Newest first; those of other skills that changed this one as well. */
  list(name: string): readonly SkillVersion[];
  /** Remove the oldest of a skill, and the directories that only they can bring back. */
  prune(name: string): void;
  /** The change that has begun. */
  begin(id: string): void;
  begun(): string | undefined;
  done(): void;
  /** Remove drafts that were left over. */
  clear(): void;
}

/** @param root real path of `skills/` */
export function createVersions(root: string): VersionStore {
  const base = join(root, VERSIONS);
  const marker = join(base, ".applying");
  const draft = (name: string) => join(base, ".drafts", name);
  const fileOf = (name: string, number: number) => join(base, name, `${number}.json`);
  const numbers = (name: string) =>
    listNames(join(base, name))
      .flatMap((file) => FILE.exec(file)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => b - a);
  const load = (name: string, number: number) => {
    const bytes = readRegularFileSync(fileOf(name, number), RECORD_MAX);
    return bytes === undefined ? undefined : readVersionRecord(bytes.toString("utf8"));
  };
  const headOf = (name: string, number: number): SkillVersion | undefined => {
    const read = readBounded(fileOf(name, number), { whole: HEAD_BYTES, head: HEAD_BYTES, tail: 0 });
    const line = read.ok ? read.file.head.toString("utf8") : "";
    if (line.includes("\n")) return readHeadLine(line);
    const whole = readRegularFileSync(fileOf(name, number), RECORD_MAX); // it names very many files
    return whole === undefined ? undefined : readHeadLine(whole.toString("utf8"));
  };
  const heads = (name: string): readonly SkillVersion[] =>
    numbers(name).flatMap((number) => headOf(name, number) ?? []);
  const all = (name: string): readonly VersionRecord[] => numbers(name).flatMap((number) => load(name, number) ?? []);
  return {
    draft,
    next: (name) => (numbers(name)[0] ?? 0) + 1,
    write: (record) =>
      replaceDurably(fileOf(record.name, record.number), Buffer.from(recordText(record)), {
        draft: draft("record"),
        mode: 0o600,
      }),
    remove: ({ name, number }) => removeFileSync(fileOf(name, number)),
    read: (id) => {
      const { name, number } = parseId(id);
      const found = load(name, number);
      if (found !== undefined) return found;
      const kept = numbers(name).slice(0, 20);
      throw new AppError("E_NOT_FOUND", `no version ${id}`, {
        hint: kept.length === 0 ? `${name} has no versions` : `versions of ${name}: ${kept.join(", ")}`,
      });
    },
    list: (name) => {
      const others = listNames(base).filter((other) => other !== name && !other.startsWith("."));
      const found = [...heads(name), ...others.flatMap(heads).filter(({ names }) => names.includes(name))];
      return found.toSorted((a, b) => b.at - a.at || b.number - a.number);
    },
    prune: (name) => {
      const old = numbers(name).slice(VERSIONS_MAX);
      if (old.length === 0) return;
      const used = new Set(all(name).flatMap(({ moves, number }) => (old.includes(number) ? [] : placesOf(moves))));
      for (const number of old) {
        const gone = placesOf(load(name, number)?.moves ?? []).filter((place) => !used.has(place));
        for (const place of gone) removeDir(join(root, place));
        removeFileSync(fileOf(name, number));
      }
    },
    begin: (id) => replaceDurably(marker, Buffer.from(`${id}\n`), { draft: draft("marker"), mode: 0o600 }),
    begun: () => readRegularFileSync(marker, 1_000)?.toString("utf8").trim(),
    done: () => removeFileSync(marker),
    clear: () => removeDir(join(base, ".drafts")),
  };
}

/** Directories below `.versions` that moves lead to or come from. */
const placesOf = (moves: VersionRecord["moves"]): readonly string[] =>
  moves.flatMap(({ from, to }) => [from, to]).filter((place) => isBelow(place, VERSIONS));

function parseId(id: string): { readonly name: string; readonly number: number } {
  const match = /^(.+)@([1-9]\d{0,8})$/.exec(id);
  const [, name = "", number = ""] = match ?? [];
  if (match === null)
    throw new AppError("E_INVALID", `${JSON.stringify(id.slice(0, 100))} is not a version`, {
      hint: "a version is NAME@NUMBER; /skills diff NAME lists them",
    });
  checkSkillName(name);
  return { name, number: Number(number) };
}
