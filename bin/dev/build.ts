import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { assetSources, copyAssets, copyForTests, licences } from "./assets.js";
import { type Bundle, type Bundled, bundle, findBroken, replaceFile } from "./bundle.js";
import { CODE_FILES, hasCodeCache, warmCodeCache } from "./code-cache.js";
import {
  groupSource,
  isTier,
  productEntries,
  programEntries,
  type TestGroup,
  type Tier,
  testGroups,
} from "./entries.js";
import { buildPage } from "./page.js";
import { changedAt, isFresh, readStamp, writeStamp } from "./stamp.js";

const FAULTS = "dist/faults";

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Build the product, and with `--tests=<tier>` the test groups of that tier.
 * `--warm` lets the program remember its compiled code, which takes two seconds and makes short commands and the start of the
 * screen a fifth faster.
 * `--faults` builds into dist/faults a product that keeps its fault points; the tiers that kill processes build it as well.
 */
export async function main(args: readonly string[]): Promise<number> {
  const tier = args.find((arg) => arg.startsWith("--tests="))?.slice("--tests=".length);
  if (tier !== undefined && !isTier(tier)) throw new Error(`--tests=${tier}: no such tier`);
  const version: string = JSON.parse(await readFile("package.json", "utf8")).version;
  const products = new Map([["dist", await buildProduct("dist", version, false)]]);
  if (args.includes("--faults") || tier === "e2e" || tier === "soak")
    products.set(FAULTS, await buildProduct(FAULTS, version, true));
  if (tier !== undefined) await buildTests(tier, version);
  for (const [folder, whole] of products)
    if (args.includes("--warm") && whole && !hasCodeCache(folder)) await warmCodeCache(folder);
  return [...products.values()].every(Boolean) ? 0 : 1;
}

/** `false` when an entry could not be bundled; the others are there then. */
async function buildProduct(outdir: string, version: string, faults: boolean): Promise<boolean> {
  const notes: string[] = [];
  const entries = { ...productEntries((line) => notes.push(line)), ...(faults ? {} : programEntries()) };
  const assets = assetSources();
  const key = JSON.stringify([version, entries, assets, faults]);
  return once(outdir, key, async () => {
    for (const line of notes) say(line);
    for (const name of CODE_FILES) await rm(join(outdir, name), { force: true });
    const made = await bundleWhatWorks({ entries, outdir, version, faults });
    const page = await buildPage(outdir);
    const copied = [...(await copyAssets(outdir)), ...page.outputs];
    await replaceFile(join(outdir, "LICENSES.txt"), await licences(made.meta, page.inputs));
    return {
      inputs: [...made.inputs, ...assets, ...page.inputs],
      outputs: [...made.outputs, ...copied, join(outdir, "LICENSES.txt")],
      whole: made.whole,
    };
  });
}

/** When an entry is broken the others are still built: a test or a person may need only them. */
async function bundleWhatWorks(job: Bundle): Promise<Bundled & { whole: boolean }> {
  try {
    return { ...(await bundle(job)), whole: true };
  } catch (error) {
    const broken = await findBroken(Object.values(job.entries), job.version);
    if (broken.size === 0) throw error;
    for (const [source, reason] of broken) say(`left out ${source}: ${reason}`);
    const entries = Object.fromEntries(Object.entries(job.entries).filter(([, source]) => !broken.has(source)));
    return { ...(await bundle({ ...job, entries })), whole: false };
  }
}

async function buildTests(tier: Tier, version: string): Promise<void> {
  const outdir = join("dist/test", tier);
  const groups = testGroups(tier);
  await once(outdir, JSON.stringify([version, [...groups]]), async () => {
    const built = await bundleGroups(tier, groups, { outdir, version, faults: tier !== "fast" });
    return { inputs: built.inputs, outputs: [...built.outputs, ...(await copyForTests(outdir))], whole: built.whole };
  });
  const written: readonly TestGroup[] = [...groups].map(([name, sources]) => ({
    file: join(outdir, `${name}.cjs`),
    sources,
  }));
  await replaceFile(join(outdir, "groups.json"), JSON.stringify(written));
}

/** A file that cannot be bundled becomes a failing test of its name. */
async function bundleGroups(tier: Tier, groups: ReadonlyMap<string, readonly string[]>, job: Omit<Bundle, "entries">) {
  const source = (name: string) => join("dist/gen", tier, `${name}.ts`);
  const entries = Object.fromEntries([...groups.keys()].map((name) => [name, `made:${source(name)}`]));
  const made = (broken: ReadonlyMap<string, string>) =>
    new Map([...groups].map(([name, files]) => [source(name), groupSource(tier, files, broken)]));
  try {
    return { ...(await bundle({ ...job, entries, made: made(new Map()) })), whole: true };
  } catch (error) {
    const broken = await findBroken([...groups.values()].flat(), job.version);
    if (broken.size === 0) throw error;
    return { ...(await bundle({ ...job, entries, made: made(broken) })), whole: false };
  }
}

interface Made {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Nothing had to be left out. What is not whole is made again the next time. */
  readonly whole: boolean;
}

/** Run `make` unless nothing has changed since it ran last. Returns whether everything is there. */
async function once(outdir: string, key: string, make: () => Promise<Made>): Promise<boolean> {
  const path = join(outdir, ".stamp.json");
  const before = await readStamp(path);
  if (isFresh(before, key)) return true;
  const started = performance.now();
  const { inputs, outputs, whole } = await make();
  const times = Object.fromEntries(inputs.map((input) => [input, changedAt(input)]));
  await writeStamp(path, before, { key: whole ? key : "", inputs: times, outputs });
  say(`built ${outdir} in ${Math.round(performance.now() - started)} ms`);
  return whole;
}
