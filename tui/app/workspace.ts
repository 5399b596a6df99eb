import type { Client } from "../../lib/backplane/client.js";
import type { EffectOptions } from "../effects/effect.js";
import { createEffectRunners, type EffectRunners } from "../effects/effects.js";
import { pause } from "../effects/follow-store.js";
import { createPainting, type PaintCode, type Painting } from "../grammar/painting.js";
import { plainSurface } from "../inline/plain.js";
import { countOf, isReady, isRefused, isSettled } from "../inline/settled.js";
import type { LastTurn } from "../inline/state.js";
import { lineSurface } from "../inline/surface.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Effect, Message } from "../model/messages.js";
import type { Start, State } from "../model/state.js";
import { update } from "../model/update.js";
import { createOutside, type Outside } from "../outside/outside.js";
import type { Programs } from "../outside/programs.js";
import { asksTmux } from "../outside/tmux-pictures.js";
import { createDecoder, type SetTimer } from "../terminal/decode.js";
import { createFrames, type Frames } from "../terminal/frames.js";
import { fullSurface } from "../terminal/full-surface.js";
import { lookOf } from "../terminal/look.js";
import { onResizes } from "../terminal/resizing.js";
import type { Surface } from "../terminal/surface.js";
import { createModes, type Modes, type Output, QUERIES, type UiMode } from "../terminal/terminal.js";
import { createChrome, NO_CHROME, type TerminalChrome } from "../terminal/terminal-chrome.js";
import { type Closing, closing } from "./closing.js";
import { displayAtFirst } from "./display.js";
import { type Ticking, ticking } from "./ticking.js";

/** The terminal that the workspace lives on. */
export interface Tty {
  readonly output: Output;
  size(): { readonly columns: number; readonly rows: number };
  onInput(listener: (bytes: Buffer) => void): () => void;
  onResize(listener: () => void): () => void;
  /** Raw mode on or off. */
  raw(on: boolean): void;
  /** Stop this process as Ctrl+Z does; resolves when it runs again. */
  suspend(): Promise<void>;
  /** Called when this process runs again after it was stopped by another one. */
  onContinue(listener: () => void): () => void;
  /** Called with each SIGINT from outside, which counts as Ctrl+C. */
  onInterrupt(listener: () => void): () => void;
}

export interface WorkspaceOptions extends EffectOptions {
  readonly tty: Tty;
  readonly client: Client;
  /** This process is the owner. `role` tells when that changes. */
  readonly owner: boolean;
  /** The first frame was drawn. */
  readonly onShown?: () => void;
  readonly onRole?: (listener: (owner: boolean, text: string) => void) => () => void;
  /** The whole screen, line mode, or lines alone. */
  readonly front: UiMode;
  /** Lines that are given one after the other, each when the one before is worked; their end ends it all. */
  readonly lines?: AsyncIterable<string>;
  readonly version: string;
  /** `--color`. */
  readonly color: string | undefined;
  readonly programs: Programs;
  /** Colours finished code by its grammar; absent: it keeps its first colours. */
  readonly paintCode?: PaintCode;
  /** File for what no clipboard takes. */
  readonly clipboardFile: string;
  readonly after: SetTimer;
  readonly mono: () => number;
  readonly now: () => number;
  /** Aborts when the process has to leave. The reason `lost`: the terminal is gone. */
  readonly signal: AbortSignal;
}

/** `detach`: the owner in this process goes on without a screen; `stop`: it stops in order; `lost`: the terminal is gone. */
export type ExitMode = "detach" | "stop" | "lost";

export interface WorkspaceExit {
  readonly how: ExitMode;
  /** Of the conversation that was shown; undefined: nothing was said in it. */
  readonly closing: Closing | undefined;
  /** How the last turn ended; undefined: none did, or the owner took no further one. */
  readonly last: LastTurn | "refused" | undefined;
}

/** What a program that has the terminal may take to end once the workspace is left, in milliseconds. */
const PROGRAM_MS = 300;
const CTRL_C: Message = { type: "key", name: "c", ctrl: true, alt: false, shift: false };

/** Show the workspace until the user leaves. */
export async function openWorkspace(options: WorkspaceOptions): Promise<WorkspaceExit> {
  const { tty, env } = options;
  const size = tty.size();
  const start = {
    owner: options.owner,
    keymap: BINDINGS,
    display: displayAtFirst(env),
    cwd: options.cwd,
    ...inlineOf(options),
  };
  const state = { ...initialState(size.columns, size.rows, start), now: options.mono(), wall: options.now() };
  return await new Workspace(options, await surfaceOf(options, state), state).show();
}

function inlineOf({ front, version, cwd, resume, answers }: WorkspaceOptions): Partial<Start> {
  if (front === "screen") return {};
  const resumed = resume !== undefined;
  const aloud = front === "plain" && answers === true;
  return {
    inline: {
      version,
      cwd,
      aloud,
      lines: 0,
      tools: undefined,
      resumed,
      watch: undefined,
      printing: undefined,
      turns: 0,
      last: undefined,
    },
  };
}

async function surfaceOf(options: WorkspaceOptions, state: State): Promise<Surface> {
  const look = lookOf(state, options);
  if (options.front === "lines") return lineSurface(state, look);
  if (options.front === "plain") return plainSurface(state.columns, look);
  return await fullSurface(state, look, (error) => options.log("failed to draw a view", error));
}

/** Messages in, frames and effects out. It holds no rule of its own. */
class Workspace {
  readonly #options: WorkspaceOptions;
  readonly #surface: Surface;
  readonly #modes: Modes;
  readonly #frames: Frames;
  readonly #feeds: EffectRunners;
  readonly #outside: Outside;
  readonly #chrome: TerminalChrome;
  readonly #ticks: Ticking;
  readonly #painting: Painting;
  readonly #keys: (bytes: Buffer) => void;
  #state: State;
  #shown = false;
  #deaf: () => void = () => undefined;
  #leave: (how: ExitMode) => void = () => undefined;
  /** Aborts when the workspace is left: from then on nothing changes the terminal. */
  readonly #closed = new AbortController();
  /** Ends when the program with the terminal gives it back. */
  #handed: Promise<unknown> | undefined;
  /** Looks whether what is waited for holds. */
  #awaited: (() => void) | undefined;

  constructor(options: WorkspaceOptions, surface: Surface, state: State) {
    const { tty, after } = options;
    this.#options = options;
    this.#surface = surface;
    this.#state = state;
    this.#modes = createModes(tty.output, options.front);
    this.#frames = createFrames(tty.output, options, () => this.#paint());
    surface.onReady?.(() => this.#frames.soon());
    this.#chrome = options.front === "plain" ? NO_CHROME : createChrome(surface, this.#modes, options);
    this.#feeds = createEffectRunners(options, (message) => this.#dispatch(message));
    const parts = {
      write: (bytes: string) => tty.output.write(bytes),
      send: (message: Message) => this.#dispatch(message),
    };
    this.#outside = createOutside({
      ...options,
      ...parts,
      left: this.#closed.signal,
      handOver: (work) => this.#handOver(work),
    });
    this.#ticks = ticking(
      options,
      () => this.#state,
      (message) => this.#dispatch(message),
    );
    this.#painting = createPainting(options, (message) => this.#dispatch(message));
    this.#keys = createDecoder(
      (input) => this.#dispatch(input, true),
      after,
      () => this.#state.display.escapeMs,
    );
  }

  async show(): Promise<WorkspaceExit> {
    const { signal, tty } = this.#options;
    const left = new Promise<ExitMode>((resolve) => {
      this.#leave = resolve;
    });
    const onAbort = () => this.#leave(signal.reason === "lost" ? "lost" : "stop");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const stops = this.#listen();
    this.#take();
    this.#frames.now();
    if (this.#options.front !== "plain") tty.output.write(QUERIES);
    if (this.#options.front === "screen")
      this.#askTmux().catch((error: unknown) => this.#options.log("failed to ask tmux about pictures", error));
    this.#feeds.start();
    if (this.#options.lines)
      this.#read(this.#options.lines).catch((error: unknown) => this.#options.log("failed to read the input", error));
    const how = await left;
    signal.removeEventListener("abort", onAbort);
    for (const stop of stops) stop();
    const last = isRefused(this.#state) ? "refused" : this.#state.inline?.last;
    return { how, closing: await this.#close(), last };
  }

  async #askTmux(): Promise<void> {
    const { programs, env } = this.#options;
    if (await asksTmux(programs, env)) this.#dispatch({ type: "tmux.pictures" });
  }

  #listen(): readonly (() => void)[] {
    const { tty, onRole } = this.#options;
    const role = onRole?.((owner, text) => this.#dispatch({ type: "role", owner, text }));
    return [
      tty.onInterrupt(() => this.#dispatch(CTRL_C, true)),
      tty.onContinue(() => this.#again()),
      onResizes(tty, this.#options, (columns, rows) => this.#resize(columns, rows)),
      () => this.#ticks.stop(),
      ...(role === undefined ? [] : [role]),
    ];
  }

  /** Lines of a pipe, each when the one before is worked; those of a person count at once, whatever runs. */
  async #read(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      await this.#until(isReady);
      const before = countOf(this.#state);
      this.#dispatch({ type: "line", text: line });
      if (line.trim() !== "" && this.#state.inline?.aloud !== true)
        await this.#until((state) => isSettled(state, before));
    }
    this.#frames.flush();
    this.#leave("stop");
  }

  #until(holds: (state: State) => boolean): Promise<void> {
    if (holds(this.#state)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#awaited = () => {
        if (!holds(this.#state)) return;
        this.#awaited = undefined;
        resolve();
      };
    });
  }

  #take(): void {
    const { tty } = this.#options;
    tty.raw(true);
    this.#modes.enter();
    this.#chrome.again(this.#state);
    this.#deaf = tty.onInput(this.#keys);
  }

  /** The terminal is given back first; what is asked of the owner afterwards has a limit of its own. */
  async #close(): Promise<Closing | undefined> {
    this.#frames.stop();
    if (this.#handed === undefined) this.#restore();
    this.#closed.abort();
    this.#surface.close();
    await this.#givenBack();
    const told = await closing(this.#options, this.#state);
    if (this.#state.session.id !== undefined) await this.#feeds.leave(this.#state.session.id);
    await this.#feeds.stop();
    return told;
  }

  /** A program that has the terminal was asked to end; one that does not is not waited for. */
  async #givenBack(): Promise<void> {
    if (this.#handed === undefined) return;
    const late = new AbortController();
    await Promise.race([this.#handed, pause(this.#options.after, PROGRAM_MS, late.signal)]);
    late.abort();
  }

  /** The terminal as it was. One that is gone takes no harm, and one that only seemed to be is restored. */
  #restore(): void {
    this.#deaf();
    this.#options.tty.output.write(this.#surface.aside());
    this.#modes.leave();
    this.#options.tty.raw(false);
  }

  #dispatch(message: Message, atOnce = false): void {
    if (this.#closed.signal.aborted) return;
    const before = this.#state;
    const [next, effects] = update({ ...before, now: this.#options.mono(), wall: this.#options.now() }, message);
    this.#state = next;
    this.#ticks.look();
    this.#chrome.changed(before, next);
    for (const effect of effects) this.#perform(effect);
    this.#awaited?.();
    if (atOnce) this.#frames.now();
    else this.#frames.soon();
  }

  #perform(effect: Effect): void {
    if (effect.do === "leave") this.#leave(effect.how);
    else if (effect.do === "redraw") this.#repaint();
    else if (effect.do === "suspend") this.#suspend();
    else if (effect.do === "tell") this.#dispatch(effect.message);
    else {
      this.#outside.perform(effect);
      this.#feeds.perform(effect, this.#state.session.id);
    }
  }

  #paint(): void {
    const bytes = this.#surface.frame(this.#state);
    if (bytes !== "") this.#options.tty.output.write(bytes);
    if (!this.#shown) this.#options.onShown?.();
    this.#shown = true;
    this.#painting.look(this.#state);
  }

  #repaint(): void {
    this.#surface.forget();
    this.#frames.go();
  }

  #resize(columns: number, rows: number): void {
    this.#surface.resize(columns, rows);
    this.#dispatch({ type: "resize", columns, rows }, true);
  }

  #suspend(): void {
    this.#handOver(() => this.#options.tty.suspend()).catch((error: unknown) =>
      this.#options.log("failed to suspend", error),
    );
  }

  /** The terminal belongs to another program while `work` runs; then everything is drawn again. */
  async #handOver<T>(work: (left: AbortSignal) => Promise<T>): Promise<T> {
    this.#frames.hold();
    this.#restore();
    const working = work(this.#closed.signal);
    this.#handed = working.catch(() => undefined); // its caller gets the error
    try {
      return await working;
    } finally {
      this.#handed = undefined;
      this.#again();
    }
  }

  /** Another program had the terminal: its modes are set and everything is drawn again. */
  #again(): void {
    if (this.#closed.signal.aborted) return;
    this.#deaf();
    this.#take();
    const { columns, rows } = this.#options.tty.size();
    this.#resize(columns, rows);
    this.#repaint();
  }
}
