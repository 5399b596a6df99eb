import { pathToFileURL } from "node:url";
import type { ServerDefinition } from "./definition.js";
import type { Finding } from "./findings.js";
import { toFindings } from "./findings.js";
import { fieldOf, type Rpc } from "./rpc.js";
import { languageOf } from "./servers.js";

/** Files that a server has open at once; above, the one that was edited longest ago is closed. */
const OPEN_AT_MOST = 64;

/** Kinds of a change to a file, as the protocol numbers them. */
const CHANGE = { created: 1, changed: 2, deleted: 3 } as const;

/** A file as the server knows it. */
export interface Document {
  readonly path: string;
  readonly uri: string;
  version: number;
  text: string;
  /** What the server last pushed, and for which version of ours. */
  pushed: readonly Finding[];
  pushedFor: number;
  /** What is known of `version`; undefined: nothing yet. */
  known: readonly Finding[] | undefined;
  /** Told about every push that belongs to the current version. */
  readonly heard: Set<() => void>;
}

/** What a server wants to know (its `textDocumentSync`). */
export interface Sync {
  /** 0 nothing, 1 whole texts, 2 changes. */
  readonly change: number;
  readonly save: boolean;
  readonly saveText: boolean;
}

export function syncOf(capabilities: unknown): Sync {
  const sync = fieldOf(capabilities, "textDocumentSync");
  if (typeof sync === "number") return { change: sync, save: true, saveText: false };
  const save = fieldOf(sync, "save");
  return {
    change: Number(fieldOf(sync, "change") ?? 1),
    save: save !== undefined && save !== false,
    saveText: fieldOf(save, "includeText") === true,
  };
}

/** The files that one server has open. */
export interface Documents {
  readonly size: number;
  get(path: string): Document | undefined;
  all(): readonly Document[];
  /** The server knows the file with this text; undefined: it is gone. */
  put(path: string, text: string): Document;
  /** The text of an open file is on the disk. */
  saved(document: Document): void;
  remove(path: string): void;
  /** Take in `textDocument/publishDiagnostics`. */
  pushed(params: unknown): void;
}

export function createDocuments(definition: ServerDefinition, rpc: Rpc, sync: Sync): Documents {
  const open = new Map<string, Document>();
  const close = (document: Document) => {
    open.delete(document.path);
    rpc.notify("textDocument/didClose", { textDocument: { uri: document.uri } });
  };
  const changed = (uri: string, type: number) =>
    rpc.notify("workspace/didChangeWatchedFiles", { changes: [{ uri, type }] });
  const openFile = (path: string, text: string): Document => {
    const uri = pathToFileURL(path).href;
    const document: Document = {
      path,
      uri,
      version: 1,
      text,
      pushed: [],
      pushedFor: 0,
      known: undefined,
      heard: new Set(),
    };
    changed(uri, CHANGE.created);
    rpc.notify("textDocument/didOpen", {
      textDocument: { uri, languageId: languageOf(definition, path), version: 1, text },
    });
    return document;
  };
  return {
    get size() {
      return open.size;
    },
    get: (path) => open.get(path),
    all: () => [...open.values()],
    put: (path, text) => {
      const document = open.get(path) ?? openFile(path, text);
      open.delete(path); // the order of the map is that of use
      open.set(path, document);
      if (document.text !== text) change(document, text, { rpc, sync, changed });
      const oldest = open.size > OPEN_AT_MOST ? open.values().next().value : undefined;
      if (oldest !== undefined) close(oldest);
      return document;
    },
    saved: ({ uri, text }) => {
      if (sync.save) rpc.notify("textDocument/didSave", { textDocument: { uri }, ...(sync.saveText ? { text } : {}) });
    },
    remove: (path) => {
      const document = open.get(path);
      if (document !== undefined) close(document);
      changed(pathToFileURL(path).href, CHANGE.deleted);
    },
    pushed: (params) => take(open, params),
  };
}

interface Told {
  readonly rpc: Rpc;
  readonly sync: Sync;
  changed(uri: string, type: number): void;
}

function change(document: Document, text: string, { rpc, sync, changed }: Told): void {
  const { uri } = document;
  const whole = sync.change === 2 ? [{ range: rangeOf(document.text), text }] : [{ text }];
  document.version += 1;
  document.text = text;
  document.known = undefined;
  changed(uri, CHANGE.changed);
  rpc.notify("textDocument/didChange", { textDocument: { uri, version: document.version }, contentChanges: whole });
}

/** From the first to the last character of a text. */
function rangeOf(text: string): object {
  const lines = text.split(/\r\n|\r|\n/);
  return { start: { line: 0, character: 0 }, end: { line: lines.length - 1, character: (lines.at(-1) ?? "").length } };
}

/** A push without a version belongs to what the server got last; one for an earlier version no longer counts. */
function take(open: ReadonlyMap<string, Document>, params: unknown): void {
  const uri = fieldOf(params, "uri");
  const document = typeof uri === "string" ? find(open, uri) : undefined;
  if (document === undefined) return;
  const version = fieldOf(params, "version");
  if (typeof version === "number" && version < document.version) return;
  document.pushed = toFindings(fieldOf(params, "diagnostics"));
  document.pushedFor = document.version;
  for (const tell of [...document.heard]) tell();
}

/** Servers write the same address in different ways, e.g. with other characters escaped. */
function find(open: ReadonlyMap<string, Document>, uri: string): Document | undefined {
  for (const document of open.values()) if (document.uri === uri) return document;
  const plain = unescaped(uri);
  for (const document of open.values()) if (unescaped(document.uri) === plain) return document;
  return undefined;
}

function unescaped(uri: string): string {
  try {
    return decodeURIComponent(uri).toLowerCase();
  } catch {
    return uri; // no address that could be compared
  }
}
