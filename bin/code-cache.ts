import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** Chunks carry a digest of their text in the name, so that an entry never fits another text. Entries of the build do not, and are left out. */
const CHUNK = /-[A-Z0-9]{8}\.cjs$/;

interface Place {
  readonly name: string;
  readonly from: number;
  readonly bytes: number;
}

interface Loader {
  _compile(content: string, filename: string): unknown;
}

/**
 * Compile chunks with what the engine remembered of an earlier run: a short command spends a fifth of its time on compiling. The engine
 * itself refuses what another version or another set of flags wrote.
 *
 * @param folder Where the chunks are. @param write Remember this run for later ones, at its end.
 */
export function useCodeCache(folder: string, write: boolean): void {
  const known = readCache(folder);
  const scripts = new Map<string, Script>();
  const loader = Module.prototype as unknown as Loader; // the one method through which every CommonJS file is compiled; not in the types
  const compile = loader._compile;
  if (known.size === 0 && !write) return;
  loader._compile = function (this: NodeModule, content, filename) {
    const name = basename(filename);
    const cachedData = known.get(name);
    if (dirname(filename) !== folder || !CHUNK.test(name) || (cachedData === undefined && !write))
      return compile.call(this, content, filename);
    const script = new Script(Module.wrap(content), { filename, ...(cachedData && { cachedData }) });
    scripts.set(name, script);
    const load = Object.assign((id: string): unknown => this.require(id), { main: require.main, cache: require.cache });
    return script.runInThisContext().call(this.exports, this.exports, load, this, filename, folder);
  };
  if (write) process.once("exit", () => writeCache(folder, known, scripts));
}

const cacheFile = (folder: string) => join(folder, "code-cache.bin");

/** One line of places, then the data of all of them: one file, so that the two never come from different writers. */
function readCache(folder: string): ReadonlyMap<string, Buffer> {
  if (!existsSync(cacheFile(folder))) return new Map();
  const whole = readFileSync(cacheFile(folder));
  const end = whole.indexOf("\n");
  const places: readonly Place[] = JSON.parse(whole.toString("utf8", 0, end));
  return new Map(places.map(({ name, from, bytes }) => [name, whole.subarray(end + 1 + from, end + 1 + from + bytes)]));
}

/** What was there before stays, so that several kinds of runs add up. */
function writeCache(folder: string, known: ReadonlyMap<string, Buffer>, scripts: ReadonlyMap<string, Script>): void {
  const made = new Map([...known, ...[...scripts].map(([name, script]): [string, Buffer] => [name, script.createCachedData()])]);
  let from = 0;
  const places = [...made].map(([name, data]): Place => {
    const place = { name, from, bytes: data.length };
    from += data.length;
    return place;
  });
  const temporary = `${cacheFile(folder)}.new`;
  writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(places)}\n`), ...made.values()]));
  renameSync(temporary, cacheFile(folder));
}
