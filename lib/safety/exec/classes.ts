import { isAgentSelf, killsAgent } from "../agent-self/agent-self.js";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { guardWrite } from "../paths/paths.js";
import { findWriteTargets, isHarmlessDevice, isWriteInside as isInsidePath } from "../writes/find.js";
import { followLinks, linksOf, rawPath } from "../writes/links.js";
import { type Call, type ExecScope, hasFlag, operandPath } from "../writes/operands.js";
import { findTakenFiles } from "../writes/trees.js";
import { findClient } from "./clients.js";
import { actsAs, actsOutside, changesElsewhere } from "./cloud.js";
import { runsDownload } from "./downloads.js";
import { gitDestroys } from "./git.js";
import { runsNewCode } from "./new-code.js";
import { installsGlobally } from "./packages.js";
import { destroysSql } from "./sql.js";
import { sendsFile } from "./upload.js";

/** Risk classes (core part, 20.4). */
export type RiskClass =
  | "rm-recursive"
  | "rm-outside"
  | "find-delete"
  | "xargs-rm"
  | "mode-open"
  | "owner-root"
  | "disk"
  | "sql-destroy"
  | "service"
  | "kill-broad"
  | "inline-code"
  | "download-run"
  | "system-write"
  | "git-destroy"
  | "publish"
  | "privilege"
  | "agent-self"
  | "package-global"
  | "new-program"
  | "new-code"
  | "cloud"
  | "upload"
  | "remote"
  | "outside-write"
  | "outside-cage"
  | "unknown-program"
  | "secret-use"
  | "unparsable"
  | "dynamic-program"
  | "disguised"
  | "scanner";

/** Classes that a model never waves through (marked `!` in 20.4). */
export const NEVER_SMART: ReadonlySet<RiskClass> = new Set([
  "rm-outside",
  "disk",
  "download-run",
  "system-write",
  "privilege",
  "agent-self",
  "outside-cage",
  "secret-use",
]);

/** Classes that can be allowed once and never by a rule. */
export const ONCE_ONLY: ReadonlySet<RiskClass> = new Set([
  "unparsable",
  "dynamic-program",
  "disguised",
  "secret-use",
  "scanner",
]);

/** Classes that only say that a line cannot be judged: in a cage they do not ask. */
export const EASED: ReadonlySet<RiskClass> = new Set([
  "unparsable",
  "dynamic-program",
  "inline-code",
  "new-program",
  "new-code",
  "unknown-program",
]);

/** Removals, which do not ask in a cage unless they reach out of the project and temporary directories. */
export const REMOVALS: ReadonlySet<RiskClass> = new Set(["rm-recursive", "find-delete", "xargs-rm"]);

/** Classes whose work a cage prevents: what a person allows of them runs outside. */
export const PREVENTED: ReadonlySet<RiskClass> = new Set([
  "outside-write",
  "rm-outside",
  "system-write",
  "privilege",
  "service",
  "package-global",
  "disk",
  "kill-broad",
  "publish",
  "remote",
  "cloud",
  "outside-cage",
]);

/** One test: the class, what is said about it, and whether a call is of it. */
interface Test {
  readonly class: RiskClass;
  readonly text: string;
  readonly is: (call: Call, scope: ExecScope, all: readonly Call[]) => boolean;
  /** Only running the call would tell whether it is of the class. */
  readonly unsure?: true;
}

/** A client whose call is of a class that says more. */
const hasNearerClass = (call: Call): boolean => isService(call) || publishes(call) || privileged(call);

const writesOf = (call: Call, scope: ExecScope, all: readonly Call[]) =>
  findWriteTargets(call, { calls: all, userHome: scope.userHome });

export const TESTS: readonly Test[] = [
  {
    class: "rm-recursive",
    text: "removes recursively or by wildcard",
    is: (call) =>
      removes(call) &&
      (hasFlag(call, "-r", "-R", "--recursive", "-d", "--dir") || call.operands.some((word) => word.glob)),
  },
  {
    class: "rm-outside",
    text: "removes outside the project and temporary directories",
    is: (call, scope, all) => removes(call) && call.operands.some((word) => !isInside(word, call, { scope, all })),
  },
  {
    class: "find-delete",
    text: "find removes what it finds",
    is: (call) => call.program === "find" && findRemoves(call),
  },
  {
    class: "xargs-rm",
    text: "removes what it is handed",
    is: (call) => removes(call) && call.simple.under.some((by) => by === "xargs" || by === "parallel"),
  },
  {
    class: "mode-open",
    text: "makes files writable for everybody",
    is: (call) => call.program === "chmod" && call.operands.slice(0, 1).some((word) => opensMode(word.text)),
  },
  {
    class: "owner-root",
    text: "gives files to root recursively",
    is: (call) =>
      call.program === "chown" &&
      hasFlag(call, "-R", "--recursive") &&
      /^(root|0)?(:|$)|:(root|0)$/.test(call.operands[0]?.text ?? "x"),
  },
  { class: "disk", text: "works on disks or partitions", is: isDisk },
  { class: "sql-destroy", text: "destroys data of a database", is: destroysSql },
  { class: "service", text: "starts, stops or changes services", is: isService },
  { class: "kill-broad", text: "ends processes broadly", is: killsBroadly },
  { class: "download-run", text: "runs what it downloads", is: (call, _scope, all) => runsDownload(call, all) },
  {
    class: "git-destroy",
    text: "can lose commits or changes",
    is: (call) => call.program === "git" && gitDestroys(call),
  },
  { class: "publish", text: "publishes", is: publishes },
  {
    class: "privilege",
    text: "runs with other rights",
    is: (call) => /^(sudo|doas|su|pkexec|runas|gsudo)$/.test(call.program) || privileged(call),
  },
  {
    class: "agent-self",
    text: "controls the agent itself",
    is: (call, scope) => isAgentSelf(call, scope) || killsAgent(call, scope),
  },
  { class: "package-global", text: "installs for the whole system or user", is: installsGlobally },
  { class: "new-program", text: "runs a file that it made executable", is: runsNew },
  { class: "new-code", text: "runs a file that this conversation wrote, or a text that it is handed", is: runsUnseen },
  { class: "remote", text: "works on another machine", is: isRemote },
  {
    class: "cloud",
    text: "changes what is stored or runs elsewhere",
    is: (call) => changesElsewhere(call) && !hasNearerClass(call),
  },
  { class: "cloud", text: "works with containers", is: (call) => actsAs(call, "containers") && !hasNearerClass(call) },
  { class: "cloud", text: "opens a password store", is: (call) => actsAs(call, "passwords") },
  { class: "cloud", text: "opens a tunnel or changes a network", is: (call) => actsAs(call, "tunnels") },
  { class: "upload", text: "sends the content of files to a host", is: sendsFile },
  {
    class: "system-write",
    text: "writes settings of the system, a shell, git or the agent",
    is: writesSystem,
  },
  {
    class: "outside-write",
    text: "writes outside the project and temporary directories",
    is: (call, scope, all) => writesOf(call, scope, all).paths.some((path) => !isInsidePath(path, scope)),
  },
  {
    class: "outside-write",
    text: "may write outside the project and temporary directories",
    unsure: true,
    is: (call, scope, all) => {
      const { paths, unknown } = writesOf(call, scope, all);
      return unknown.length > 0 && paths.every((path) => isInsidePath(path, scope));
    },
  },
];

const removes = (call: Call) => /^(rm|unlink|shred|rmdir|srm|trash)$/.test(call.program);

/** Every place that the word may mean lies inside; links that the line makes are followed. */
function isInside(
  word: Word,
  call: Call,
  { scope, all }: { readonly scope: ExecScope; readonly all: readonly Call[] },
): boolean {
  const dirs = call.simple.dirs ?? [call.simple.cwd];
  const places = (word.choices ?? [word.text]).flatMap((text) =>
    dirs.flatMap((dir) => {
      const raw = rawPath(text, dir);
      return raw === undefined ? [undefined] : followLinks(raw, linksOf(all), call);
    }),
  );
  // The project itself, or what lies above it, is not inside it.
  return places.every((path) => path !== undefined && isInsidePath(path, scope) && path !== scope.project);
}

const findRemoves = (call: Call) =>
  call.words.includes("-delete") ||
  call.words.some(
    (word, index) =>
      /^-(exec|execdir|ok|okdir)$/.test(word) && /(^|\/)(rm|unlink|shred|rmdir)$/.test(call.words[index + 1] ?? ""),
  );

function opensMode(mode: string): boolean {
  if (/^[0-7]{3,5}$/.test(mode)) return /[2367]$/.test(mode);
  return mode.split(",").some((part) => /^[ug]*[oa][ugoa]*[+=][rxXst]*w/.test(part));
}

const DISK_TOOLS =
  /^(fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|wipefs|mke2fs|newfs|mkswap|swapoff|mount|umount|lvremove|vgremove|pvremove|lvresize|cryptsetup|diskutil|blkdiscard|hdparm|badblocks|mdadm|zpool|zfs|format|tune2fs|resize2fs|losetup)$/;

function isDisk(call: Call): boolean {
  if (/^mkfs/.test(call.program)) return true;
  if (call.program === "dd")
    return call.words.some((word) => word.startsWith("of=/dev/") && !isHarmlessDevice(word.slice(3)));
  if (call.program === "mount" && call.words.length === 0) return false;
  return DISK_TOOLS.test(call.program) && !hasFlag(call, "--help", "--version", "-l", "--list");
}

function isService(call: Call): boolean {
  const texts = call.operands.map((word) => word.text);
  if (/^\/etc\/(rc\.d\/)?init\.d\//.test(call.simple.words[0]?.text ?? ""))
    return /^(stop|restart)$/.test(texts[0] ?? "");
  if (call.program === "kubectl" || call.program === "oc") return /^(delete|drain|cordon|scale)$/.test(texts[0] ?? "");
  if (findClient(call.program)?.kind === "services") return actsOutside(call);
  if (!/^(docker|podman|nerdctl|docker-compose)$/.test(call.program)) return false;
  return texts.slice(0, 3).some((text) => /^(stop|restart|kill|down|rm|rmi|prune)$/.test(text));
}

/** First words of `kill` for a signal that a process cannot catch, or that stops it: what is stopped holds up what waits for it, the agent too. */
const HARD_SIGNAL = /^-(-?s(ignal)?[= ]?|n ?)?(9|19|20|21|22|(SIG)?(KILL|STOP|TSTP|TTIN|TTOU))( |$)/i;

function killsBroadly(call: Call): boolean {
  if (call.program === "killall" || call.program === "killall5") return true;
  if (call.program === "pkill") return true;
  if (call.program === "fuser") return hasFlag(call, "-k", "--kill");
  if (call.program !== "kill" || call.words.some((word) => /^(-l|-L|--list|--table)$/.test(word))) return false;
  if (call.simple.under.some((by) => by === "xargs" || by === "parallel")) return true;
  const looked = call.simple.words.some((word) => word.inner.length > 0);
  const hard = HARD_SIGNAL.test(call.words.slice(0, 2).join(" "));
  const group = call.words.slice(1).some((word) => /^-\d{2,}$/.test(word));
  const own = call.operands.every((word) => word.text.startsWith("%"));
  return looked || group || (hard && !own);
}

const PUBLISHERS: Readonly<Record<string, RegExp>> = {
  npm: /^(un)?publish$/,
  pnpm: /^publish$/,
  yarn: /^publish$/,
  bun: /^publish$/,
  cargo: /^(publish|yank)$/,
  gem: /^(push|yank)$/,
  twine: /^upload$/,
  poetry: /^publish$/,
  uv: /^publish$/,
  docker: /^push$/,
  podman: /^push$/,
  helm: /^push$/,
  vsce: /^publish$/,
};

/** Options that stand before the verb, with a value in the next word. */
const BEFORE_VERB = /^(--registry|--prefix|-C|--dir|--cwd|-w|--workspace|--filter|--manifest-path|--config)$/;

function publishes(call: Call): boolean {
  const taken = new Set(call.words.flatMap((word, index) => (BEFORE_VERB.test(word) ? [call.words[index + 1]] : [])));
  const texts = call.operands.map((word) => word.text).filter((text) => !taken.has(text));
  if (call.program === "gh") return texts[0] === "release" && /^(create|upload|edit|delete)$/.test(texts[1] ?? "");
  const verb = Object.hasOwn(PUBLISHERS, call.program) ? PUBLISHERS[call.program] : undefined;
  const place =
    call.program === "yarn" && texts[0] === "npm"
      ? 1
      : /^(docker|podman)$/.test(call.program) && texts[0] === "image"
        ? 1
        : 0;
  return verb?.test(texts[place] ?? "") ?? false;
}

function privileged(call: Call): boolean {
  if (!/^(docker|podman|nerdctl)$/.test(call.program)) return false;
  return (
    hasFlag(call, "--privileged") || call.words.some((word) => /^(-v|--volume=)?\/(etc|root|boot|var|usr)?:/.test(word))
  );
}

/** Targets of a call that makes files executable. */
export function madeExecutable(call: Call): readonly string[] {
  if (
    call.program !== "chmod" ||
    !/^([ugoa]*[+=][rwstX]*x|0?[1357]\d\d|0?[4-7][1357]\d|0?[4-7]\d[1357])/.test(call.operands[0]?.text ?? "")
  )
    return [];
  return call.operands.slice(1).flatMap((word) => operandPath(word.text, call.simple.cwd) ?? []);
}

function runsNew(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  const path = operandPath(call.simple.words[0]?.text ?? UNKNOWN, call.simple.cwd);
  if (path === undefined || !(call.simple.words[0]?.text ?? "").includes("/")) return false;
  if (scope.fresh?.has(path)) return true;
  return all.some((other) => madeExecutable(other).includes(path));
}

/** New programs that were made executable have a class of their own. */
function runsUnseen(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  return !runsNew(call, scope, all) && runsNewCode(call, scope, all);
}

function isRemote(call: Call): boolean {
  if (/^(nc|ncat|netcat)$/.test(call.program))
    return call.words.some((word) => /^(-[a-zA-Z]*[ec]|--(sh-|lua-)?exec(=.*)?)$/.test(word));
  if (/^(ssh|mosh|sftp|telnet|ssh-copy-id|sshpass)$/.test(call.program)) return !hasFlag(call, "-V");
  if (call.program === "scp") return true;
  return call.program === "rsync" && call.operands.some((word) => /^(rsync:\/\/|[\w.@-]+:(?!\\))/.test(word.text));
}

/** Git writes the user's settings, or hooks and timers. */
const setsUp = ({ positionals: [verb, sub] }: Call): boolean =>
  (verb?.text === "maintenance" && /^(start|stop|register|unregister)$/.test(sub?.text ?? "")) ||
  (verb?.text === "lfs" && /^(install|uninstall|update)$/.test(sub?.text ?? ""));

function writesSystem(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  const settings = call.program === "git" && call.positionals[0]?.text === "config";
  if (
    settings &&
    hasFlag(call, "--global", "--system") &&
    !hasFlag(call, "--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list")
  )
    return true;
  // The repository of a submodule has settings of its own.
  const [verb, what] = call.positionals;
  if (call.program === "git" && verb?.text === "submodule" && /^(add|absorbgitdirs|set-url)$/.test(what?.text ?? ""))
    return true;
  if (call.program === "git" && setsUp(call)) return true;
  if (call.program === "crontab") return !hasFlag(call, "-l");
  if (call.program === "sysctl")
    return hasFlag(call, "-w", "--write") || call.operands.some((word) => /^[\w.]+=/.test(word.text));
  if (/^(visudo|chsh|passwd|usermod|useradd|userdel|groupmod|adduser|deluser|at|batch)$/.test(call.program))
    return true;
  const { paths, withAll } = findTakenFiles(call, all, scope);
  if (paths.length + withAll.length > 0) return true;
  return writesOf(call, scope, all).paths.some((path) => {
    if (isHarmlessDevice(path)) return false;
    const answer = guardWrite(path, scope);
    return !answer.ok || answer.risk !== undefined;
  });
}
