import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { type Kept, openCode, writeCode } from "./code-file.js";

/** Chunks carry a digest of their text in the name, so that an entry never fits another text. Entries of the build do not, and are left out. */
const CHUNK = /-[A-Z0-9]{8}\.cjs$/;

/** Parts of Node's loader that are not in the types. */
interface Loader {
  readonly prototype: { _compile(content: string, filename: string): unknown; require(id: string): unknown };
  readonly _cache: Record<string, NodeModule | undefined>;
  _nodeModulePaths(folder: string): string[];
}

const LOADER = Module as unknown as Loader; // the fields above have been there since the first versions

/** Processes that need much the same of the program are remembered together: one cache for all of them made a list take 63 % longer. */
export type CodeKind = "board" | "boards" | "look" | "turn" | "short" | "screen";

/** Name of the file, beside the chunks, that holds what processes of a kind remember. */
export const codeCacheOf = (kind: CodeKind): string => (kind === "short" ? "code-cache.bin" : `code-cache-${kind}.bin`);

/** What is remembered. */
export interface CacheOf {
  readonly kind: CodeKind;
  /** Where the chunks are. */
  readonly folder: string;
  /** Remember this run for later ones, at its end. */
  readonly write: boolean;
}

/** What a chunk is run as. */
type Body = (
  this: unknown,
  exports: unknown,
  load: unknown,
  module: NodeModule,
  filename: string,
  folder: string,
) => void;

/** Chunks that ran, by name. */
type Made = Map<string, { readonly text: string; readonly script: Script }>;

/**
 * Load chunks from one file that holds their texts and what the engine remembered of an earlier run.
 * Without it commands take 35 to 55 % longer where no owner runs (make bench only=plain, on a busy machine).
 * The engine itself refuses what another set of flags wrote, the file what another runtime did.
 */
export function useCodeCache({ kind, folder, write }: CacheOf): void {
  const file = join(folder, codeCacheOf(kind));
  const known = openCode(file);
  if (known.names.length === 0 && !write) return;
  const made: Made = new Map();
  const plain = { compile: LOADER.prototype._compile, require: LOADER.prototype.require };
  const paths = LOADER._nodeModulePaths(folder);

  function compiled(name: string, filename: string, { text, code }: Kept): Body {
    const script = new Script(text, { filename, ...(code.length > 0 && { cachedData: code }) });
    if (write) made.set(name, { text, script });
    return script.runInThisContext();
  }

  function run(body: Body, module: NodeModule): void {
    const load = Object.assign((id: string): unknown => chunk(id) ?? plain.require.call(module, id), {
      main: require.main,
      cache: require.cache,
    });
    body.call(module.exports, module.exports, load, module, module.filename, folder);
  }

  /** Exports of a kept chunk, in the same table as everything that Node itself loads; undefined when it is not kept. */
  function chunk(id: string): unknown {
    const name = id.startsWith("./") ? id.slice(2) : "";
    const filename = join(folder, name);
    const there = name === "" ? undefined : LOADER._cache[filename];
    if (there) return there.exports;
    const kept = known.read(name);
    if (kept === undefined) return undefined;
    const body = compiled(name, filename, kept);
    const module = Object.assign(new Module(filename), { filename, paths });
    LOADER._cache[filename] = module;
    try {
      run(body, module);
    } catch (error) {
      delete LOADER._cache[filename]; // the next caller gets the error, not half a module
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  // Entries of the build are loaded by Node itself, and ask it for their chunks.
  LOADER.prototype.require = function (this: NodeModule, id) {
    return (this.path === folder ? chunk(id) : undefined) ?? plain.require.call(this, id);
  };
  if (!write) return;
  LOADER.prototype._compile = function (this: NodeModule, content, filename) {
    const name = basename(filename);
    if (dirname(filename) !== folder || !CHUNK.test(name)) return plain.compile.call(this, content, filename);
    return run(compiled(name, filename, { text: Module.wrap(content), code: EMPTY }), this);
  };
  process.once("exit", () => remember(file, made));
}

const EMPTY = Buffer.alloc(0);

/** What was there before stays, so that several kinds of runs add up. */
function remember(file: string, made: Made): void {
  const known = openCode(file);
  const all = new Map<string, Kept>();
  for (const name of known.names) {
    const kept = known.read(name);
    if (kept) all.set(name, { ...kept, code: Buffer.from(kept.code) });
  }
  for (const [name, { script, text }] of made) all.set(name, { code: script.createCachedData(), text });
  writeCode(file, all);
}
