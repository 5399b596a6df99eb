import { createHmac } from "node:crypto";
import type { SecretType } from "./shapes.js";

/** What is kept of a secret: enough to give it the same placeholder again, and nothing to get it back. */
export interface StoredSecret {
  /** Keyed hash of the value. */
  readonly hash: string;
  readonly type: SecretType;
  readonly n: number;
}

/** Text with the true values put back. */
export interface Resolved {
  readonly text: string;
  /** Some placeholder was replaced. */
  readonly used: boolean;
  /** First placeholder whose value is not known here. */
  readonly unknown?: string;
}

/** Placeholders of one lineage (core part, 22.3). Values live in memory only. */
export interface Lineage {
  placeholder(value: string, type: SecretType): string;
  /** The text is a placeholder that this lineage gave out. */
  issued(text: string): boolean;
  resolve(text: string): Resolved;
}

export interface LineageOptions {
  /** Key of the hashes, the same for the whole life of the lineage. */
  readonly key?: string;
  readonly stored?: readonly StoredSecret[];
  /** A value was met for the first time; store what is handed over. */
  readonly onNew?: (secret: StoredSecret) => void;
}

const PLACEHOLDER = /«secret:([a-z_]{1,32}):(\d{1,9})»/g;

export function createLineage(options: LineageOptions = {}): Lineage {
  const byHash = new Map((options.stored ?? []).map((one) => [one.hash, one]));
  const values = new Map<string, string>();
  const given = new Map<string, string>();
  let next = Math.max(0, ...[...byHash.values()].map((one) => one.n)) + 1;
  const markOf = (one: StoredSecret) => `«secret:${one.type}:${one.n}»`;
  const issuedMarks = new Set([...byHash.values()].map(markOf));
  return {
    placeholder: (value, type) => {
      const known = given.get(value);
      if (known !== undefined) return known;
      const hash = createHmac("sha256", options.key ?? "lineage")
        .update(value)
        .digest("hex");
      const before = byHash.get(hash);
      const one = before ?? { hash, type, n: next };
      if (before === undefined) {
        next += 1;
        byHash.set(hash, one);
        options.onNew?.(one);
      }
      const mark = markOf(one);
      issuedMarks.add(mark);
      given.set(value, mark);
      values.set(mark, value);
      return mark;
    },
    issued: (text) => issuedMarks.has(text),
    resolve: (text) => {
      let used = false;
      let unknown: string | undefined;
      const resolved = text.replace(PLACEHOLDER, (mark) => {
        const value = values.get(mark);
        if (value === undefined) unknown ??= mark;
        used ||= value !== undefined;
        return value ?? mark;
      });
      return { text: resolved, used, ...(unknown === undefined ? {} : { unknown }) };
    },
  };
}

/** Every placeholder in a text, with its place. */
export function placeholders(text: string): readonly { readonly from: number; readonly to: number; readonly text: string }[] {
  if (!text.includes("«secret:")) return [];
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({ from: match.index, to: match.index + match[0].length, text: match[0] }));
}
