import type { RowOf } from "../draw/canvas.js";
import { type Block, blockAt, blockCount, blockHeight, blockRows, type Outline } from "../draw/markdown.js";
import type { Entry, Part } from "../draw/viewport.js";
import { type Code, type Colours, codeKey, findCode } from "../grammar/code.js";

const parts = new WeakMap<Block, { readonly painted: number; readonly code: readonly Code[]; readonly part: Part }>();

/** The part of a finished block; another one once more of its code has the colours of its grammar. Its rows hold the same text then. */
function partOf(block: Block, colours: Colours): Part {
  const code = findCode(block);
  const painted = code.reduce((sum, { key }) => sum + (colours.has(key) ? 1 : 0), 0);
  const known = parts.get(block);
  if (known?.code === code && known.painted === painted) return known.part;
  const paint =
    painted === 0 ? undefined : (lang: string, lines: readonly string[]) => colours.get(codeKey(lang, lines));
  const part: Part = {
    rows: (width) => blockRows(block, width, paint),
    height: (width) => blockHeight(block, width),
    code,
  };
  parts.set(block, { painted, code, part });
  return part;
}

const growing = new WeakMap<Block, Part>();

/** The part of a block that still grows keeps its first colours. */
function growingPart(block: Block): Part {
  const known = growing.get(block);
  if (known !== undefined) return known;
  const part: Part = { rows: (width) => blockRows(block, width), height: (width) => blockHeight(block, width) };
  growing.set(block, part);
  return part;
}

/** What stands around the blocks of a text, and how they look. */
export interface Around {
  readonly head: readonly RowOf[];
  readonly tail: (width: number) => readonly RowOf[];
  readonly colours: Colours;
  /** The last block is not finished. */
  readonly grows: boolean;
}

/** A text as an entry of the pane: a part for each of its blocks. */
export function blockEntry(key: string, outline: () => Outline, { head, tail, colours, grows }: Around): Entry {
  const top: Part = { rows: () => head };
  const end: Part = { rows: tail };
  return {
    key,
    get size() {
      return blockCount(outline()) + 2;
    },
    part: (at) => {
      if (at === 0) return top;
      const block = blockAt(outline(), at - 1);
      if (block === undefined) return end;
      return grows && block === outline().open ? growingPart(block) : partOf(block, colours);
    },
  };
}
