import type { Client } from "../lib/backplane/client.js";
import type { After } from "./decode.js";
import { createDecoder } from "./decode.js";
import { frame } from "./draw.js";
import { createFeeds, type Feeds } from "./feeds/feeds.js";
import { BINDINGS } from "./keys.js";
import type { Effect, Message } from "./messages.js";
import { paint } from "./paint.js";
import { createCellScreen } from "./screen.js";
import { initialState, type State } from "./state.js";
import { createFrames, ENTER, type Output, RESTORE } from "./terminal.js";
import type { Depth } from "./theme/colour.js";
import { PALETTES } from "./theme/palette.js";
import { update } from "./update.js";

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
}

export interface WorkspaceOptions {
  readonly tty: Tty;
  readonly client: Client;
  /** This process is the owner. */
  readonly owner: boolean;
  readonly depth: Depth;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Session to go on with; a new one without it. */
  readonly resume: string | undefined;
  /** `--ignore-rules` or `--safe-mode` was given. */
  readonly ignoreRules: boolean;
  /** `--checkpoints` was given. */
  readonly checkpoints: boolean;
  readonly after: After;
  readonly mono: () => number;
  readonly now: () => number;
  readonly log: (message: string, error: unknown) => void;
  /** Aborts when the process has to leave. */
  readonly signal: AbortSignal;
}

const ESCAPE_MS = 50; // workspace part, 11
const RESIZE_REST_MS = 30;
const TICK_MS = 1_000;
const SPIN_MS = 125;

/** How a workspace was left. */
export interface Left {
  /** The one that was shown, where it holds anything. */
  readonly session: string | undefined;
  /** `detach`: the owner in this process is to go on without a screen. */
  readonly how: "detach" | "stop";
}

/** Show the workspace until the user leaves. @returns the session that was shown, for the line that says how to come back */
export async function openWorkspace(options: WorkspaceOptions): Promise<Left> {
  const { tty, after, mono } = options;
  const size = tty.size();
  const screen = await createCellScreen(size.columns, size.rows, { depth: options.depth, palette: PALETTES.dark, ascii: false });
  let state: State = {
    ...initialState(size.columns, size.rows, { owner: options.owner, keymap: BINDINGS }),
    now: mono(),
    wall: options.now(),
  };
  let leave: (how: "detach" | "stop") => void = () => undefined;
  const left = new Promise<"detach" | "stop">((resolve) => {
    leave = resolve;
  });
  const frames = createFrames(tty.output, { after, mono }, () => {
    const { body, cursor } = paint(screen, state, (error) => options.log("a view failed", error));
    const at = cursor === undefined ? "" : `\x1b[${cursor.y + 1};${cursor.x + 1}H\x1b[?25h`;
    if (body !== "" || at !== "") tty.output.write(frame(body, at));
  });
  const dispatch = (message: Message, now: boolean) => {
    const [next, effects] = update({ ...state, now: mono() }, message);
    state = next;
    for (const effect of effects) perform(effect);
    if (now) frames.now();
    else frames.soon();
  };
  const feeds: Feeds = createFeeds(options, (message) => dispatch(message, false));
  const repaint = () => {
    screen.forget();
    frames.now();
  };
  const perform = (effect: Effect) => {
    if (effect.do === "leave") leave(effect.how);
    else if (effect.do === "redraw") repaint();
    else if (effect.do === "suspend") suspend(options, repaint);
    else if (effect.do === "tell") dispatch(effect.message, false);
    else feeds.perform(effect, state.session.id);
  };
  const stops = [
    tty.onInput(createDecoder((input) => dispatch(input, true), after, ESCAPE_MS)),
    onResizes(tty, after, (columns, rows) => {
      screen.resize(columns, rows);
      dispatch({ type: "resize", columns, rows }, true);
    }),
    ticking(
      options,
      () => state,
      (message) => dispatch(message, false),
    ),
  ];
  const onAbort = () => leave("stop");
  options.signal.addEventListener("abort", onAbort, { once: true });
  enter(tty);
  frames.now();
  feeds.start();
  const how = await left;
  options.signal.removeEventListener("abort", onAbort);
  frames.stop();
  for (const stop of stops) stop();
  if (state.session.id !== undefined) await feeds.leave(state.session.id);
  await feeds.stop();
  screen.close();
  tty.raw(false);
  tty.output.write(RESTORE);
  return { session: state.chat.items.length > 0 ? state.session.id : undefined, how };
}

/** Hand the terminal back as it was, and take it again when the process runs on. */
function suspend({ tty, log }: WorkspaceOptions, repaint: () => void): void {
  tty.raw(false);
  tty.output.write(RESTORE);
  tty.suspend().then(
    () => {
      enter(tty);
      repaint();
    },
    (error: unknown) => log("could not suspend", error),
  );
}

function enter(tty: Tty): void {
  tty.raw(true);
  tty.output.write(ENTER);
}

function onResizes(tty: Tty, after: After, resized: (columns: number, rows: number) => void): () => void {
  let due: (() => void) | undefined;
  return tty.onResize(() => {
    due?.();
    due = after(RESIZE_REST_MS, () => {
      const { columns, rows } = tty.size();
      resized(columns, rows);
    });
  });
}

/** Ages once a second, the spinner eight times while something runs; nothing more often, and nothing drawn that did not change. */
function ticking(options: WorkspaceOptions, state: () => State, dispatch: (message: Message) => void): () => void {
  let cancel: () => void = () => undefined;
  const next = () => {
    cancel = options.after(state().session.turnSince === undefined ? TICK_MS : SPIN_MS, () => {
      dispatch({ type: "tick", now: options.mono(), wall: options.now() });
      next();
    });
  };
  next();
  return () => cancel();
}
