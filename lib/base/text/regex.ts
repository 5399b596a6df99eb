/**
 * A pattern may need more than linear time: a repetition inside a repetition, a back reference or look-around, several open repetitions, or
 * one at its beginning, which is tried again from every character. Says yes too often rather than too seldom.
 */
export function mayBacktrack(source: string): boolean {
  const bare = source.replace(/\\[^1-9kbBdDwWsS]/g, "_").replace(/\[(?:\\.|[^\]\\])*\]/g, "_");
  if (/\\[1-9k]|\(\?/.test(bare.replace(/\(\?:/g, "("))) return true;
  if (/\)\s*(?:[*+]|\{\d+,)/.test(bare)) return true;
  if (/(?:^|[(|])(?:\?:)?(?:\\?.)(?:[*+]|\{\d+,\d*\})/.test(bare)) return true;
  return (bare.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > 1;
}
