/** Markdown is read in pieces of about this length: some texts cost the square of their length. */
export const PIECE_CHARS = 16_000;
/** A piece that has no place to cut it at is not read as Markdown above this. */
export const PIECE_MOST = 40_000;

const FENCE = /^ {0,3}(```|~~~)/;

/** Cut a long text at empty lines outside of fenced code. The pieces together are the text. */
export function piecesOf(text: string): readonly string[] {
  if (text.length <= PIECE_CHARS) return [text];
  const pieces: string[] = [];
  let from = 0;
  let at = 0;
  let fence: string | undefined;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(at, next);
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    if (fence === undefined && line.trim() === "" && next - from >= PIECE_CHARS) {
      pieces.push(text.slice(from, next));
      from = next;
    }
    at = next;
  }
  return from < text.length ? [...pieces, text.slice(from)] : pieces;
}
