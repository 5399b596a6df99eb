/** A piece of a text that is laid out by itself. */
export interface Block {
  /** As it was written, without the blank lines around it. */
  readonly text: string;
  /** It is the rest of a fence that began in an earlier block; its language. */
  readonly inside: string | undefined;
  /** A blank row stands before it. */
  readonly gap: boolean;
  /** It goes on below an item of a list: columns that its lines are indented by. */
  readonly nested: number;
}

/** The opening line of a fence that is not closed yet. */
export interface Fence {
  readonly mark: string;
  readonly lang: string;
}

/** A text as far as it is known: blocks that will not change any more, and the last one, which may. */
export interface Outline {
  /** Sealed blocks in runs of `RUN`; the last run may be shorter. One more block costs one run, however long the text is. */
  readonly sealed: readonly (readonly Block[])[];
  readonly open: Block;
  readonly fence: Fence | undefined;
  /** Whole lines of the open block. */
  readonly lines: number;
  /** The unfinished line at the end begins there in the open block's text. */
  readonly line: number;
  /** The last block is a list or stands in one. */
  readonly list: boolean;
  /** Lines after which a block is sealed; absent: as many as a frame may lay out. */
  readonly most?: number;
  /** A blank line was seen since the last block. */
  readonly blank: boolean;
}

export const OPENING: Outline = {
  sealed: [],
  open: { text: "", inside: undefined, gap: false, nested: 0 },
  fence: undefined,
  lines: 0,
  line: 0,
  list: false,
  blank: false,
};

/** Blocks that stand together in an outline. */
export const RUN = 128;

/** Number of sealed blocks. */
export const sealedCount = ({ sealed }: Outline): number =>
  Math.max(0, sealed.length - 1) * RUN + (sealed.at(-1)?.length ?? 0);

const FENCE = /^ *(`{3,}(?=[^`]*$)|~{3,})\s*([^\s`]*)/;

/** What a line opens, if it opens a fence. */
export function fenceOf(line: string): Fence | undefined {
  const found = FENCE.exec(line);
  return found ? { mark: found[1] ?? "", lang: (found[2] ?? "").toLowerCase() } : undefined;
}

/** Whether a line closes the fence. */
export function closes(line: string, { mark }: Fence): boolean {
  const bare = line.trim();
  return bare.length >= mark.length && bare === (mark[0] ?? "").repeat(bare.length);
}

export const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?: +|$)/;
