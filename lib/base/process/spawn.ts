import type { Ms } from "../units.js";

/**
 * What names one process for ever: a pid alone is used again. `start` is the kernel's start time in its own unit, `boot` the boot id;
 * where the system gives none they are empty, and such a process is never signalled after an owner restart.
 */
export interface ProcessId {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
}

export interface SpawnSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. Nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
  /** A person's settings name it: what it starts may act as that person does, unlike what a tool starts. */
  readonly forPerson?: true;
  /** Own session and process group (default true), so that it can be ended with all its children. */
  readonly group?: boolean;
  /**
   * It, its group and everything below it are killed when this process ends, whatever ends it (default: they live on). It does nothing before that is
   * certain.
   */
  readonly endsWithOwner?: true;
  readonly stdin?: "ignore" | "pipe";
  /** `pipe`, `ignore`, or a path to append to (0600). */
  readonly stdout?: "ignore" | "pipe" | { readonly append: string };
  readonly stderr?: "ignore" | "pipe" | "stdout" | { readonly append: string };
  /** Two more pipes: the child reads descriptor 3 and writes descriptor 4. */
  readonly channel?: true;
  /** What the child reads from descriptor 5, to its end. */
  readonly feed?: string;
}

/** The other ends of descriptors 3 and 4 of a child. */
export interface ChildChannel {
  /** False: the child reads more slowly than it is sent to. What is sent after its end is lost. */
  send(text: string): boolean;
  /** Called until the child closes its end. */
  onData(listener: (chunk: Buffer) => void): void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly pid: number;
  readonly id: ProcessId;
  /** Bytes in order of arrival. Called until the pipe closes. */
  onOutput(listener: (chunk: Buffer, stream: "stdout" | "stderr") => void): void;
  write(bytes: string | Buffer): boolean;
  closeInput(): void;
  /** Resolves when the process itself has ended; grandchildren may still hold its pipes. */
  readonly exited: Promise<Exit>;
  /** Resolves when the pipes are closed as well. */
  readonly closed: Promise<void>;
  /** Resolves when nothing more comes from its standard output, though it may live on. Read it with `onOutput`. */
  readonly outputEnded: Promise<void>;
  /** Where one was asked for. */
  readonly channel?: ChildChannel;
  /** Forget the child: it does not keep this process alive. */
  unref(): void;
}

/** A process that leads a session, and what the system tells of its beginning. */
export interface Leader {
  readonly id: ProcessId;
  readonly args: readonly string[];
  /** Its environment as it was at its start, each `name=value`. */
  readonly env: readonly string[];
  /** What its standard input is. */
  readonly input: string;
}

/** The one door to other processes. */
export interface Spawner {
  /** @throws the system's error (`ENOENT`, `EACCES`) when the file cannot be started. */
  spawn(spec: SpawnSpec): Promise<Child>;
  /** Identity of a running process, or undefined when it does not exist. A zombie does not have one. */
  identify(pid: number): ProcessId | undefined;
  /** A process with that pid, that start time and that boot id exists and is not a zombie. */
  alive(id: ProcessId): boolean;
  /** How long a living process has lived, by the kernel's own clock; undefined where the system does not tell. The wall clock plays no part. */
  age(id: ProcessId): Ms | undefined;
  /**
   * Pids of living (not zombie) members of the process group. A process that leads a group and watches over a pid namespace (bubblewrap) has
   * everything in that namespace in its group, here and for signals; signals other than SIGKILL reach what runs inside and not the watcher.
   */
  members(group: number): readonly number[];
  /** Living processes below this one, at any depth, wherever their groups are. */
  descendants(pid: number): readonly ProcessId[];
  /** Pids of this user's living processes whose environment has `name=value`. Linux only; elsewhere empty. */
  marked(name: string, value: string): readonly number[];
  /** This user's living processes that lead a session of their own, with what they were started with. Linux only; elsewhere none. */
  leaders(): readonly Leader[];
  /** Signal a group or one process; false when it is gone. */
  signal(target: { group: number } | { pid: number }, signal: "SIGTERM" | "SIGKILL" | "SIGINT"): boolean;
  /** End everything in the group: SIGTERM, `grace`, SIGKILL. Resolves true when nothing of it lives. */
  endGroup(group: number, grace: Ms, signal?: AbortSignal): Promise<boolean>;
  readonly boot: string;
  readonly host: string;
}
