import { randomBytes } from "node:crypto";
import { copyFile, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Child, Spawner, SpawnSpec } from "../../../base/process/spawn.js";
import type { Clock } from "../../../base/time/clock.js";
import { fillCredential } from "../../git/credential.js";
import { openSshMaster, type SshMaster } from "../../git/ssh-master.js";
import type { Cage } from "../cage.js";
import type { GitLine } from "./prepare.js";
import type { GitSetting } from "./repository.js";
import { needsAside, writeGitScript } from "./script.js";
import { changeSettings } from "./settings.js";

export interface GitLineOptions {
  readonly spawner: Spawner;
  readonly clock: Clock;
  /** Environment of the login, as commands have it; nothing that a command has exported. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment of the session's commands, for a line that gets no credentials. */
  readonly exported: Readonly<Record<string, string>>;
  /** The person's whole environment, for credential helpers and ssh outside. */
  readonly own: Readonly<Record<string, string | undefined>>;
  /** Cage of the other commands. */
  readonly cage: Cage;
  /** Private directory, hidden in every cage. */
  readonly dir: string;
  readonly cwd: string;
}

/** A line of git that runs. */
export interface StartedGitLine {
  readonly child: Child;
  /** After its end: close what was opened for it, and say where its `cd` led. */
  collect(): Promise<{ cwd: string | undefined }>;
}

/** Settings of every call of the line; hooks, editors and questions at a terminal have no place in it. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["submodule.recurse", "false"],
  ["push.recurseSubmodules", "no"],
  ["branch.autoSetupMerge", "false"],
  ["core.askPass", ""],
];

/**
 * Start a line of git in a cage of its own (core part, 20.9). The person's keys stay outside of it: an ssh connection is logged in before and
 * shared through its socket, and of the credential helpers the cage has the answer for these addresses alone. An answer in words: why it cannot.
 */
export async function startGitLine(line: GitLine, options: GitLineOptions): Promise<StartedGitLine | string> {
  const { spawner, clock, cage } = options;
  const { plan } = cage;
  const dir = join(options.dir, `g-${randomBytes(4).toString("hex")}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const drop = () => rm(dir, { recursive: true, force: true });
  const keys = await openKeys(line, options, dir);
  if (typeof keys === "string") {
    await drop();
    return keys;
  }
  const close = async () => {
    await keys.master?.close();
    await drop();
  };
  const aside = await makeAside(line, dir);
  const { text, changes } = writeGitScript(line, aside);
  const shown = keys.master === undefined ? plan.shown : [...plan.shown, dir];
  const writable = [...plan.writable, ...line.writable, ...(aside === undefined ? [] : [aside])];
  const own = cage.with({ ...plan, writable, shown });
  const isAlone = line.calls.flat().every((call) => call.kind !== "network");
  const env = { ...withoutGit(isAlone ? options.exported : options.env), ...keys.env };
  const spec: SpawnSpec = {
    file: "bash",
    args: ["--norc", "--noprofile", "-c", text, "bash"],
    cwd: options.cwd,
    env,
    stdin: "ignore",
    stderr: "ignore",
    channel: true,
  };
  const child = await spawner.spawn(own.wrap(spec)).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  let cwd: string | undefined;
  let left = changes.length;
  listen(child, async (order) => {
    if (order.startsWith("cwd ")) cwd = order.slice("cwd ".length);
    const change = /^ask \d+$/.test(order) && left-- > 0 ? changes[Number(order.slice("ask ".length))] : undefined;
    if (change === undefined || line.repository === undefined) return undefined;
    return changeSettings({ spawner, clock, env: options.own }, line.repository, change, dir);
  });
  return {
    child,
    collect: async () => {
      await close();
      return { cwd };
    },
  };
}

/**
 * Make a git directory whose parts are those of the repository, but for a copy of the settings: git writes them when it renames or deletes a branch,
 * and gives up where it cannot. What it writes there is dropped; the program makes the change of the true settings. Undefined: the line needs none.
 */
async function makeAside({ calls, repository }: GitLine, dir: string): Promise<string | undefined> {
  const changes = calls.flat().flatMap((call) => (call.kind === "settings" ? [call.change] : []));
  if (repository === undefined || !changes.some(needsAside)) return undefined;
  const { common } = repository;
  const aside = join(dir, "aside");
  await mkdir(aside, { mode: 0o700 });
  // Git follows a link `packed-refs` also where it leads to a file that it makes first.
  const parts = new Set([...(await readdir(common)), "packed-refs"]);
  parts.delete("config");
  for (const name of parts) if (!name.endsWith(".lock")) await symlink(join(common, name), join(aside, name));
  await copyFile(join(common, "config"), join(aside, "config"));
  return aside;
}

/** Answer what the shell asks, one line each. */
function listen(
  { channel }: Child,
  answer: (order: string) => Promise<{ readonly ok: boolean; readonly text: string } | undefined>,
): void {
  let rest = "";
  channel?.onData((chunk) => {
    const lines = `${rest}${chunk.toString("utf8")}`.split("\n");
    rest = (lines.pop() ?? "").slice(0, 8_192);
    for (const order of lines) {
      answer(order)
        .catch((error: unknown) => ({ ok: false, text: `error: ${String(error)}` }))
        .then(
          (said) => said && channel.send(`${said.ok ? "ok" : "no"} ${said.text.replaceAll("\n", " ")}\n`),
          undefined,
        ); // never rejects
    }
  });
}

interface Keys {
  readonly env: Readonly<Record<string, string>>;
  readonly master?: SshMaster;
}

async function openKeys(line: GitLine, options: GitLineOptions, dir: string): Promise<Keys | string> {
  const settings = line.repository?.settings ?? [];
  const targets = line.addresses.flatMap((address) => (address.kind === "ssh" ? [address] : []));
  const [target, ...others] = targets;
  if (others.length > 0) return "the line speaks to several hosts by ssh; run one call for each";
  const person = definedOf(options.own);
  let master: SshMaster | undefined;
  if (target !== undefined) {
    const program = (
      person["GIT_SSH_COMMAND"] ??
      settings.findLast(({ key }) => key === "core.sshcommand")?.value ??
      "ssh"
    ).split(/\s+/);
    if (!program.every((word) => /^[\w@%+=:,./-]+$/.test(word)))
      return "the configured ssh command is more than a program and its options";
    const opened = await openSshMaster({ ...options, env: person }, target, { program, dir, name: "s" });
    if (typeof opened === "string") return opened;
    master = opened;
  }
  const pairs: (readonly [string, string])[] = [...SETTINGS, ["credential.helper", ""]];
  if (line.hooksOff) pairs.push(["core.hooksPath", "/dev/null"]);
  const secrets: Record<string, string> = {};
  const asked = new Set<string>();
  for (const address of line.addresses) {
    if (address.kind !== "http" || asked.has(`${address.protocol}://${address.host}`)) continue;
    asked.add(`${address.protocol}://${address.host}`);
    const known = await fillCredential({ ...options, env: person }, address, localCredentials(settings));
    if (known === undefined) continue;
    const user = `AGENT_GIT_USER_${asked.size}`;
    const password = `AGENT_GIT_PASSWORD_${asked.size}`;
    secrets[user] = known.username;
    secrets[password] = known.password;
    const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${user}" "$${password}"; }; f`;
    pairs.push([`credential.${address.protocol}://${address.host}.helper`, helper]);
  }
  return {
    env: { ...quiet(master), ...secrets, ...countedSettings(pairs) },
    ...(master === undefined ? {} : { master }),
  };
}

/** `credential.*` of the repository itself, for the helpers run outside any repository. */
const localCredentials = (settings: readonly GitSetting[]): readonly (readonly [string, string])[] =>
  settings.flatMap(({ key, value, local }) => (local && key.startsWith("credential.") ? [[key, value] as const] : []));

const definedOf = (env: GitLineOptions["own"]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Names and mail addresses of a person may stay; whatever else begins with `GIT_` changes what git does. */
const withoutGit = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !name.startsWith("GIT_") || /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name),
    ),
  );

function quiet(master: SshMaster | undefined): Record<string, string> {
  const env = { GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", GIT_MERGE_AUTOEDIT: "no", GIT_PAGER: "cat" };
  if (master === undefined) return env;
  const ssh = `ssh -F /dev/null -o ControlMaster=no -o BatchMode=yes -S '${master.socket.replaceAll("'", "'\\''")}'`;
  return { ...env, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "ssh" };
}

const countedSettings = (pairs: readonly (readonly [string, string])[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(pairs.length),
  ...Object.fromEntries(
    pairs.flatMap(([key, value], n) => [
      [`GIT_CONFIG_KEY_${n}`, key] as const,
      [`GIT_CONFIG_VALUE_${n}`, value] as const,
    ]),
  ),
});
