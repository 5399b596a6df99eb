import { join } from "node:path";
import { readBounded, readEntryKindSync } from "../../base/fs/bounded-file.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { openGit } from "../../safety/git/git.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { repositoryOf } from "../../tools/run/project.js";

export interface SummaryPorts {
  readonly spawner: Spawner;
  readonly clock: Clock;
  /** What git has not said by then is left out. Default 500 (core part, 7.4). */
  readonly limitMs?: Ms;
}

type Env = Readonly<Record<string, string>>;

const LIMIT_MS: Ms = 500;
const FILES_AT_MOST = 20;
const COMMITS = 3;
const LINE_CHARS = 160;
const MANIFEST_BYTES = 256 * 1024;

/** Manifest -> commands that verify a project of its kind. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  "package.json": [],
  Makefile: [],
  "pyproject.toml": ["pytest"],
  "Cargo.toml": ["cargo check", "cargo test"],
  "go.mod": ["go vet ./...", "go test ./..."],
  "pom.xml": ["mvn -q test"],
  Gemfile: ["bundle exec rake test"],
};

/** Lock file -> package manager; the first one counts. */
const MANAGERS: readonly (readonly [string, string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
];

const VERIFYING = ["check", "typecheck", "lint", "test", "build"];

/** What a directory of code looks like at this moment: branch, changed files, last commits, manifests, how to verify. "" when there is nothing to say. */
export async function workspaceSummary(ports: SummaryPorts, cwd: string, env: Env): Promise<string> {
  const facts = manifestFacts(cwd);
  const git = await inTime(gitFacts(ports, cwd, env), ports);
  return [...(git ?? ["Git: no answer in time"]), ...facts].join("\n");
}

/** The work, or undefined when it takes too long; it is then left to end by itself. */
async function inTime<T>(work: Promise<T>, { clock, limitMs = LIMIT_MS }: SummaryPorts): Promise<T | undefined> {
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

async function gitFacts(ports: SummaryPorts, cwd: string, env: Env): Promise<readonly string[]> {
  if (repositoryOf(cwd) === undefined) return [];
  const limitMs = ports.limitMs ?? LIMIT_MS;
  const git = await openGit({ spawner: ports.spawner, clock: ports.clock, env }, cwd, { limitMs });
  const [status, log] = await Promise.all([
    git.run(["status", "--porcelain=v2", "--branch", "--ignore-submodules=all"], { limitMs, maxBytes: 64 * 1024 }),
    git.run(["log", `-${COMMITS}`, "--no-show-signature", "--format=%h %s"], { limitMs, maxBytes: 16 * 1024 }),
  ]);
  if (!status.ok) return [];
  return [...statusLines(status.out, status.cut), ...(log.ok ? commitLines(log.out) : [])];
}

function statusLines(out: string, cut: boolean): readonly string[] {
  const lines = out.split("\n").filter((line) => line !== "");
  const header = (name: string) =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const changed = lines.filter((line) => /^[12u?] /.test(line)).map(changedFile);
  const ahead = header("ab");
  const shown = changed.slice(0, FILES_AT_MOST).join(", ");
  const count = `${changed.length}${cut ? " or more" : ""}`;
  return [
    `Branch: ${toScreenLine(header("head") ?? "unknown", LINE_CHARS)}${ahead === undefined || ahead === "+0 -0" ? "" : ` (${ahead} against its upstream)`}`,
    changed.length === 0
      ? "Changed files: none"
      : `Changed files (${count}): ${shown}${changed.length > FILES_AT_MOST ? ", ..." : ""}`,
  ];
}

/** `M lib/a.ts` of a line of `git status --porcelain=v2`. */
function changedFile(line: string): string {
  if (line.startsWith("? ")) return `? ${toScreenLine(line.slice(2), LINE_CHARS)}`;
  const fields = line.split(" ");
  const before = line.startsWith("1 ") ? 8 : line.startsWith("2 ") ? 9 : 10;
  const [path = ""] = fields.slice(before).join(" ").split("\t");
  return `${(fields[1] ?? "").replaceAll(".", "")} ${toScreenLine(path, LINE_CHARS)}`;
}

function commitLines(out: string): readonly string[] {
  const commits = out.split("\n").filter((line) => line !== "");
  return commits.length === 0 ? [] : ["Last commits:", ...commits.map((line) => `- ${toScreenLine(line, LINE_CHARS)}`)];
}

function manifestFacts(cwd: string): readonly string[] {
  const there = (name: string) => readEntryKindSync(join(cwd, name)) === "file";
  const manifests = Object.keys(MANIFESTS).filter(there);
  if (manifests.length === 0) return [];
  const manager = MANAGERS.find(([lock]) => there(lock))?.[1] ?? (there("package.json") ? "npm" : undefined);
  const verify = manifests.flatMap((name) => [...(MANIFESTS[name] ?? []), ...declared(cwd, name, manager ?? "npm")]);
  return [
    `Manifests: ${manifests.join(", ")}`,
    ...(manager === undefined ? [] : [`Package manager: ${manager}`]),
    ...(verify.length === 0 ? [] : [`Verify with: ${verify.map((command) => `\`${command}\``).join(", ")}`]),
  ];
}

/** Verifying commands that a manifest itself declares. Their names are ours: nothing is taken over from the file. */
function declared(cwd: string, manifest: string, manager: string): readonly string[] {
  if (manifest !== "package.json" && manifest !== "Makefile") return [];
  const answer = readBounded(join(cwd, manifest), { whole: MANIFEST_BYTES, head: MANIFEST_BYTES, tail: 0 });
  if (!answer.ok) return [];
  const text = answer.file.head.toString("utf8");
  if (manifest === "Makefile")
    return VERIFYING.filter((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(text)).map((name) => `make ${name}`);
  const scripts = scriptsOf(text);
  return VERIFYING.filter((name) => scripts.has(name)).map((name) =>
    name === "test" ? `${manager} test` : `${manager} run ${name}`,
  );
}

function scriptsOf(text: string): ReadonlySet<string> {
  try {
    const scripts: unknown = JSON.parse(text)?.scripts;
    return new Set(typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : []);
  } catch {
    return new Set(); // no JSON: the project has other worries
  }
}
