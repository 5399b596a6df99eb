import type { ChildProcess, spawn } from "node:child_process";
import type { ProcessId } from "./spawn.js";

/**
 * Reads `+ pid start` and `- pid start`, and at the end of its input, which comes with the end of its owner, ends what is held: each process
 * with everything below it, in its group and in its session. All of them are stopped before one is killed, so that none can leave in between.
 * Not every sh takes `--` before the number of a group. A death signal of the kernel would reach the process itself and none of its children.
 */
const WATCH = `
held=
while read -r sign pid start; do
  case $sign in
    +) held="$held $pid:$start" ;;
    -) others=; for one in $held; do [ "$one" = "$pid:$start" ] || others="$others $one"; done; held=$others ;;
  esac
done
facts() {
  stat=; read -r stat <"/proc/$1/stat" || [ -n "$stat" ] || return 1
  case $stat in *") "*) ;; *) stat=$(cat "/proc/$1/stat") ;; esac
  set -- \${stat##*) }
  parent=$2 group=$3 session=$4 start=\${20}
}
ending=' '
for one in $held; do
  pid=\${one%%:*}
  if facts "$pid" && [ "$start" != "\${one#*:}" ]; then continue; fi
  ending="$ending$pid "
  kill -STOP "$pid"
  kill -STOP "-$pid"
done
[ "$ending" != ' ' ] || exit 0
roots=$ending more=1 passes=0
while [ -n "$more" ] && [ "$passes" -lt 50 ]; do
  more= passes=$((passes + 1))
  for dir in /proc/[0-9]*; do
    pid=\${dir#/proc/}
    case $ending in *" $pid "*) continue ;; esac
    facts "$pid" || continue
    case $ending in *" $parent "* | *" $group "* | *" $session "*) ;; *) continue ;; esac
    ending="$ending$pid " more=1
    kill -STOP "$pid"
  done
done
for pid in $roots; do kill -KILL "-$pid"; done
kill -KILL $ending
`;

const held = new Set<string>();
let watcher: ChildProcess | undefined;

/** Start the watcher ahead, so that the next process is watched as soon as it exists: starting a process takes milliseconds. */
export function beginWatching(begin: typeof spawn): void {
  watcher ??= startWatcher(begin);
}

/** A process that the watcher holds. */
export interface HeldProcess {
  /** Resolves once the watcher has it: from then on it ends with this process. Never rejects. */
  readonly known: Promise<void>;
  release(): void;
}

/** Have the process and everything below it killed when this process ends, whatever ends it. */
export function watchOver({ pid, start }: Pick<ProcessId, "pid" | "start">, begin: typeof spawn): HeldProcess {
  const entry = `${pid} ${start.replace(/\s+/g, "_")}`;
  held.add(entry);
  return {
    known: tell(entry, begin),
    release: () => {
      if (held.delete(entry)) watcher?.stdin?.write(`- ${entry}\n`);
    },
  };
}

/** A watcher that was killed itself is found out here, and another one takes its place. Without any the process continues anyway. */
async function tell(entry: string, begin: typeof spawn): Promise<void> {
  for (const _try of [1, 2]) {
    watcher ??= startWatcher(begin);
    const told = watcher;
    if (await written(told, `+ ${entry}\n`)) return;
    if (watcher === told) watcher = undefined;
  }
}

/** The kernel has the text: its reader gets it even when this process ends now. */
function written({ stdin }: ChildProcess, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (stdin === null) resolve(false);
    else stdin.write(text, (error) => resolve(!error));
  });
}

/** Begun at the first process that it is for. Where it cannot be, or was killed itself, the next one tries again. */
function startWatcher(begin: typeof spawn): ChildProcess {
  const child = begin("sh", ["-c", WATCH, "agent-owner-watch"], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = () => {
    if (watcher === child) watcher = undefined;
  };
  child.once("error", ended).once("exit", ended);
  child.stdin?.on("error", ended);
  child.stdin?.write([...held].map((entry) => `+ ${entry}\n`).join(""));
  child.unref();
  // The pipe of a child is a socket, which can be let go of; its type says only that it is written to.
  (child.stdin as (typeof child.stdin & { unref?: () => void }) | null)?.unref?.();
  return child;
}
