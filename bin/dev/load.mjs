// Runs a development program written in TypeScript: bundles it into dist/.dev when one of its sources is newer, then imports it.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(dirname(here));

/** Newest change of anything that a development program may be made of. */
function newestSource() {
  const own = readdirSync(here).map((name) => join(here, name));
  return Math.max(...own.map((path) => statSync(path).mtimeMs));
}

export async function compile(name) {
  const outfile = join(root, "dist", ".dev", `${name}.mjs`);
  const built = statSync(outfile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built > newestSource()) return outfile;
  mkdirSync(dirname(outfile), { recursive: true });
  const { build } = await import("esbuild");
  const options = {
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    sourcemap: "inline",
    logLevel: "warning",
  };
  await build({ ...options, entryPoints: [join(here, `${name}.ts`)], outfile, absWorkingDir: root });
  return outfile;
}

export async function load(name) {
  process.chdir(root);
  const program = await import(pathToFileURL(await compile(name)).href);
  process.exitCode = await program.main(process.argv.slice(2));
}
