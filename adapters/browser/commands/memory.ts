import type { Page, Request } from "playwright-core";
import { createRefs, type Refs } from "../../../lib/browser/snapshot/refs.js";
import type { Box, Row } from "../../../lib/browser/snapshot/row.js";
import type { BrowserSession } from "../session.js";

/** What is known of one page of a session. */
export interface PageMemory {
  readonly number: number;
  /** What the model has been shown of it last. */
  shown?: readonly Row[];
  /** Requests of the page that may change it, and have not ended. */
  readonly loading: Set<Request>;
}

/** What the commands of a session keep between them. */
export interface Memory {
  readonly refs: Refs;
  readonly pages: WeakMap<Page, PageMemory>;
  /** Values of password fields and typed secrets: they are never shown. */
  readonly secrets: Set<string>;
  /** Place of the last action. */
  near?: Box | undefined;
  /** Files of pages that were written. */
  files: number;
  /** Pages that were met. */
  met: number;
  /** What the last file holds, and where. */
  written?: { readonly text: string; readonly path: string };
  /** A command that a dialog has interrupted, and that ends when the dialog is answered. */
  held?: Promise<unknown>;
}

const NAME = "commands";
const SECRETS_KEPT = 200;
/** Requests after which a page may look different. */
const CHANGES: ReadonlySet<string> = new Set(["document", "fetch", "script", "stylesheet", "xhr"]);

export function memoryOf(session: BrowserSession): Memory {
  const kept = session.state.get(NAME);
  if (kept !== undefined) return kept as Memory; // only this function writes the entry
  const made: Memory = {
    refs: createRefs(),
    pages: new WeakMap(),
    secrets: new Set(),
    files: 0,
    met: 0,
  };
  session.state.set(NAME, made);
  return made;
}

export function pageMemoryOf(memory: Memory, page: Page): PageMemory {
  const kept = memory.pages.get(page);
  if (kept !== undefined) return kept;
  memory.met += 1;
  const made: PageMemory = { number: memory.met, loading: new Set() };
  memory.pages.set(page, made);
  page.on("request", (request) => {
    if (CHANGES.has(request.resourceType())) made.loading.add(request);
  });
  page.on("requestfinished", (request) => made.loading.delete(request));
  page.on("requestfailed", (request) => made.loading.delete(request));
  return made;
}

/** The oldest are forgotten when there are too many. */
export function keepSecret(memory: Memory, value: string): void {
  if (value.trim() === "") return;
  memory.secrets.add(value);
  for (const oldest of memory.secrets) {
    if (memory.secrets.size <= SECRETS_KEPT) break;
    memory.secrets.delete(oldest);
  }
}
