/** A document of whatever kind as readable text: what the document thread takes and gives. */

export interface DocumentJob {
  readonly bytes: Uint8Array;
  /** Header `content-type`, or "". */
  readonly type: string;
  /** Address that relative links start from; "" for a file. */
  readonly url: string;
  /** Only the words, in one pass: for pages whose structure takes too long. */
  readonly plain?: boolean;
}

export type DocumentText =
  | {
      readonly ok: true;
      readonly kind: "html" | "feed" | "xml" | "json" | "pdf" | "text";
      /** "": without one. */
      readonly title: string;
      /** Markdown of a page; otherwise plain text. Without control characters. */
      readonly text: string;
      /** Address that the page wants to be left for at once. */
      readonly refresh?: string;
    }
  /** `why` has no name of the document, as in "it needs a password"; `hint` says what a model does about it. */
  | { readonly ok: false; readonly why: string; readonly hint?: string; readonly title?: string };
