import { type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Who else could change a home, and the command that ends it. */
export interface ForeignHome {
  readonly why: string;
  readonly fix: string;
}

/** Files and directories of a home that decide what the program does or allows. */
const DECIDING = [
  "config.yaml",
  "permissions.yaml",
  "trust.json",
  "profile.yaml",
  ".env",
  "auth.json",
  "run",
  "hooks",
  "plugins",
  "sessions.db",
  "state.db",
  "kanban",
];

const OTHERS_WRITE = 0o022;
const OTHERS_ENTER = 0o011;
const ANYONE_WRITES = 0o002;
const STICKY = 0o1000;

/**
 * Find another user who owns the home at `dir` or may write to it. Undefined: no one, the home does not exist yet, or the system has no such modes.
 */
export function findForeign(dir: string): ForeignHome | undefined {
  const uid = process.geteuid?.();
  const home = uid === undefined ? undefined : look(dir);
  if (uid === undefined || home === undefined) return undefined;
  if (home.uid !== uid)
    return {
      why: `${dir} belongs to another user (uid ${home.uid}, you are ${uid})`,
      fix: `chown -R ${uid} ${quote(dir)}`,
    };
  if ((home.mode & OTHERS_WRITE) !== 0)
    return { why: `other users can write to ${dir} (mode ${octal(home)})`, fix: `chmod go-w ${quote(dir)}` };
  return replaceable(dir) ?? ((home.mode & OTHERS_ENTER) === 0 ? undefined : writableInside(dir));
}

/** A directory above it in which anyone may put another home in its place. */
function replaceable(dir: string): ForeignHome | undefined {
  for (let at = dirname(dir); ; at = dirname(at)) {
    const found = look(at);
    if (found !== undefined && (found.mode & ANYONE_WRITES) !== 0 && (found.mode & STICKY) === 0)
      return { why: `anyone can replace ${dir}: ${at} has mode ${octal(found)}`, fix: `chmod +t ${quote(at)}` };
    if (dirname(at) === at) return undefined;
  }
}

function writableInside(dir: string): ForeignHome | undefined {
  const paths = DECIDING.map((name) => join(dir, name)).filter(
    (path) => ((look(path)?.mode ?? 0) & OTHERS_WRITE) !== 0,
  );
  const [first] = paths;
  return first === undefined
    ? undefined
    : { why: `other users can write to ${paths.join(", ")}`, fix: `chmod go-w ${paths.map(quote).join(" ")}` };
}

/** What cannot be looked at is reported by the first use of it. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; /* ok to lose: opening the path fails with the same reason */
  }
}

const octal = ({ mode }: Stats): string => `0${(mode & 0o7777).toString(8)}`;

/** A path as a shell takes it. */
const quote = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
