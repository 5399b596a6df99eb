import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MUTANTS, type Mutant } from "../../fixtures/mutants.js";
import { freshEnv, runProgram } from "./drive.js";
import { NO_MATCH } from "./entries.js";
import { SOURCE_FOLDERS } from "./sources.js";

const DEADLINE_MS = 120_000;
const COPY = resolve("dist/mutant");
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Sabotage a copy of the sources, one line at a time, and see that the tests fail. `mutants [only=<id>]`. Exit 1 when one survives. */
export async function main(args: readonly string[]): Promise<number> {
  const only = args.find((arg) => arg.startsWith("only="))?.slice("only=".length) ?? "";
  const chosen = MUTANTS.filter(({ id }) => only === "" || id === only);
  if (chosen.length === 0) throw new Error(`only=${only}: unknown mutant`);
  await copySources();
  let survived = 0;
  for (const mutant of chosen) {
    const caught = await isCaught(mutant);
    say(`${caught ? "caught  " : "SURVIVED"} ${mutant.id} ${mutant.file}: ${mutant.find}`);
    if (!caught) survived += 1;
  }
  await rm(COPY, { recursive: true });
  say(`${chosen.length - survived} of ${chosen.length} caught`);
  return survived === 0 ? 0 : 1;
}

async function copySources(): Promise<void> {
  await rm(COPY, { recursive: true, force: true });
  await mkdir(COPY, { recursive: true });
  for (const name of [...SOURCE_FOLDERS, "package.json", "tsconfig.json"])
    await cp(name, join(COPY, name), { recursive: true });
  await symlink(resolve("node_modules"), join(COPY, "node_modules"));
}

async function isCaught(mutant: Mutant): Promise<boolean> {
  const path = join(COPY, mutant.file);
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text.replace(mutant.find, () => mutant.replace),
  );
  try {
    const options = { env: { ...freshEnv(COPY), AGENT_TEST_SHORT: "1" }, cwd: COPY, deadlineMs: DEADLINE_MS };
    const built = await runProgram(process.execPath, ["bin/dev/build.mjs", `--tests=${mutant.tier}`], options);
    if (built.code !== 0) throw new Error(`${mutant.id} does not build: ${built.stdout}${built.stderr}`);
    const ran = await runProgram(
      process.execPath,
      ["bin/dev/test.mjs", mutant.tier, `only=${mutant.only ?? ""}`],
      options,
    );
    if (ran.code === NO_MATCH) throw new Error(`${mutant.id}: ${ran.stderr}`);
    return ran.code !== 0;
  } finally {
    await writeFile(path, text);
  }
}
