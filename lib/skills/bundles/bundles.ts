import { join, resolve } from "node:path";
import { AppError } from "../../base/errors.js";
import { listDirectorySync, readRegularFileSync, removeFile, statPathSync } from "../../base/fs/files.js";
import { readFileChange, replaceTextFile } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import { expandTilde } from "../../base/tilde.js";
import type { Bundle, BundleList, BundlesApi, NewBundle } from "../../contracts/skills/bundles.js";
import { findSkills, requireSkills } from "../../contracts/skills/find-skills.js";
import type { SkillProblem, SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillTexts } from "../../contracts/skills/texts.js";
import { similarity } from "../../tools/core/repair.js";
import { BUNDLE_FILE_MAX, readBundle, renderBundle, slugOf } from "./bundle-file.js";
import { bundleMessage, missingLine } from "./bundle-message.js";

export interface BundlesDeps {
  /** Directory of the files. */
  readonly dir: string;
  readonly skills: Pick<SkillsApi, "find">;
  readonly texts: () => Promise<Pick<SkillTexts, "block">>;
}

const BUNDLES_MAX = 500;
const TOO_LARGE = `it is larger than ${BUNDLE_FILE_MAX >> 10} KiB`;
const CLOSEST = 20;
const FILE = /^(?!\.)(.+)\.ya?ml$/;

type Read = ReturnType<typeof readBundle>;

/** @see BundlesApi */
export function createBundles(deps: BundlesDeps): BundlesApi {
  const { dir } = deps;
  const read = new Map<string, { readonly stamp: string; readonly read: Read }>();
  const list = () => listBundles(dir, read);
  const find = (name: string) => findBundle(list(), name);
  const load: BundlesApi["load"] = async (bundle, place) => {
    const { skills, missing } = await findSkills(deps.skills, bundle.skills, place);
    return { bundle, skills, missing };
  };
  return {
    dir,
    list,
    find,
    load,
    create: async (wanted, place, force) => {
      const text = renderBundle(wanted);
      const slug = refuseUnusable(wanted, text);
      const path = join(dir, `${slug}.yaml`);
      await requireSkills(deps.skills, wanted.skills, { place, given: "the bundle" });
      const there = list().bundles.find((one) => one.slug === slug)?.file ?? path;
      if (!force && readFileChange(there) !== undefined)
        throw new AppError("E_CONFLICT", `the bundle ${slug} already exists: ${there}`, {
          hint: "--force replaces it",
        });
      replaceTextFile(there, text, 0o600);
      return find(slug);
    },
    remove: async (name) => {
      const bundle = find(name);
      await removeFile(bundle.file);
      return bundle;
    },
    message: async (name, said, reading) => {
      const { bundle, skills, missing } = await load(find(name), reading.place);
      if (skills.length === 0)
        throw new AppError(
          "E_NOT_FOUND",
          `no skill of the bundle ${bundle.name} can be loaded. ${missingLine(missing)}`,
          {
            hint: `agent skills list lists the skills; correct ${bundle.file}`,
          },
        );
      const { block } = await deps.texts();
      const loaded: { name: string; text: string }[] = [];
      for (const skill of skills) loaded.push({ name: skill.name, text: await block(skill, reading) });
      return bundleMessage({ bundle, loaded, missing, said });
    },
  };
}

/** Directory of the bundles of a home: `skill-bundles` in it, unless `AGENT_BUNDLES_DIR` names another one. */
export function bundlesDir(home: Pick<Home, "dir">, env: Readonly<Record<string, string | undefined>>): string {
  const given = env["AGENT_BUNDLES_DIR"] ?? "";
  return given === ""
    ? join(home.dir, "skill-bundles")
    : resolve(home.dir, expandTilde(given, env["HOME"] ?? home.dir));
}

/** A file that has not changed since the last time is not read again. Of two with one slug the first by name of file is used. */
function listBundles(dir: string, read: Map<string, { readonly stamp: string; readonly read: Read }>): BundleList {
  const found = new Map<string, Bundle>();
  const problems: SkillProblem[] = [];
  const names = listDirectorySync(dir)
    .filter(({ name, kind }) => kind === "file" && FILE.test(name))
    .map(({ name }) => name)
    .toSorted();
  for (const path of read.keys()) if (!names.some((name) => join(dir, name) === path)) read.delete(path);
  if (names.length > BUNDLES_MAX)
    problems.push({ path: dir, why: `it holds ${names.length} bundles (limit ${BUNDLES_MAX}): the rest is not read` });
  for (const name of names.slice(0, BUNDLES_MAX)) {
    const file = join(dir, name);
    const bundle = readOnce(file, FILE.exec(name)?.[1] ?? name, read);
    const first = typeof bundle === "string" ? undefined : found.get(bundle.slug);
    if (typeof bundle === "string") problems.push({ path: file, why: bundle });
    else if (first === undefined) found.set(bundle.slug, { ...bundle, file });
    else problems.push({ path: file, why: `it is not used: ${first.file} has the command /${bundle.slug} too` });
  }
  return { bundles: [...found.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1)), problems };
}

function readOnce(
  file: string,
  stem: string,
  read: Map<string, { readonly stamp: string; readonly read: Read }>,
): Read {
  const stamp = readFileChange(file)?.stamp ?? "";
  const known = read.get(file);
  if (known?.stamp === stamp) return known.read;
  const large = (statPathSync(file)?.size ?? 0) > BUNDLE_FILE_MAX;
  const bytes = large ? undefined : readRegularFileSync(file, BUNDLE_FILE_MAX);
  const why = large ? TOO_LARGE : "it cannot be read";
  const fresh = bytes === undefined ? why : readBundle(bytes.toString("utf8"), stem);
  read.set(file, { stamp, read: fresh });
  return fresh;
}

function findBundle({ bundles }: BundleList, name: string): Bundle {
  const slug = slugOf(name);
  const found = bundles.find((one) => one.slug === slug) ?? bundles.find((one) => one.name === name);
  if (found !== undefined) return found;
  const near = bundles
    .toSorted((a, b) => similarity(b.slug, slug) - similarity(a.slug, slug))
    .slice(0, CLOSEST)
    .map((one) => one.slug);
  throw new AppError("E_NOT_FOUND", `no such bundle: ${name}`, {
    hint: near.length === 0 ? "agent bundles create NAME -s SKILL creates one" : `bundles: ${near.join(", ")}`,
  });
}

/** @returns its slug @throws E_INVALID when it could not be read again */
function refuseUnusable({ name, skills }: NewBundle, text: string): string {
  const slug = slugOf(name);
  if (slug === "")
    throw new AppError("E_INVALID", `invalid bundle name ${JSON.stringify(name.slice(0, 100))}`, {
      hint: "use letters, digits, blanks, - and _, at most 64 characters",
    });
  if (skills.length === 0)
    throw new AppError("E_INVALID", `the bundle ${slug} lists no skills`, {
      hint: "name them with -s, e.g. -s a -s b",
    });
  const again = text.length > BUNDLE_FILE_MAX ? TOO_LARGE : readBundle(text, slug);
  if (typeof again === "string")
    throw new AppError("E_INVALID", `the bundle ${slug} cannot be created: ${again}`, {
      hint: "shorten or correct it",
    });
  return slug;
}
