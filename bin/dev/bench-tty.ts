import { type ChildProcess, spawn, spawnSync } from "node:child_process";

/** A program on a terminal of tmux, driven by its control mode: keys go in and bytes come out without a process in between. */
export interface BenchTty {
  /** Keys by tmux's names; text with `literal`. */
  keys(...names: readonly string[]): void;
  literal(text: string): void;
  /** Bytes as a terminal sends them. */
  send(bytes: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves with the time at which the program has written `text`, counted from `since`; only what is written from now on counts. */
  wrote(text: string, longestMs?: number): Promise<number>;
  /** Resolves with the time of the next bytes of the program. */
  wroteAny(longestMs?: number): Promise<number>;
  /** Bytes that the program has written so far. */
  readonly bytes: number;
  screen(): string;
  /** Process of the program. */
  pid(): number;
  close(): void;
}

const COLUMNS = 120;
const ROWS = 40;
const LONGEST_MS = 60_000;
/** Characters that are kept: a word may come in two pieces. */
const TAIL = 64_000;
let servers = 0;

/** Start `command` on a terminal of 120 x 40. Times are of `performance.now()`. */
export async function openTty(command: string, env: Readonly<Record<string, string>>, cwd: string): Promise<BenchTty> {
  servers += 1;
  const name = `agent-bench-${process.pid}-${servers}`;
  const run = (...args: readonly string[]) =>
    spawnSync("tmux", ["-L", name, "-f", "/dev/null", ...args], {
      env: { ...env, TERM: "xterm-256color" },
      encoding: "utf8",
    });
  const size = ["-x", String(COLUMNS), "-y", String(ROWS)];
  const made = run("new-session", "-d", ...size, "-c", cwd, "sh -c 'stty -echo; read -r go; exec sh'");
  if (made.status !== 0) throw new Error(`tmux: ${made.stderr}`);
  run("set-option", "-g", "escape-time", "0");
  run("set-option", "-g", "remain-on-exit", "on");
  const control = spawn("tmux", ["-L", name, "-C", "attach"], {
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const screen = () => run("capture-pane", "-p").stdout;
  const listening = listen(control, screen);
  control.stdin.write(`refresh-client -C ${COLUMNS}x${ROWS}\n`);
  await listening.settled;
  const literal = (text: string) => control.stdin.write(`send-keys -l -- '${text.replaceAll("'", "'\\''")}'\n`);
  control.stdin.write("send-keys Enter\n");
  literal(`exec ${command}`);
  const started = listening.wrote("", 1);
  started.catch(() => undefined); // only there so that what the shell says is not taken for the program
  control.stdin.write("send-keys Enter\n");
  return {
    keys: (...names) => control.stdin.write(`send-keys ${names.join(" ")}\n`),
    literal,
    send: (bytes) =>
      control.stdin.write(`send-keys -H ${[...Buffer.from(bytes)].map((byte) => byte.toString(16)).join(" ")}\n`),
    resize: (columns, rows) => control.stdin.write(`refresh-client -C ${columns}x${rows}\n`),
    wrote: listening.wrote,
    wroteAny: (ms) => listening.wrote("", ms),
    get bytes() {
      return listening.bytes();
    },
    screen,
    pid: () => Number(run("display-message", "-p", "#{pane_pid}").stdout.trim()),
    close: () => {
      control.kill();
      run("kill-server");
    },
  };
}

interface Waiting {
  readonly text: string;
  /** Only what came behind this many characters counts. */
  readonly from: number;
  readonly done: (at: number) => void;
}

/** Output of the pane as it comes: tmux writes control characters and backslashes as octal numbers. */
function listen(control: ChildProcess, screen: () => string) {
  let rest = "";
  let tail = "";
  let seen = 0;
  let bytes = 0;
  let waiting: Waiting[] = [];
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  control.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const at = performance.now();
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("%end")) settle();
      const found = /^%output %\d+ (.*)$/.exec(line)?.[1];
      if (found === undefined) continue;
      const text = found.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
      bytes += Buffer.byteLength(text);
      seen += text.length;
      tail = (tail + text).slice(-TAIL);
      const begins = seen - tail.length;
      const met = waiting.filter((one) => tail.includes(one.text, Math.max(0, one.from - begins)) && seen > one.from);
      if (met.length > 0) waiting = waiting.filter((one) => !met.includes(one));
      for (const one of met) one.done(at);
    }
  });
  return {
    settled,
    bytes: () => bytes,
    wrote: (text: string, longestMs = LONGEST_MS) => {
      const from = seen;
      return new Promise<number>((resolve, reject) => {
        const late = () => reject(new Error(`the screen never showed ${JSON.stringify(text)}; it shows\n${screen()}`));
        const timer = setTimeout(late, longestMs);
        waiting.push({
          text,
          from,
          done: (at) => {
            clearTimeout(timer);
            resolve(at);
          },
        });
      });
    },
  };
}
