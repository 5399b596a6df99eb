import { RequestError } from "@agentclientprotocol/sdk";
import { randomIds } from "../../lib/base/ids.js";
import type { Log } from "../../lib/base/log/log.js";
import { EDITOR_PART_CHARS, type EditorNews, type EditorRequest } from "../../lib/contracts/acp/editor-files.js";
import type { OwnerLine } from "../../lib/contracts/acp/owner-line.js";
import type { Editor } from "./editor.js";

/** Resource not found, as the protocol numbers it. */
const NOT_FOUND = -32002;

type Call = <T>(method: string, params?: object) => Promise<T>;

/** Lets the owner read and write files through the editor. */
export interface EditorFileService {
  /**
   * Offer the editor's files to a session, at this owner and, with the call of a greeting, at a further one. Changes nothing for an editor that
   * offers none.
   *
   * @param id as the editor names the conversation
   */
  attach(
    session: string,
    how: { readonly id: string; readonly roots: readonly string[]; readonly call: Call },
  ): Promise<void>;
  detach(session: string): Promise<void>;
  /** Listen for what the owner asks. */
  listen(): Promise<void>;
  close(): void;
}

export interface EditorFileDeps {
  readonly line: OwnerLine;
  readonly editor: Editor;
  readonly log: Log;
}

interface Own extends EditorFileDeps {
  readonly channel: string;
  /** The editor's name of each session. */
  readonly names: Map<string, string>;
  /** Requests that the editor works on. */
  readonly open: Map<string, AbortController>;
}

/** Nothing is offered yet. */
export function createEditorFiles(deps: EditorFileDeps): EditorFileService {
  const own: Own = { ...deps, channel: randomIds.hex(16), names: new Map(), open: new Map() };
  let unfollow: (() => void) | undefined;
  let tail = Promise.resolve();
  const take = () => {
    tail = tail
      .then(() => takeNews(own))
      .catch((error: unknown) => own.log.warning("requests for the editor were not taken", { error: String(error) }));
  };
  return {
    attach: async (session, { id, roots, call }) => {
      const { readTextFile: read = false, writeTextFile: write = false } = own.editor.capabilities.fs ?? {};
      if (!read && !write) return;
      own.names.set(session, id);
      await call("editor.attach", { session_id: session, channel: own.channel, read, write, roots });
    },
    detach: async (session) => {
      if (!own.names.delete(session)) return;
      await own.line.call("editor.detach", { session_id: session }, { repeat: true });
    },
    listen: async () => {
      unfollow = await own.line.followEditor(own.channel, take);
      take(); // what was asked before
    },
    close: () => {
      unfollow?.();
      for (const control of own.open.values()) control.abort();
    },
  };
}

async function takeNews(own: Own): Promise<void> {
  if (own.names.size === 0) return;
  const { requests, withdrawn } = await own.line.call<EditorNews>(
    "editor.take",
    { channel: own.channel },
    { repeat: true },
  );
  for (const request of withdrawn) own.open.get(request)?.abort();
  for (const asked of requests) {
    const control = new AbortController();
    own.open.set(asked.request, control);
    serve(own, asked, control.signal)
      .catch((error: unknown) => {
        if (!control.signal.aborted)
          own.log.warning("a request for the editor failed", { kind: asked.kind, error: String(error) });
      })
      .finally(() => own.open.delete(asked.request));
  }
}

async function serve(own: Own, { request, session_id, kind, path }: EditorRequest, signal: AbortSignal): Promise<void> {
  const { line, editor, names } = own;
  const id = names.get(session_id) ?? session_id;
  const respond = (given: object) =>
    line.call<{ readonly waiting: boolean }>("editor.respond", { request, ...given }, { repeat: true });
  const text = kind === "write" ? await textToWrite(line, request) : "";
  let answer: string;
  try {
    answer = kind === "read" ? await editor.readFile(id, path, signal) : "";
    if (kind === "write") await editor.writeFile(id, path, text, signal);
  } catch (error) {
    // Without an answer of the editor nothing is known: its end ends the request.
    if (signal.aborted || !(error instanceof RequestError)) throw error;
    await respond({ error: { kind: error.code === NOT_FOUND ? "missing" : "refused", message: messageOf(error) } });
    return;
  }
  for (let from = 0, waiting = true; waiting; from += EDITOR_PART_CHARS) {
    const more = from + EDITOR_PART_CHARS < answer.length;
    const part = answer.slice(from, from + EDITOR_PART_CHARS);
    waiting = (await respond({ text: part, more })).waiting && more;
  }
}

async function textToWrite(line: OwnerLine, request: string): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (let more = true; more; ) {
    const part = await line.call<{ readonly text: string; readonly more: boolean }>(
      "editor.text",
      { request, from },
      { repeat: true },
    );
    parts.push(part.text);
    from += part.text.length;
    more = part.more;
  }
  return parts.join("");
}

const messageOf = ({ message, data }: RequestError): string =>
  (typeof data === "string" ? `${message} (${data})` : message).slice(0, 1_000);
