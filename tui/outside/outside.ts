import type { Client } from "../../lib/backplane/client.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { Effect, Message } from "../model/messages.js";
import type { SetTimer } from "../terminal/decode.js";
import { createSound } from "../voice/sound.js";
import { copyText } from "./clipboard.js";
import type { OutsideEffect } from "./messages.js";
import { grabPicture } from "./picture.js";
import type { Programs } from "./programs.js";

/** What effects on the terminal and on programs are carried out with. */
export interface OutsideParts {
  readonly programs: Programs;
  readonly client: Client;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File for what no clipboard takes. */
  readonly clipboardFile: string;
  readonly after: SetTimer;
  /** Bytes to the terminal beside the frames; lost while another program has it. */
  readonly write: (bytes: string) => void;
  /** Give the terminal away while `work` runs. Its signal aborts when the workspace is left meanwhile. */
  readonly handOver: <T>(work: (left: AbortSignal) => Promise<T>) => Promise<T>;
  /** Aborts when the screen is left. */
  readonly left: AbortSignal;
  readonly send: (message: Message) => void;
  readonly log: (message: string, error: unknown) => void;
}

const KEEP_REST_MS = 600; // a key that repeats is one change of the file

/** Carries out what reducers ask of the terminal. */
export interface Outside {
  perform(effect: Effect): void;
}

export function createOutside(parts: OutsideParts): Outside {
  const keep = keeper(parts);
  const failed = (what: string) => (error: unknown) => {
    parts.log(what, error);
    parts.send({ type: "say", text: `${what}: ${messageOf(error)}`, error: true });
  };
  const sound = createSound({ ...parts, failed });
  return {
    perform: (effect) => {
      sound.perform(effect);
      if (effect.do === "copy") copy(parts, effect).catch(failed("not copied"));
      if (effect.do === "hand") hand(parts, effect).catch(failed("failed to give the program the terminal"));
      if (effect.do === "grab") grabPicture(parts).catch(failed("failed to attach the picture"));
      if (effect.do === "keep") keep(effect.key, effect.value);
    },
  };
}

const messageOf = (error: unknown): string => sanitizeLine(error instanceof Error ? error.message : String(error));

async function copy({ env, programs, write, clipboardFile, send }: OutsideParts, effect: Of<"copy">): Promise<void> {
  const said = await copyText(effect.text, effect.what, { env, programs, write, file: clipboardFile });
  send({ type: "say", ...said });
}

type Of<T extends OutsideEffect["do"]> = Extract<OutsideEffect, { do: T }>;

async function hand({ programs, handOver, send, log }: OutsideParts, effect: Of<"hand">): Promise<void> {
  const { argv, stdin, file, to } = effect;
  let status: number | undefined;
  let text: string | undefined;
  let error: string | undefined;
  const run = async (words: readonly string[], signal: AbortSignal) => {
    status = await programs.run(words, { terminal: true, signal, ...(stdin === undefined ? {} : { stdin }) });
  };
  try {
    await handOver(async (left) => {
      if (file === undefined) return run(argv, left);
      text = await programs.edit(file.text, file.ending, (path) => run([...argv, path], left));
    });
  } catch (thrown) {
    log(`failed to run ${argv[0] ?? ""}`, thrown);
    error = `failed to run ${sanitizeLine(argv[0] ?? "")}: ${messageOf(thrown)}`;
  }
  if (to === undefined) return error === undefined ? undefined : send({ type: "say", text: error, error: true });
  send({
    type: "handed",
    to,
    status,
    ...(text === undefined ? {} : { text }),
    ...(error === undefined ? {} : { error }),
  });
}

/** One change of the settings after the last of several. */
function keeper({ client, after, send }: OutsideParts): (key: string, value: unknown) => void {
  const due = new Map<string, () => void>();
  return (key, value) => {
    due.get(key)?.();
    const write = () => {
      due.delete(key);
      const written = typeof value === "string" ? { value, string: true } : { value: JSON.stringify(value) };
      client.call("config.set", { key, ...written }).catch((error: unknown) => {
        send({ type: "say", text: `failed to save ${key}: ${messageOf(error)}`, error: true });
      });
    };
    due.set(key, after(KEEP_REST_MS, write));
  };
}
