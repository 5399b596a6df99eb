import { join } from "node:path";
import { listNames, pathExists, removeFileSync } from "../base/fs/directory.js";
import { changedAt, readRegularFileSync, statPathSync } from "../base/fs/files.js";
import { replaceTextFile } from "../base/fs/text-file.js";
import { sha256 } from "../base/text/hash.js";
import type { EpochMs } from "../base/units.js";
import type { MemoryEntry, PendingMemory } from "../contracts/memory/memory.js";
import { readEntries, toFileText } from "./entry-text.js";
import { FILE_NAMES, type FilePlace, memoriesDir, memoryFilePath, placeOfScope, projectKey } from "./places.js";
import { readRecords, writeRecords } from "./records.js";

/** One file as it was read, with what is known of its entries, in the order of the file. */
export interface MemoryFile {
  readonly place: FilePlace;
  readonly path: string;
  readonly entries: readonly MemoryEntry[];
  /** It is not written before a person agrees. */
  readonly damaged?: { readonly why: string; readonly bytes: Buffer | undefined };
}

/** All that is remembered in a home at one moment. */
export interface Book {
  readonly files: readonly MemoryFile[];
  /** Records whose text has left its file because its time was over; newest first. */
  readonly expired: readonly MemoryEntry[];
  readonly pending: readonly PendingMemory[];
}

const FILE_MAX = 1 << 20;
const EXPIRED_KEPT = 200;
/** Confidence of an entry of which nothing is recorded. */
const EDITED_CONFIDENCE = 1;

/** Read everything: a memory is some hundred short texts. */
export function readBook(homeDir: string, now: EpochMs): Book {
  const { entries: rows, pending } = readRecords(homeDir);
  const files = placesIn(homeDir, rows).flatMap((place) => {
    const file = readFile(homeDir, place, rows);
    return file === undefined ? [] : [file];
  });
  const there = new Set(files.flatMap(({ entries }) => entries.map(({ id }) => id)));
  const expired = rows.filter((row) => !there.has(row.id) && isOver(row, now));
  return { files, expired, pending };
}

export const isOver = ({ expires_at }: MemoryEntry, now: EpochMs): boolean => expires_at !== null && expires_at <= now;

/** The file of a place as the book has it; one that does not exist is empty. */
export const memoryFileIn = ({ files }: Book, place: FilePlace, homeDir: string): MemoryFile => {
  const path = memoryFilePath(homeDir, place);
  const found = files.find((file) => file.path === path);
  if (found === undefined) return { place, path, entries: [] };
  // A file that was found without records knows its project by name only from here on.
  return { ...found, place, entries: found.entries.map((entry) => ({ ...entry, of: place.of })) };
};

/** Files that exist, or that records speak of. */
function placesIn(homeDir: string, rows: readonly MemoryEntry[]): readonly FilePlace[] {
  const dir = memoriesDir(homeDir);
  const known = new Map(rows.filter(({ scope }) => scope === "project").map(({ of }) => [projectKey(of), of]));
  const projects = listNames(join(dir, "projects")).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const boards = listNames(join(dir, "boards")).filter((name) => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name));
  return [
    { target: "memory", kind: "home", of: "" },
    { target: "user", kind: "home", of: "" },
    ...projects.map((name) => ({ target: "memory", kind: "project", of: known.get(name) ?? name }) as const),
    ...boards.map((of) => ({ target: "memory", kind: "board", of }) as const),
  ];
}

/** A project of which only the file is known is named by its directory. */
const pathIn = (homeDir: string, place: FilePlace): string =>
  place.kind === "project" && /^[0-9a-f]{16}$/.test(place.of)
    ? join(memoriesDir(homeDir), "projects", place.of, FILE_NAMES.memory)
    : memoryFilePath(homeDir, place);

function readFile(homeDir: string, place: FilePlace, rows: readonly MemoryEntry[]): MemoryFile | undefined {
  const path = pathIn(homeDir, place);
  const bytes = readRegularFileSync(path, FILE_MAX);
  if (bytes === undefined) {
    const kind = statPathSync(path)?.kind;
    if (kind === undefined && !pathExists(path)) return undefined;
    return { place, path, entries: [], damaged: { why: "it is no plain file of at most 1 MiB", bytes: undefined } };
  }
  const { entries: texts, why } = readEntries(bytes);
  const own = rows.filter((row) => pathIn(homeDir, placeOfScope(row.target, row.scope, row.of)) === path);
  const entries = texts.map((text) => own.find((row) => row.text === text) ?? editedEntry(place, path, text));
  return { place, path, entries, ...(why === undefined ? {} : { damaged: { why, bytes } }) };
}

/** An entry that was written into the file. Its id is made of what it says, so that it keeps it. */
function editedEntry({ target, kind, of }: FilePlace, path: string, text: string): MemoryEntry {
  return {
    id: `m_${sha256(`${path}\0${text}`).slice(0, 8)}`,
    target,
    scope: kind === "home" ? "user" : kind,
    of,
    text,
    source: { kind: "edited" },
    created_at: Math.round(changedAt(path)),
    used_at: null,
    expires_at: null,
    confidence: EDITED_CONFIDENCE,
    untrusted: false,
  };
}

/** What a change makes of a book. Files that it does not name stay as they are. */
export interface BookChange {
  /** Entries of files from now on. */
  readonly files?: readonly { readonly file: MemoryFile; readonly entries: readonly MemoryEntry[] }[];
  readonly pending?: readonly PendingMemory[];
  /** Entries with other records: used again, without an end. */
  readonly records?: readonly MemoryEntry[];
}

/**
 * Write a change so that a process that is killed in between leaves what was or what is to be: first the records of both, then the files, then
 * the records of what is. A record without its entry means nothing; an entry never stands without its record.
 */
export function writeBook(homeDir: string, book: Book, change: BookChange, now: EpochMs): void {
  const { files = [], pending = book.pending, records = [] } = change;
  const changed = new Map(records.map((entry) => [entry.id, entry]));
  const renewed = (entries: readonly MemoryEntry[]) => entries.map((entry) => changed.get(entry.id) ?? entry);
  const written = files.map(({ file, entries }) => ({
    file,
    entries: renewed(entries).filter((one) => !isOver(one, now)),
  }));
  const before = book.files.flatMap(({ entries }) => renewed(entries));
  const after = book.files.flatMap((file) =>
    files.some((one) => one.file.path === file.path) ? [] : renewed(file.entries),
  );
  const left = files.flatMap(({ file, entries }) => [...file.entries, ...entries]).filter((one) => isOver(one, now));
  const expired = unique([...left, ...book.expired]).slice(0, EXPIRED_KEPT);
  const kept = [...written.flatMap(({ entries }) => entries), ...after, ...expired];
  if (files.length > 0) {
    writeRecords(homeDir, { entries: both(kept, before), pending: book.pending });
    for (const { file, entries } of written) writeFile(file, entries);
  }
  writeRecords(homeDir, { entries: unique(kept), pending });
}

/** An entry whose text changes keeps its id: both records stand there while its file is written. */
const both = (after: readonly MemoryEntry[], before: readonly MemoryEntry[]): readonly MemoryEntry[] => [
  ...unique(after),
  ...before.filter((old) => !after.some((one) => one.id === old.id && one.text === old.text)),
];

const unique = (entries: readonly MemoryEntry[]): readonly MemoryEntry[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
];

function writeFile({ path }: MemoryFile, entries: readonly MemoryEntry[]): void {
  if (entries.length === 0) removeFileSync(path);
  else replaceTextFile(path, toFileText(entries.map(({ text }) => text)), 0o600);
}
