/** What an untrusted text becomes: data alone, so that nothing in it can be more than what is named here. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "em" | "del"; readonly inner: readonly Inline[] }
  /** `href` is http, https or mailto. */
  | { readonly kind: "link"; readonly href: string; readonly inner: readonly Inline[] }
  | { readonly kind: "box"; readonly checked: boolean };

export type MarkdownBlock =
  | { readonly kind: "paragraph"; readonly inner: readonly Inline[] }
  /** A paragraph without its margins, as in tight lists. */
  | { readonly kind: "line"; readonly inner: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly inner: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string; readonly language: string }
  | { readonly kind: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly (readonly MarkdownBlock[])[] }
  | { readonly kind: "table"; readonly head: readonly TableCell[]; readonly rows: readonly (readonly TableCell[])[] }
  | { readonly kind: "rule" }
  /** Shown as it is: text that is not Markdown, or could not be read as such. */
  | { readonly kind: "plain"; readonly text: string };

export interface TableCell {
  readonly align: "left" | "center" | "right" | null;
  readonly inner: readonly Inline[];
}
