import { isAscii } from "node:buffer";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { type Kept, openCode, writeCode } from "./code-file.js";
import type { CodeKind } from "./thin-set.js";

/** Chunks carry a digest of their text in the name, so that an entry never fits another text. Entries of the build do not, and are left out. */
const CHUNK = /-[A-Z0-9]{8}\.cjs$/;

/** Parts of Node's loader that are not in the types. */
interface Loader {
  readonly prototype: { _compile(content: string, filename: string): unknown; require(id: string): unknown };
  readonly _cache: Record<string, NodeModule | undefined>;
  _nodeModulePaths(folder: string): string[];
}

const LOADER = Module as unknown as Loader; // the fields above have been there since the first versions

/** What is remembered together: processes of a kind run with the same flags, and need much the same. */
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

/** What a run remembers at its end. */
interface Made {
  /** Chunks that were compiled one by one. */
  readonly single: Map<string, { readonly text: string; readonly script: Script }>;
  pack: { readonly text: string; readonly script: Script } | undefined;
}

/**
 * Load chunks from one file that holds their texts and what the engine remembered of an earlier run: a short command spends half of its own
 * time on finding, reading and compiling seventy files, and the screen a third of its time until it can be typed into. Chunks of a pack are one text
 * for the engine, which takes half as long as one text each. The engine itself refuses what another set of flags wrote, the file what another runtime did.
 */
export function useCodeCache({ kind, folder, write }: CacheOf): void {
  const file = join(folder, fileOf(kind));
  const known = openCode(file);
  if (known.names.length === 0 && !write) return;
  const made: Made = { single: new Map(), pack: undefined };
  const plain = { compile: LOADER.prototype._compile, require: LOADER.prototype.require };
  const paths = LOADER._nodeModulePaths(folder);
  const beside =
    kind === "screen" ? (id: string, module: NodeModule): unknown => plain.require.call(module, id) : atFirstUse;
  const packed = unpack(known.read(PACK));

  function unpack(kept: Kept | undefined): Readonly<Record<string, Body | undefined>> {
    if (kept === undefined) return {};
    const script = scriptOf(kept, join(folder, PACK));
    if (write) made.pack = { text: kept.text, script };
    return script.runInThisContext();
  }

  /** The chunk as a function; undefined when it is not kept. */
  function bodyOf(name: string, filename: string): Body | undefined {
    const body = packed[name];
    if (body !== undefined) return body;
    const kept = known.read(name);
    return kept && compiled(name, filename, kept);
  }

  function compiled(name: string, filename: string, kept: Kept): Body {
    const script = scriptOf(kept, filename);
    if (write) made.single.set(name, { text: kept.text, script });
    return script.runInThisContext();
  }

  function run(body: Body, module: NodeModule): void {
    const load = Object.assign((id: string): unknown => chunk(id) ?? beside(id, module), {
      main: require.main,
      cache: require.cache,
    });
    body.call(module.exports, module.exports, load, module, module.filename, folder);
  }

  /** Exports of a kept chunk, in the same table as everything that Node itself loads. */
  function chunk(id: string): unknown {
    const name = id.startsWith("./") ? id.slice(2) : "";
    const filename = join(folder, name);
    const there = name === "" ? undefined : LOADER._cache[filename];
    if (there) return there.exports;
    const body = bodyOf(name, filename);
    if (body === undefined) return undefined;
    const module = Object.assign(new Module(filename), { filename, paths });
    LOADER._cache[filename] = module;
    try {
      run(body, module);
    } catch (error) {
      delete LOADER._cache[filename]; // whoever asks again gets the error, not half a module
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
  process.once("exit", () => remember(file, made, PACKED.has(kind)));
}

/** Kinds whose runs need much the same. */
const PACKED: ReadonlySet<CodeKind> = new Set(["board", "boards", "look", "turn"]);

const fileOf = (kind: CodeKind): string => (kind === "short" ? "code-cache.bin" : `code-cache-${kind}.bin`);

const scriptOf = ({ text, code }: Kept, filename: string): Script =>
  new Script(text, { filename, ...(code.length > 0 && { cachedData: code }) });

/** Modules of Node that cost a millisecond or more to load, and that many commands name but never call. */
const HEAVY = new Set(
  ["child_process", "crypto", "fs/promises", "http", "https", "net", "tls", "worker_threads", "zlib"].map(
    (name) => `node:${name}`,
  ),
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

/** Name of the entry that holds many chunks: one expression, an object of their functions by their names. */
const PACK = "pack";
const PACK_END = "\n})";

/**
 * What was there before stays, so that several kinds of runs add up.
 *
 * @param packs Chunks become one pack, but for those with more than ASCII, which would make a byte of all text two. What is new to it has to be run from
 *   it before there is anything to remember of it: that is for the next run.
 */
function remember(file: string, { single, pack }: Made, packs: boolean): void {
  const known = openCode(file);
  const all = new Map<string, Kept>();
  for (const name of known.names) {
    const kept = known.read(name);
    if (kept) all.set(name, { ...kept, code: Buffer.from(kept.code) });
  }
  let added = "";
  for (const [name, { script, text }] of single) {
    if (packs && isAscii(Buffer.from(text))) added += `,\n${JSON.stringify(name)}: ${text.replace(/;\s*$/, "")}`;
    else all.set(name, { code: script.createCachedData(), text });
  }
  if (added !== "")
    all.set(PACK, {
      text: `${pack?.text.slice(0, -PACK_END.length) ?? "({ __proto__: null"}${added}${PACK_END}`,
      code: EMPTY,
    });
  else if (pack) all.set(PACK, { text: pack.text, code: pack.script.createCachedData() });
  writeCode(file, all);
}
