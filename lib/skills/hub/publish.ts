import { dirname, join } from "node:path";
import { AppError } from "../../base/errors.js";
import { pathExists } from "../../base/fs/directory.js";
import { makeDirectory, readRegularFileSync, realPath, statPath, writeAtomic } from "../../base/fs/files.js";
import { removeTree } from "../../base/fs/tree.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import { jsonOf } from "../../base/json/record.js";
import type { SkillFile } from "../../contracts/skills/guard.js";
import { readSkillText } from "../catalog/front-matter.js";
import { scanSkill } from "../guard/scan.js";
import { readIndex } from "./index-file.js";

interface Publication {
  readonly name: string;
  /** A directory, or a checkout of git. */
  readonly to: string;
  readonly force: boolean;
}

const INDEX_MAX = 2 << 20;

/**
 * Write a skill to `<to>/skills/<name>`, and its entry to `<to>/skills/index.json`: a repository that others can tap, and the well-known form
 * of a site. Nothing is sent anywhere.
 *
 * @throws E_INVALID `to` is not a directory; E_FORBIDDEN the scanner finds a secret or calls it dangerous; E_CONFLICT it is there
 */
export async function publishSkill(files: readonly SkillFile[], { name, to, force }: Publication) {
  if ((await statPath(to))?.kind !== "directory")
    throw new AppError("E_INVALID", `${to} is not a directory of this machine`, {
      hint: "clone the repository, publish into the checkout, look at it, commit and push it",
    });
  const { verdict, findings } = scanSkill(files);
  const secret = findings.find(({ rule }) => rule === "embedded-secret");
  const worst = secret ?? (verdict === "dangerous" ? findings[0] : undefined);
  if (worst !== undefined && !force)
    throw new AppError("E_FORBIDDEN", `${name} was not published: ${worst.file}:${worst.line} ${worst.text}`, {
      hint: "remove it, or --force publishes it anyway",
    });
  const root = (await realPath(to)) ?? to;
  const dir = join(root, "skills", name);
  for (const path of [join(root, "skills"), dir]) {
    const facts = inspectPath(path);
    if (facts !== undefined && (facts === "unreadable" || facts.kind !== "directory"))
      throw new AppError("E_INVALID", `${path} is a link or not a directory`);
  }
  if (pathExists(dir) && !force)
    throw new AppError("E_CONFLICT", `${dir} exists already`, { hint: "--force replaces it" });
  await removeTree(dir);
  for (const { path, bytes } of files) {
    await makeDirectory(dirname(join(dir, path)));
    await writeAtomic(join(dir, path), bytes, 0o644);
  }
  await writeIndex(join(root, "skills", "index.json"), name, files);
  return { dir, files: files.length, git: pathExists(join(root, ".git")) };
}

async function writeIndex(path: string, name: string, files: readonly SkillFile[]): Promise<void> {
  const text = readRegularFileSync(path, INDEX_MAX)?.toString("utf8");
  const known = text === undefined ? [] : readIndex(jsonOf(text), path);
  const main = files.find((file) => file.path === "SKILL.md");
  const read = readSkillText(Buffer.from(main?.bytes ?? []).toString("utf8"), name);
  const facts = typeof read === "string" ? { description: "", version: "" } : read.facts;
  const entry = {
    name,
    description: facts.description,
    ...(facts.version === "" ? {} : { version: facts.version }),
    files: files.map((file) => file.path),
  };
  const others = known
    .filter((one) => one.name !== name)
    .map(({ points, ...one }) => ({ ...one, ...(points === undefined ? {} : { url: points }) }));
  const skills = [...others, entry].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await writeAtomic(path, `${JSON.stringify({ skills }, null, 2)}\n`, 0o644);
}
