import { homedir, tmpdir, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { expandTilde } from "./tilde.js";

/** Where everything of one home lives. Pure: nothing is created or looked at. */
export interface Home {
  /** `AGENT_HOME`, absolute; default `~/.agent`. */
  readonly dir: string;
  /** Home of all boards (board part, 2.1). */
  readonly root: string;
  /** Name of the profile whose home this is; `default` for the root. */
  readonly profile: string;
  readonly lock: string;
  readonly config: string;
  readonly env: string;
  readonly sessions: string;
  readonly state: string;
  readonly logs: string;
  readonly cache: string;
  /** Directory (0700) of the owner's socket and token. */
  readonly runDir: string;
  readonly socket: string;
  /** File (0600) with the token and address of the loopback WebSocket. */
  readonly token: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The home that `env` names. A leading `~` is expanded. */
export function homeFrom(env: Env): Home {
  const given = env["AGENT_HOME"];
  const base = resolve(given ? expandTilde(given, homedir()) : join(homedir(), ".agent"));
  const dir = profileDir(base, env["AGENT_PROFILE"]);
  const parent = dirname(dir);
  const inProfile = basename(parent) === "profiles";
  const boards = env["AGENT_KANBAN_HOME"];
  const root = boards ? resolve(expandTilde(boards, homedir())) : inProfile ? dirname(parent) : dir;
  return layOutHome(dir, root, inProfile ? basename(dir) : "default");
}

/** `AGENT_PROFILE` names a profile of the root, also of the root that the profile in `AGENT_HOME` belongs to. */
function profileDir(base: string, profile: string | undefined): string {
  if (!profile) return base;
  const root = basename(dirname(base)) === "profiles" ? dirname(dirname(base)) : base;
  return profile === "default" ? root : join(root, "profiles", profile);
}

/** The layout of the home `dir` whose boards are in `root`. */
export function layOutHome(dir: string, root: string = dir, profile = "default"): Home {
  const runDir = runDirOf(dir);
  return {
    dir,
    root,
    profile,
    lock: join(dir, "owner.lock"),
    config: join(dir, "config.yaml"),
    env: join(dir, ".env"),
    sessions: join(dir, "sessions.db"),
    state: join(dir, "state.db"),
    logs: join(dir, "logs"),
    cache: join(dir, "cache"),
    runDir,
    socket: join(runDir, "owner.sock"),
    token: join(runDir, "owner.token"),
  };
}

/** Home of the default profile. Its logins serve all profiles, including those whose boards are elsewhere. */
export function loginRoot({ dir }: Pick<Home, "dir">): string {
  return basename(dirname(dir)) === "profiles" ? dirname(dirname(dir)) : dir;
}

/** A Unix socket path holds 107 bytes (104 on macOS); a longer home gets a private directory under the system's temporary one. */
function runDirOf(dir: string): string {
  const near = join(dir, "run");
  if (Buffer.byteLength(join(near, "owner.sock")) <= 100) return near;
  const { createHash } = process.getBuiltinModule("node:crypto"); // loaded only here: the thin client starts faster without it
  const name = createHash("sha256").update(dir).digest("hex").slice(0, 16);
  return join(tmpdir(), `agent-${userInfo().uid}-${name}`);
}
