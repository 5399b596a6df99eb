/** The settings `display.*` as the screen needs them (workspace part, 18). */
export interface Display {
  readonly theme: string;
  readonly ascii: boolean;
  readonly animation: boolean;
  readonly mouse: boolean;
  readonly inlineDiffs: boolean;
  readonly timestamps: boolean;
  readonly compact: boolean;
  readonly showCost: boolean;
  readonly showReasoning: boolean;
  readonly details: { readonly thinking: Detail; readonly tools: Detail; readonly children: Detail };
  readonly userPreview: { readonly first: number; readonly last: number };
  readonly busyMode: "auto" | "queue" | "steer" | "interrupt";
  readonly pasteLines: number;
  readonly pasteChars: number;
  readonly escapeMs: number;
  readonly setTitle: boolean;
  readonly notify: "auto" | "bell" | "off";
  readonly bellOnComplete: boolean;
}

export type Detail = "hidden" | "collapsed" | "expanded";

export const DISPLAY: Display = {
  theme: "auto",
  ascii: false,
  animation: true,
  mouse: false,
  inlineDiffs: true,
  timestamps: false,
  compact: false,
  showCost: true,
  showReasoning: true,
  details: { thinking: "collapsed", tools: "collapsed", children: "collapsed" },
  userPreview: { first: 2, last: 2 },
  busyMode: "auto",
  pasteLines: 5,
  pasteChars: 2_000,
  escapeMs: 50,
  setTitle: true,
  notify: "auto",
  bellOnComplete: false,
};
