import { AppError } from "../../base/errors.js";
import type { SkillFile, SkillVerdict } from "../../contracts/skills/guard.js";
import type { SkillDecision, SkillPreview, SkillTrust } from "../../contracts/skills/hub.js";
import { SKILLS_HUB_TRUSTED } from "../../contracts/skills/keys.js";
import { SKILL_FOLDERS } from "../../contracts/skills/texts.js";
import { readSkillText } from "../catalog/front-matter.js";
import { scanSkill } from "../guard/scan.js";
import { skillUses } from "../guard/uses.js";
import { digestFiles } from "./collect.js";
import { type FetchedSkill, fetchSkill } from "./fetch.js";
import type { HubDeps } from "./hub-deps.js";
import { type HubOrigin, readIdentifier } from "./identifier.js";
import { type LockEntry, readLock } from "./lock.js";
import { isOwn } from "./own-skills.js";

export interface PreparedSkill {
  readonly preview: SkillPreview;
  readonly files: readonly SkillFile[];
}

interface PrepareOptions {
  readonly category?: string | undefined;
  readonly name?: string | undefined;
  readonly cwd: string;
  readonly local: boolean;
  readonly signal?: AbortSignal;
}

/** Fetch, check and judge. From here on only the bytes in memory are looked at. */
export async function prepareSkill(identifier: string, options: PrepareOptions, deps: HubDeps): Promise<PreparedSkill> {
  const origin = readIdentifier(
    identifier,
    options.local ? { cwd: options.cwd, userHome: deps.userHome() } : undefined,
  );
  const fetched = await fetchSkill(origin, deps, options.signal);
  const named = withName(fetched.files, options.name, identifier);
  const category = checkCategory(options.category ?? fetched.category);
  const lock = readLock(deps.home);
  return {
    files: named.files,
    preview: {
      ...describe(named, { origin, identifier, fetched }, deps),
      path: category === "" ? named.name : `${category}/${named.name}`,
      exists: lock[named.name] !== undefined ? "hub" : (await isOwn(named.name, deps.home)) ? "own" : "no",
    },
  };
}

interface NamedFiles extends Pick<SkillPreview, "name" | "description" | "version" | "license"> {
  readonly files: readonly SkillFile[];
}

interface From {
  readonly origin: HubOrigin;
  readonly identifier: string;
  readonly fetched: FetchedSkill;
}

function describe(
  { files, name, description, version, license }: NamedFiles,
  { origin, identifier, fetched }: From,
  deps: HubDeps,
): Omit<SkillPreview, "path" | "exists"> {
  const trust = trustOf(origin, deps);
  const { verdict, findings } = scanSkill(files);
  const bits = files.filter(({ executable }) => executable === true).length;
  return {
    name,
    description,
    version,
    license,
    source: origin.kind,
    identifier: origin.kind === "directory" ? origin.dir : identifier,
    ref: origin.kind === "github" || origin.kind === "git" ? origin.ref : "",
    commit: fetched.commit,
    trust,
    hash: digestFiles(files),
    files: files.map(({ path, bytes }) => ({ path, size: bytes.length })),
    uses: skillUses(files),
    verdict,
    findings,
    decision: decideSkill(trust, verdict),
    warnings: [
      ...fetched.warnings,
      ...(bits === 0 ? [] : [`${bits} of its files may be started as programs; they are installed without that right`]),
    ],
  };
}

/** Its name and facts; with another name its front matter is written accordingly, since that is what a catalog reads. */
function withName(files: readonly SkillFile[], wanted: string | undefined, identifier: string): NamedFiles {
  const main = files.find(({ path }) => path === "SKILL.md");
  if (main === undefined) throw new AppError("E_NOT_FOUND", `${identifier}: SKILL.md is missing`);
  const text = Buffer.from(main.bytes).toString("utf8");
  const fallback = wanted ?? lastName(identifier);
  const read = readSkillText(text, fallback);
  if (typeof read === "string")
    throw new AppError("E_INVALID", `${identifier}: its SKILL.md cannot be used: ${read}`, {
      hint: "nothing of it was installed",
    });
  const { facts } = read;
  const about = { description: facts.description, version: facts.version, license: facts.license };
  if (wanted === undefined || wanted === facts.name) return { files, name: facts.name, ...about };
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(wanted))
    throw new AppError("E_USAGE", `--name must be lower-case letters, digits, '.', '_' and '-', not '${wanted}'`);
  const renamed = text.replace(/^(\uFEFF?---\r?\n(?:(?!---)[^\n]*\n)*?)name:[^\n]*\n/, `$1name: ${wanted}\n`);
  const again = readSkillText(renamed, wanted);
  if (typeof again === "string" || again.facts.name !== wanted)
    throw new AppError("E_INVALID", `${identifier}: the skill cannot be called ${wanted}`, {
      hint: `it calls itself ${facts.name}`,
    });
  return {
    files: files.map((file) => (file === main ? { ...file, bytes: Buffer.from(renamed) } : file)),
    name: wanted,
    ...about,
  };
}

const lastName = (identifier: string): string =>
  identifier
    .replace(/[?#@].*$/, "")
    .replace(/\/?(?:SKILL\.md)?\/?$/, "")
    .replace(/\.(?:zip|tar\.gz|tgz|git|md)$/i, "")
    .split("/")
    .at(-1)
    ?.toLowerCase() ?? "";

function checkCategory(category: string): string {
  const parts = category === "" ? [] : category.split("/");
  const folders: readonly string[] = [...SKILL_FOLDERS, "node_modules"];
  if (parts.length <= 3 && parts.every((part) => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(part) && !folders.includes(part)))
    return category;
  throw new AppError(
    "E_USAGE",
    `--category must be up to three names of lower-case letters, digits, '_' and '-', not '${category}'`,
  );
}

export function trustOf(origin: HubOrigin, { config }: Pick<HubDeps, "config">): SkillTrust {
  if (origin.kind === "official") return "builtin";
  const trusted = config.get(SKILLS_HUB_TRUSTED).map((one) => one.toLowerCase());
  const name = trustedName(origin);
  return name !== "" && trusted.includes(name.toLowerCase()) ? "trusted" : "community";
}

function trustedName(origin: HubOrigin): string {
  switch (origin.kind) {
    case "github":
    case "git":
      return origin.repository;
    case "url":
      return hostOf(origin.url);
    case "well-known":
    case "marketplace":
      return hostOf(origin.index);
    default:
      return "";
  }
}

/** What came over http may come from anyone: it is never trusted. */
const hostOf = (address: string): string =>
  address.startsWith("https://") && URL.canParse(address) ? new URL(address).host : "";

/** Fetch what the source of an entry has now. The identifier was accepted when it was installed. */
export async function fetchAgain(
  entry: LockEntry,
  deps: HubDeps,
  signal: AbortSignal | undefined,
): Promise<PreparedSkill> {
  const origin = readIdentifier(entry.identifier, { cwd: deps.home.dir, userHome: deps.userHome() });
  const fetched = await fetchSkill(origin, deps, signal);
  const named = withName(fetched.files, entry.name, entry.identifier);
  const preview = describe(named, { origin, identifier: entry.identifier, fetched }, deps);
  return { files: named.files, preview: { ...preview, path: entry.path, exists: "hub" } };
}

/** What is installed of whom (housekeeping part, 8). */
const POLICY: Readonly<Record<SkillTrust, Readonly<Record<SkillVerdict, SkillDecision["action"]>>>> = {
  builtin: { safe: "allow", caution: "allow", dangerous: "allow" },
  trusted: { safe: "allow", caution: "allow", dangerous: "block" },
  community: { safe: "allow", caution: "block", dangerous: "block" },
};

/** Whether a skill may be installed once a person says yes. `--force` passes over a block, but never over `dangerous`. */
function decideSkill(trust: SkillTrust, verdict: SkillVerdict): SkillDecision {
  const action = POLICY[trust][verdict];
  const final = action === "block" && verdict === "dangerous";
  if (action === "allow") return { action, final, why: `${verdict}, from a ${trust} source` };
  return {
    action,
    final,
    why: final
      ? `the scanner calls it dangerous; not even --force installs it from a ${trust} source`
      : `the scanner advises caution; --force installs it from a ${trust} source anyway`,
  };
}
