import { rmSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../limits.js";
import { parseStat } from "../process/process.js";
import type { Child, Exit, ProcessId, Spawner } from "../process/spawn.js";
import type { Clock } from "../time/clock.js";
import { cagedLoop, loopEnvironment, type ZygoteCage } from "./shell-zygote-cage.js";
import { zygoteLoop } from "./shell-zygote-loop.js";
import { type ZygoteOutput, ZygotePipe } from "./shell-zygote-output.js";

/**
 * A small process that starts shells for this large one. To start a process the system copies the tables of all memory that its parent uses,
 * which takes milliseconds for an owner and next to nothing for a shell.
 */
export interface Zygote {
  /**
   * Start `bash` with the script and `argument` as `$1`: its own session, this zygote's environment and directory, standard error ignored.
   * What is written to it is read by the script alone until it closes its input, which it must do before it runs anything else.
   *
   * @param argument short and without NUL: the system is asked for each byte of it
   * @returns undefined when it cannot: it was closed, or its last shell still lives or has left somebody who holds its output
   */
  start(argument: string): Promise<Child | undefined>;
  /** Nothing is started any more; a shell that has read nothing yet ends, one that works goes on. Harmless twice. */
  close(): void;
}

export interface ZygoteSpec {
  /** The whole environment of its shells. */
  readonly env: Readonly<Record<string, string>>;
  /** Private directory for the pipe of their output. */
  readonly dir: string;
  /** Name of that pipe. */
  readonly name: string;
  /** What each shell runs. */
  readonly script: string;
  /** Its shells run in a cage, which ends with this process; elsewhere they are watched over, so that they do as well. */
  readonly cage?: ZygoteCage;
}

/** @returns undefined where the system or its programs do not allow it; the caller then starts its shells itself */
export async function openZygote(
  { spawner, clock }: { readonly spawner: Spawner; readonly clock: Clock },
  { env, dir, name, script, cage }: ZygoteSpec,
): Promise<Zygote | undefined> {
  const pipe = join(dir, name);
  if (cage !== undefined) return openCaged({ spawner, clock }, { env, dir, name, script, cage });
  // Programs of the zygote say nothing, so they need not read the files of a language; its shells have theirs.
  const plain = env["LC_ALL"] === undefined;
  const program = zygoteLoop(env, pipe, `${plain ? "unset LC_ALL; " : ""}${script}`);
  if (program === undefined) return undefined;
  const loop = await spawner.spawn({
    ...program,
    cwd: "/",
    env: plain ? { ...env, LC_ALL: "C" } : env,
    stdin: "pipe",
    stderr: "ignore",
  });
  const zygote = new BashZygote({ spawner, clock, caged: false }, loop, pipe);
  return (await zygote.ready) ? zygote : undefined;
}

async function openCaged(
  { spawner, clock }: { readonly spawner: Spawner; readonly clock: Clock },
  { env, dir, name, script, cage }: ZygoteSpec & { readonly cage: ZygoteCage },
): Promise<Zygote | undefined> {
  const pipe = join(dir, name);
  const program = cagedLoop(env, pipe, { script, cage });
  if (program === undefined) return undefined;
  const loop = await spawner.spawn({ ...program, cwd: "/", stdin: "pipe", stderr: "ignore" });
  loop.write(loopEnvironment(env));
  const zygote = new BashZygote({ spawner, clock, caged: true }, loop, pipe);
  return (await zygote.ready) ? zygote : undefined;
}

/** The shell that lives at the moment. */
interface Born {
  readonly named: (id: ProcessId | undefined) => void;
  readonly ended: (exit: Exit) => void;
  readonly output: ZygoteOutput;
  id: ProcessId | undefined;
}

class BashZygote implements Zygote {
  readonly ready: Promise<boolean>;
  readonly #spawner: Spawner;
  readonly #caged: boolean;
  readonly #loop: Child;
  readonly #path: string;
  readonly #pipe: ZygotePipe;
  readonly #clock: Clock;
  #open = true;
  #busy = false;
  #born: Born | undefined;
  #text = "";
  #tellReady: (is: boolean) => void = () => undefined;

  constructor(
    { spawner, clock, caged }: { readonly spawner: Spawner; readonly clock: Clock; readonly caged: boolean },
    loop: Child,
    path: string,
  ) {
    this.#spawner = spawner;
    this.#caged = caged;
    this.#loop = loop;
    this.#path = path;
    this.#pipe = new ZygotePipe(path, clock);
    this.#clock = clock;
    this.ready = this.#inTime(
      new Promise((resolve) => {
        this.#tellReady = resolve;
      }),
    );
    loop.onOutput((chunk) => this.#hear(chunk.toString("latin1")));
    loop.closed.then(() => this.#gone(), undefined); // never rejects
  }

  async start(argument: string): Promise<Child | undefined> {
    if (!this.#open || this.#busy) return undefined;
    this.#busy = true;
    const output = this.#pipe.open();
    if (output === undefined) {
      this.close();
      return undefined;
    }
    let ended: (exit: Exit) => void = () => undefined;
    const exited = new Promise<Exit>((resolve) => {
      ended = resolve;
    });
    const id = await this.#inTime(
      new Promise<ProcessId | undefined>((named) => {
        this.#born = { named, ended, output, id: undefined };
        this.#loop.write(`${argument}\0`);
      }),
    );
    if (id === undefined) {
      output.drop();
      this.close();
      return undefined;
    }
    if (this.#born !== undefined) this.#born.id = id;
    const release = this.#caged ? undefined : await this.#spawner.endWithOwner(id);
    if (release !== undefined) exited.then(release, undefined); // never rejects
    return this.#childOf(id, exited, output);
  }

  /** A loop that does not answer, because it or its cage was stopped, is ended: what waits for it then goes another way. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const cancel = this.#clock.after(LIMITS.shellStartMs, () =>
      this.#spawner.signal({ group: this.#loop.pid }, "SIGKILL"),
    );
    try {
      return await answer;
    } finally {
      cancel();
    }
  }

  #childOf(id: ProcessId, exited: Promise<Exit>, output: ZygoteOutput): Child {
    const closed = Promise.all([exited, output.closed]).then(() => {
      this.#busy = false;
      if (!this.#open) this.#pipe.close();
    });
    let fed = false;
    return {
      pid: id.pid,
      id,
      exited,
      closed,
      onOutput: (listener) => {
        output.onData((chunk) => listener(chunk, "stdout"));
      },
      write: (bytes) => {
        fed = true;
        return this.#loop.write(bytes);
      },
      closeInput: () => {
        if (!fed) this.close();
      },
      unref: () => {
        output.unref();
      },
    };
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#pipe.close();
    this.#loop.closeInput();
  }

  #hear(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) this.#told(line[0], line.slice(1));
  }

  #told(what: string | undefined, value: string): void {
    if (what === "r") this.#tellReady(true);
    if (what === "p") this.#born?.named(this.#identityOf(value));
    if (what === "x") this.#end({ code: Number(value), signal: null });
  }

  /** @param told pid and line of /proc; without that line it is looked up */
  #identityOf(told: string): ProcessId {
    const pid = Number.parseInt(told, 10);
    const row = parseStat(told.slice(told.indexOf(" ") + 1));
    const { boot } = this.#spawner;
    if (row?.pid === pid) return { pid, start: row.start, boot };
    return this.#spawner.identify(pid) ?? { pid, start: "", boot };
  }

  #end(exit: Exit): void {
    const born = this.#born;
    this.#born = undefined;
    born?.output.ended();
    born?.named(undefined); // it had no pid to tell: nothing was started
    born?.ended(exit);
  }

  /** A shell whose end can no longer be reported ends with its zygote. */
  #gone(): void {
    this.#open = false;
    this.#pipe.close();
    this.#tellReady(false);
    rmSync(this.#path, { force: true });
    const id = this.#born?.id;
    if (id !== undefined && this.#spawner.alive(id)) this.#spawner.signal({ group: id.pid }, "SIGKILL");
    this.#end({ code: null, signal: "SIGKILL" });
  }
}
