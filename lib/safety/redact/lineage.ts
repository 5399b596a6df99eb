import { createHmac, randomBytes } from "node:crypto";
import { assert } from "../../base/errors.js";
import type { SecretType } from "./shapes.js";

/** What is kept of a secret: enough to give it the same placeholder again, and nothing to get it back. */
export interface StoredSecret {
  /** Keyed hash of the value. */
  readonly hash: string;
  readonly type: SecretType;
  readonly n: number;
}

/** Text with the true values put back. */
export interface ResolvedText {
  readonly text: string;
  /** Some placeholder was replaced. */
  readonly used: boolean;
  /** First placeholder whose value is not known here. */
  readonly unknown?: string;
}

/** What a lineage keeps of its secrets. */
export interface StoredSecrets {
  /** Key of the hashes, the same for the whole life of the lineage. */
  readonly key: string;
  readonly secrets: readonly StoredSecret[];
}

/** Placeholders of one lineage (core part, 22.3). Values live in memory only. */
export interface Lineage {
  placeholder(value: string, type: SecretType): string;
  /** The text is a placeholder that this lineage gave out. */
  issued(text: string): boolean;
  resolve(text: string): ResolvedText;
  /** Continue from what an earlier process kept. Nothing happens when this was called before. @param stored undefined: nothing was stored */
  restore(stored: StoredSecrets | undefined): void;
  readonly restored: boolean;
  /** What is to be stored when something was met that is not saved; the caller stores it before any text that shows it. */
  unsaved(): StoredSecrets | undefined;
  /** That is durable now. */
  saved(stored: StoredSecrets): void;
}

const PLACEHOLDER = /«secret:([a-z_]{1,32}):(\d{1,9})»/g;

export function createLineage(): Lineage {
  let key = randomBytes(16).toString("hex");
  const byHash = new Map<string, StoredSecret>();
  const values = new Map<string, string>();
  const given = new Map<string, string>();
  const issuedMarks = new Set<string>();
  let next = 1;
  let restored = false;
  /** So many of them are stored. */
  let durable = 0;
  const keep = (one: StoredSecret): StoredSecret => {
    byHash.set(one.hash, one);
    issuedMarks.add(markOf(one));
    next = Math.max(next, one.n + 1);
    return one;
  };
  return {
    placeholder: (value, type) => {
      const known = given.get(value);
      if (known !== undefined) return known;
      const hash = createHmac("sha256", key).update(value).digest("hex");
      const mark = markOf(byHash.get(hash) ?? keep({ hash, type, n: next }));
      given.set(value, mark);
      values.set(mark, value);
      return mark;
    },
    issued: (text) => issuedMarks.has(text),
    resolve: (text) => resolve(text, values),
    restore: (stored) => {
      if (restored) return;
      assert(given.size === 0, "what was kept is restored before the first text is redacted");
      restored = true;
      if (stored === undefined) return;
      key = stored.key;
      for (const one of stored.secrets) keep(one);
      durable = byHash.size;
    },
    get restored() {
      return restored;
    },
    unsaved: () => (byHash.size === durable ? undefined : { key, secrets: [...byHash.values()] }),
    saved: (stored) => {
      durable = stored.secrets.length; // nothing is ever taken away
    },
  };
}

const markOf = (one: StoredSecret) => `«secret:${one.type}:${one.n}»`;

function resolve(text: string, values: ReadonlyMap<string, string>): ResolvedText {
  let used = false;
  let unknown: string | undefined;
  const resolved = text.replace(PLACEHOLDER, (mark) => {
    const value = values.get(mark);
    if (value === undefined) unknown ??= mark;
    used ||= value !== undefined;
    return value ?? mark;
  });
  return { text: resolved, used, ...(unknown === undefined ? {} : { unknown }) };
}

/** Every placeholder in a text, with its place. */
export function placeholders(
  text: string,
): readonly { readonly from: number; readonly to: number; readonly text: string }[] {
  if (!text.includes("«secret:")) return [];
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    text: match[0],
  }));
}
