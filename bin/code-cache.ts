import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { type Kept, openCode, writeCode } from "./code-file.js";

/** Chunks carry a digest of their text in the name, so that an entry never fits another text. Entries of the build do not, and are left out. */
const CHUNK = /-[A-Z0-9]{8}\.cjs$/;

interface Source {
  readonly filename: string;
  /** Within the function that it is run as. */
  readonly text: string;
  readonly code: Buffer | undefined;
}

/** Parts of Node's loader that are not in the types. */
interface Loader {
  readonly prototype: { _compile(content: string, filename: string): unknown };
  readonly _cache: Record<string, NodeModule | undefined>;
  _nodeModulePaths(folder: string): string[];
}

const LOADER = Module as unknown as Loader; // the fields above have been there since the first versions

/** What is remembered together: processes of a kind run with the same flags, and need much the same. */
export interface CacheOf {
  readonly kind: "short" | "screen";
  /** Where the chunks are. */
  readonly folder: string;
  /** Remember this run for later ones, at its end. */
  readonly write: boolean;
}

/**
 * Load chunks from one file that holds their texts and what the engine remembered of an earlier run: a short command spends half of its own
 * time on finding, reading and compiling seventy files, and the screen a third of its time until it can be typed into. The engine itself refuses what
 * another version or another set of flags wrote.
 */
export function useCodeCache({ kind, folder, write }: CacheOf): void {
  const file = join(folder, kind === "short" ? "code-cache.bin" : `code-cache-${kind}.bin`);
  const known = openCode(file);
  if (known.names.length === 0 && !write) return;
  const made = new Map<string, Kept & { readonly script: Script }>();
  const plain = LOADER.prototype._compile;
  const paths = LOADER._nodeModulePaths(folder);
  const beside = kind === "screen" ? (id: string, module: NodeModule): unknown => module.require(id) : atFirstUse;

  function compile(module: NodeModule, { filename, text, code }: Source): void {
    const script = new Script(text, { filename, ...(code && { cachedData: code }) });
    if (write) made.set(basename(filename), { script, code: EMPTY, text });
    const load = Object.assign((id: string): unknown => chunk(id) ?? beside(id, module), { main: require.main, cache: require.cache });
    script.runInThisContext().call(module.exports, module.exports, load, module, filename, folder);
  }

  /** Exports of a kept chunk, in the same table as everything that Node itself loads. */
  function chunk(id: string): unknown {
    const name = id.startsWith("./") ? id.slice(2) : "";
    const filename = join(folder, name);
    const there = name === "" ? undefined : LOADER._cache[filename];
    if (there) return there.exports;
    const kept = known.read(name);
    if (kept === undefined) return undefined;
    const module = Object.assign(new Module(filename), { filename, paths });
    LOADER._cache[filename] = module;
    try {
      compile(module, { filename, ...kept });
    } catch (error) {
      delete LOADER._cache[filename]; // whoever asks again gets the error, not half a module
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  LOADER.prototype._compile = function (this: NodeModule, content, filename) {
    const name = basename(filename);
    const isChunk = dirname(filename) === folder && CHUNK.test(name);
    const kept = isChunk ? known.read(name) : undefined;
    if (kept === undefined && !(write && isChunk)) return plain.call(this, content, filename);
    return compile(this, { filename, text: Module.wrap(content), code: kept?.code });
  };
  if (write) process.once("exit", () => remember(file, made));
}

/** Modules of Node that cost a millisecond or more to load, and that many commands name but never call. */
const HEAVY = new Set(
  ["child_process", "crypto", "fs/promises", "http", "https", "net", "tls", "worker_threads", "zlib"].map((name) => `node:${name}`),
);

/** Names imported from a heavy module are looked up when they are used, which is what an import means; then the module is loaded. */
function atFirstUse(id: string, module: NodeModule): unknown {
  if (!HEAVY.has(id)) return module.require(id);
  let loaded: object | undefined;
  const load = () => {
    loaded ??= module.require(id) as object; // what Node's own modules are
    return loaded;
  };
  return new Proxy(
    {},
    {
      get: (_, name): unknown => Reflect.get(load(), name),
      has: (_, name) => Reflect.has(load(), name),
      ownKeys: () => Reflect.ownKeys(load()),
      getOwnPropertyDescriptor: (_, name) => {
        const found = Reflect.getOwnPropertyDescriptor(load(), name);
        return found && { ...found, configurable: true }; // a proxy may not say otherwise of what its target lacks
      },
    },
  );
}

const EMPTY = Buffer.alloc(0);

/** What was there before stays, so that several kinds of runs add up. */
function remember(file: string, made: ReadonlyMap<string, Kept & { readonly script: Script }>): void {
  const known = openCode(file);
  const all = new Map<string, Kept>();
  for (const name of known.names) {
    const kept = known.read(name);
    if (kept) all.set(name, { ...kept, code: Buffer.from(kept.code) });
  }
  for (const [name, { script, text }] of made) all.set(name, { code: script.createCachedData(), text });
  writeCode(file, all);
}
