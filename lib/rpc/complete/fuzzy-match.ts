/** The best matches of a word, the best first: letters in their order, whatever their case. Without a word the first ones. */
export function best<T>(rows: readonly T[], word: string, textOf: (row: T) => string, most: number): readonly T[] {
  if (word === "") return rows.slice(0, most);
  const wanted = word.toLowerCase();
  const found = rows.flatMap((row) => {
    const score = scoreOf(textOf(row), wanted);
    return score === undefined ? [] : [{ row, score }];
  });
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ row }) => row);
}

/** Higher is better: the beginning of a name before its middle, a run of letters before scattered ones, short before long. */
function scoreOf(text: string, wanted: string): number | undefined {
  const low = text.toLowerCase();
  const name = low.lastIndexOf("/", low.length - 2) + 1;
  const short = -low.length / 1_000;
  if (low.startsWith(wanted, name)) return 5 + short;
  if (low.startsWith(wanted)) return 4 + short;
  if (low.indexOf(wanted, name) >= 0) return 3 + short;
  if (low.includes(wanted)) return 2 + short;
  let at = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const next = low.indexOf(letter, at);
    if (next < 0) return undefined;
    gaps += next === at ? 0 : 1;
    at = next + 1;
  }
  return 1 - gaps / 100 + short;
}
