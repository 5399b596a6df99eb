import { readTextSync, replaceTextFile } from "../base/fs/text-file.js";

const MAX_BYTES = 1 << 20; // part 70, 9.2
const MAX_ALIASES = 100;
const MAX_DEPTH = 50;

export type Settings = Readonly<Record<string, unknown>>;
export type ReadResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly message: string; readonly text: string };

/** Read and parse config.yaml. A missing or empty file means no settings. YAML 1.2, no custom tags, bounded. */
export async function readSettingsFile(path: string): Promise<ReadResult> {
  const text = readTextSync(path);
  if (text === undefined) return { ok: true, settings: {} };
  if (text.length > MAX_BYTES) return { ok: false, text, message: `${path}: exceeds ${MAX_BYTES} bytes` };
  if (text.trim() === "") return { ok: true, settings: {} };
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { uniqueKeys: true, customTags: [], prettyErrors: true });
  const problem = document.errors[0] ?? document.warnings.find((warning) => warning.code === "TAG_RESOLVE_FAILED");
  if (problem) return { ok: false, text, message: `${path}: ${problem.message.split("\n")[0] ?? "invalid YAML"}` };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (value === null) return { ok: true, settings: {} };
    if (typeof value !== "object" || Array.isArray(value))
      return { ok: false, text, message: `${path}: must be a map of settings` };
    if (depth(value) > MAX_DEPTH) return { ok: false, text, message: `${path}: more than ${MAX_DEPTH} levels deep` };
    return { ok: true, settings: value as Settings }; // it is an object and no array
  } catch (error) {
    return { ok: false, text, message: `${path}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function depth(value: unknown, level = 0): number {
  if (typeof value !== "object" || value === null || level > MAX_DEPTH) return level;
  return Math.max(level, ...Object.values(value).map((inner) => depth(inner, level + 1)));
}

/** Keep a copy of a broken file beside it, once per content, so that nothing the user wrote can be lost by what follows. */
export async function keepCorrupt(path: string, text: string, stamp: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const copy = `${path}.corrupt.${stamp}.${digest}.bak`;
  if (readTextSync(copy) === undefined) replaceTextFile(copy, text);
  return copy;
}

/** `NAME=value` lines of an `.env` file: comments, `export`, single and double quotes. */
export function readEnvFile(path: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of (readTextSync(path) ?? "").split(/\r?\n/)) {
    const hit = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/s.exec(line);
    if (hit?.[1] !== undefined && hit[2] !== undefined) found[hit[1]] = unquote(hit[2]);
  }
  return found;
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(value);
  const inner = quoted?.[2] ?? "";
  if (quoted)
    return quoted[1] === '"'
      ? inner.replace(/\\(["\\n])/g, (_all, sign: string) => (sign === "n" ? "\n" : sign))
      : inner;
  return value.replace(/\s+#.*$/, "");
}

/** Value under a dotted path; list indexes are numbers. */
export function readDottedPath(settings: unknown, path: string): unknown {
  let at: unknown = settings;
  for (const word of path.split(".")) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[word]; // an object, so it can be indexed
  }
  return at;
}

/** Every dotted path with a value other than a map. */
export function leaves(settings: unknown, prefix = ""): [string, unknown][] {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) return [[prefix, settings]];
  return Object.entries(settings).flatMap(([name, value]) => leaves(value, prefix === "" ? name : `${prefix}.${name}`));
}

/** `${VAR}` in texts; an unset variable stays as it is written. */
export function expandVariables(value: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === "string")
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (all, name: string) => env[name] ?? all);
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, env));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expandVariables(inner, env)]));
}
