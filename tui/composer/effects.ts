import { withLinkedSignal } from "../../lib/base/async/abort-any.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { callKey, type EffectContext, type EffectRunner, ownKey } from "../effects/effect.js";
import type { Candidate } from "./completion/state.js";
import type { ComposerEffect, ComposerMessage } from "./messages.js";

const SOON_MS = 50; // workspace part, 4.2: candidates come so soon or not at all
const PATIENT_MS = 5_000; // for those that the user has pressed a key for
const PIECE = 128 * 1024; // of a paste that is kept as a file: a message of the backplane holds a megabyte

type Of<T extends ComposerEffect["do"]> = Extract<ComposerEffect, { do: T }>;

/** What is typed: sent, completed, remembered and kept by the owner. */
export function createComposerEffects(context: EffectContext): EffectRunner {
  const { client, signal, options, run, send } = context;
  const completer = createCompleter(context);
  const tell = (method: string, params: object) =>
    client.call(method, params, { signal, key: callKey() }).then(() => undefined);
  return {
    start: () => {
      const program = editorOf(options.env);
      send({ type: "composed", history: [], program });
      run("failed to read the input history", async () => {
        for (let after: number | null = 0; after !== null; ) {
          const params: object = { cwd: options.cwd, after };
          const page: Page = await client.call<Page>("history.list", params, { signal, repeat: true });
          send({ type: "composed", history: page.texts, program });
          after = page.next;
        }
      });
    },
    perform: (effect) => {
      if (effect.do === "submit") run("failed to send the message", () => submit(context, effect));
      if (effect.do === "complete") completer.ask(effect);
      if (effect.do === "remember")
        run("failed to save the input history", () => tell("history.add", { text: effect.text, cwd: options.cwd }));
      if (effect.do === "keepDraft")
        run("failed to save the draft", () =>
          tell("draft.set", {
            ...draftOf(effect, options.cwd),
            text: effect.text,
            ...(effect.before === undefined ? {} : { before: effect.before }),
          }),
        );
      if (effect.do === "readDraft") run("failed to read the draft", () => readDraft(context, effect));
      if (effect.do === "keepPaste") run("failed to save the paste", () => keepPaste(context, effect.text));
      if (effect.do === "keepPicture") run("failed to attach the picture", () => attach(context, effect));
      if (effect.do === "look") run("failed to read the file", () => look(context, effect));
    },
  };
}

interface Page {
  readonly texts: readonly string[];
  readonly next: number | null;
}

/** The user's own editor as words; there is always `vi`. */
function editorOf(env: Readonly<Record<string, string>>): readonly string[] {
  const words = (env["VISUAL"] || env["EDITOR"] || "").split(/\s+/).filter(Boolean);
  return words.length === 0 ? ["vi"] : words;
}

/** The key makes a message that is sent again, by whomever, one message. What the owner refuses it refuses for good; the rest goes again. */
async function submit(
  { client, signal, send }: EffectContext,
  { id, text, session, mode }: Of<"submit">,
): Promise<void> {
  let outcome: Extract<ComposerMessage, { type: "sent" }>["outcome"] = "lost";
  try {
    const params = { session_id: session, text, ...(mode === undefined ? {} : { mode }) };
    await client.call("turn.submit", params, { signal, key: ownKey(`m${id}`) });
    outcome = "taken";
  } catch (error) {
    outcome = isLost(error) ? "lost" : "refused";
    if (outcome === "refused") throw error;
  } finally {
    send({ type: "sent", id, outcome });
  }
}

/** The connection ended before an answer came: the outcome is unknown. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["E_OWNER_LOST", "E_OWNER"].includes(String(error.code));

/** One question at a time, the newest next; an answer that comes late is not shown. One that the user waits for gives way to a newer one. */
function createCompleter({ client, options, signal, send, run }: EffectContext): { ask(effect: Of<"complete">): void } {
  let busy = false;
  let next: Of<"complete"> | undefined;
  let giveWay: () => void = () => undefined;
  const ask = async ({ asked, line, session, patient }: Of<"complete">) => {
    const late = new AbortController();
    if (patient === true) giveWay = () => late.abort();
    const cancel = options.after(patient === true ? PATIENT_MS : SOON_MS, () => late.abort());
    try {
      const params = {
        text: line,
        cursor: line.length,
        cwd: options.cwd,
        ...(session === undefined ? {} : { session_id: session }),
      };
      const rows = await withLinkedSignal([signal, late.signal], (either) =>
        client.call<readonly Row[]>("complete", params, { signal: either, repeat: true }),
      );
      send({ type: "offered", asked, from: rows[0]?.from, rows: rows.map(shown) });
    } catch (error) {
      if (patient === true) send({ type: "offered", asked, from: undefined, rows: [] });
      if (!late.signal.aborted) throw error;
    } finally {
      giveWay = () => undefined;
      cancel();
    }
  };
  const begin = (effect: Of<"complete">) => {
    busy = true;
    run("failed to list completions", () =>
      ask(effect).finally(() => {
        busy = false;
        const waiting = next;
        next = undefined;
        if (waiting !== undefined && !signal.aborted) begin(waiting);
      }),
    );
  };
  return {
    ask: (effect) => {
      if (!busy) return begin(effect);
      next = effect;
      giveWay();
    },
  };
}

type Row = Candidate & { readonly from?: number };

const shown = ({ text, label, detail, kind }: Row): Candidate => ({
  text,
  label: sanitizeLine(label),
  detail: sanitizeLine(detail),
  kind,
});

/** Without a conversation it is the draft of the next new one in this directory. */
const draftOf = ({ session }: { readonly session: string | undefined }, cwd: string): object =>
  session === undefined ? { cwd } : { session_id: session };

async function readDraft(
  { client, options, signal, send }: EffectContext,
  { session, fresh }: Of<"readDraft">,
): Promise<void> {
  const asked = draftOf({ session: fresh ? undefined : session }, options.cwd);
  const { text } = await client.call<{ text: string }>("draft.get", asked, { signal, repeat: true });
  if (text !== "") send({ type: "drafted", session, text });
}

interface Kept {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

async function keepPaste({ client, signal, send }: EffectContext, text: string): Promise<void> {
  let kept: Kept | undefined;
  for (let at = 0; at < text.length; at += PIECE) {
    const piece = { text: text.slice(at, at + PIECE), ...(kept === undefined ? {} : { name: kept.name }) };
    kept = await client.call<Kept>("paste.keep", piece, { signal, key: callKey() });
  }
  if (kept !== undefined) send({ type: "file", asked: undefined, ...kept });
}

/** A picture that was dropped is part of the message; any other file is named by it. */
async function look(context: EffectContext, { path, session, typed }: Of<"look">): Promise<void> {
  const { client, options, signal, send } = context;
  const params = { path, cwd: options.cwd, ...(session === undefined ? {} : { session_id: session }) };
  const file = await client.call<(Kept & { readonly image: boolean }) | null>("file.look", params, {
    signal,
    repeat: true,
  });
  if (file === null)
    return typed === undefined
      ? undefined
      : send({ type: "say", text: `no such file: ${sanitizeLine(path)}`, error: true });
  const { image, ...kept } = file;
  if (image)
    return attach(context, {
      do: "keepPicture",
      path: kept.path,
      session,
      asked: typed === undefined ? path : undefined,
    });
  send({ type: "file", asked: typed === undefined ? path : undefined, ...kept });
}

async function attach(
  { client, options, signal, send }: EffectContext,
  { path, session, asked }: Of<"keepPicture">,
): Promise<void> {
  const params = { path, cwd: options.cwd, ...(session === undefined ? {} : { session_id: session }) };
  const { name, bytes, mention } = await client.call<Kept & { readonly mention: string }>("image.attach", params, {
    signal,
    key: callKey(),
  });
  send({ type: "picture", asked, name, bytes, mention });
}
