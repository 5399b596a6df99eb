import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** Chunks carry a digest of their text in the name, so that an entry never fits another text. Entries of the build do not, and are left out. */
const CHUNK = /-[A-Z0-9]{8}\.cjs$/;

interface Place {
  readonly name: string;
  readonly from: number;
  /** Of the code, which the text follows. */
  readonly code: number;
  readonly text: number;
}

interface Kept {
  readonly code: Buffer;
  readonly text: Buffer;
}

interface Source {
  readonly filename: string;
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

/**
 * Load chunks from one file that holds their texts and what the engine remembered of an earlier run: a short command spends half of its own
 * time on finding, reading and compiling seventy files. The engine itself refuses what another version or another set of flags wrote.
 *
 * @param folder Where the chunks are. @param write Remember this run for later ones, at its end.
 */
export function useCodeCache(folder: string, write: boolean): void {
  const known = readCache(folder);
  if (known.size === 0 && !write) return;
  const made = new Map<string, Kept & { readonly script: Script }>();
  const plain = LOADER.prototype._compile;
  const paths = LOADER._nodeModulePaths(folder);

  function compile(module: NodeModule, { filename, text, code }: Source): void {
    const script = new Script(Module.wrap(text), { filename, ...(code && { cachedData: code }) });
    if (write) made.set(basename(filename), { script, code: EMPTY, text: Buffer.from(text) });
    const load = Object.assign((id: string): unknown => chunk(id) ?? atFirstUse(id, module), { main: require.main, cache: require.cache });
    script.runInThisContext().call(module.exports, module.exports, load, module, filename, folder);
  }

  /** Exports of a kept chunk, in the same table as everything that Node itself loads. */
  function chunk(id: string): unknown {
    const name = id.startsWith("./") ? id.slice(2) : "";
    const kept = known.get(name);
    if (kept === undefined) return undefined;
    const filename = join(folder, name);
    const there = LOADER._cache[filename];
    if (there) return there.exports;
    const module = Object.assign(new Module(filename), { filename, paths });
    LOADER._cache[filename] = module;
    try {
      compile(module, { filename, text: kept.text.toString("utf8"), code: kept.code });
    } catch (error) {
      delete LOADER._cache[filename]; // whoever asks again gets the error, not half a module
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  LOADER.prototype._compile = function (this: NodeModule, content, filename) {
    const name = basename(filename);
    const kept = known.get(name);
    if (dirname(filename) !== folder || !CHUNK.test(name) || (kept === undefined && !write)) return plain.call(this, content, filename);
    return compile(this, { filename, text: content, code: kept?.code });
  };
  if (write) process.once("exit", () => writeCache(folder, known, made));
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
const cacheFile = (folder: string) => join(folder, "code-cache.bin");

/** One line of places, then the data of all of them: one file, so that the two never come from different writers. */
function readCache(folder: string): ReadonlyMap<string, Kept> {
  if (!existsSync(cacheFile(folder))) return new Map();
  const whole = readFileSync(cacheFile(folder));
  const end = whole.indexOf("\n") + 1;
  const places: readonly Place[] = JSON.parse(whole.toString("utf8", 0, end));
  return new Map(places.map(({ name, from, code, text }) => [name, keptAt(whole, end + from, code, text)]));
}

const keptAt = (whole: Buffer, from: number, code: number, text: number): Kept => ({
  code: whole.subarray(from, from + code),
  text: whole.subarray(from + code, from + code + text),
});

/** What was there before stays, so that several kinds of runs add up. */
function writeCache(folder: string, known: ReadonlyMap<string, Kept>, made: ReadonlyMap<string, Kept & { readonly script: Script }>): void {
  const all = new Map(known);
  for (const [name, { script, text }] of made) all.set(name, { code: script.createCachedData(), text });
  let from = 0;
  const places = [...all].map(([name, { code, text }]): Place => {
    const place = { name, from, code: code.length, text: text.length };
    from += code.length + text.length;
    return place;
  });
  const temporary = `${cacheFile(folder)}.new`;
  const data = [...all.values()].flatMap(({ code, text }) => [code, text]);
  writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(places)}\n`), ...data]));
  renameSync(temporary, cacheFile(folder));
}
