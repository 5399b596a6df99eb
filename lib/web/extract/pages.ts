import type { Net } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { ExtractAsk, PageText, WebApi, WebPage } from "../../contracts/web/web.js";
import { type DocumentReader, openDocumentReader } from "../../tools/file/document-reader.js";
import { fetchPage } from "./fetch-page.js";
import { choosePageBackend, type PageServices, readByService } from "./page-backend.js";
import { SHOWN_CHARS, shortenPage } from "./summary.js";

/** A longer page is refused: its summary would take minutes and leave out nearly all of it (core part, 26.1). */
const MOST_CHARS = 2_000_000;

export interface PagesParts {
  readonly net: Net;
  readonly clock: Clock;
  readonly aux: AuxClient;
  /** Services that the settings may name; absent: pages are read on this machine. */
  readonly services?: PageServices;
}

/** Reads pages of the web as Markdown, and shortens those that are long. */
export function createPages(parts: PagesParts): Pick<WebApi, "extract" | "page"> {
  return {
    extract: async (urls, ask) =>
      withReader(parts.clock, (reader) =>
        Promise.all(urls.map(async (url) => shown(url, await readPage(url, { parts, reader, ask }), parts, ask))),
      ),
    page: (url, { signal, maxBytes }) =>
      withReader(parts.clock, (reader) => fetchPage(url, { ...parts, reader, signal, maxBytes })),
  };
}

async function withReader<T>(clock: Clock, use: (reader: DocumentReader) => Promise<T>): Promise<T> {
  const reader = openDocumentReader(clock);
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

interface Reading {
  readonly parts: PagesParts;
  readonly reader: DocumentReader;
  readonly ask: ExtractAsk;
}

async function readPage(url: string, { parts, reader, ask }: Reading): Promise<PageText> {
  const { services } = parts;
  const backend = services === undefined ? undefined : choosePageBackend(services);
  if (services !== undefined && backend !== undefined) {
    if ("why" in backend) return { ok: false, finalUrl: url, why: backend.why };
    return await readByService(url, backend, { services, ask });
  }
  return await fetchPage(url, { ...parts, reader, signal: ask.signal, refuse: ask.refuse });
}

async function shown(url: string, read: PageText, { aux }: PagesParts, ask: ExtractAsk): Promise<WebPage> {
  const { finalUrl } = read;
  if (!read.ok) {
    const error = [read.why, read.hint].filter(Boolean).join("; ");
    return { url, finalUrl, title: read.title ?? "", content: read.said ?? "", error };
  }
  const { title, text } = read;
  if (text.length <= SHOWN_CHARS) return { url, finalUrl, title, content: text };
  if (text.length > MOST_CHARS) {
    const error = `it has ${text.length} characters of text (limit ${MOST_CHARS}); download it in the terminal (curl -LO) and search it there`;
    return { url, finalUrl, title, content: "", error };
  }
  const { signal, used, progress } = ask;
  const { content, note } = await shortenPage({ url: finalUrl, title, text }, { aux, signal, used, progress });
  return { url, finalUrl, title, content, truncated: true, note, whole: text };
}
