/** The web as tools reach it: searches and the text of pages (core part, 26.1). */

import type { SideUse } from "../chat/compact.js";

export interface WebFound {
  readonly title: string;
  readonly url: string;
  readonly description: string;
  /** From 1. */
  readonly position: number;
}

/** `why` says what to do about it, in one line for the model. */
export type WebSearchAnswer =
  | { readonly ok: true; readonly provider: string; readonly found: readonly WebFound[] }
  | { readonly ok: false; readonly provider: string; readonly why: string };

/** What became of one address. `content` is readable text of at most 5,000 characters. */
export interface WebPage {
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly content: string;
  readonly error?: string;
  /** `content` is a summary or the beginning of a longer text; `note` says which. */
  readonly truncated?: boolean;
  readonly note?: string;
  /** All of a text that is longer than `content`. */
  readonly whole?: string;
}

/** The text of one page, however long. */
export type PageText =
  | {
      readonly ok: true;
      readonly finalUrl: string;
      /** "": without one. */
      readonly title: string;
      readonly text: string;
    }
  | {
      readonly ok: false;
      readonly finalUrl: string;
      readonly why: string;
      /** What a model does about it. */
      readonly hint?: string;
      readonly title?: string;
      /** What the server says in place of the page. */
      readonly said?: string;
    };

/** The call on whose behalf pages are read. */
export interface ExtractAsk {
  readonly signal: AbortSignal;
  /** Called for each request of a summary that was answered. */
  used?(use: SideUse): Promise<void>;
  progress?(text: string): void;
  /** Why an address must not be asked, or undefined: looked at before each request, redirects among them. */
  refuse?(url: URL): Promise<string | undefined>;
}

export interface WebApi {
  /** @param limit 1 to 100. Never throws but when the signal aborts. */
  search(query: string, limit: number, signal: AbortSignal): Promise<WebSearchAnswer>;
  /** Each address on its own, in the order given. Never throws but when the signal aborts. */
  extract(urls: readonly string[], ask: ExtractAsk): Promise<readonly WebPage[]>;
  /** One page, read from this machine. Never throws but when the signal aborts. @param maxBytes default: 10 MiB */
  page(url: string, ask: { readonly signal: AbortSignal; readonly maxBytes?: number }): Promise<PageText>;
}
