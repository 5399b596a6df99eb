/**
 * The tool that a model meant by a name (core part, 2.4). `undefined`: none is near enough.
 *
 * @param guessed Names that a similar one may mean; default all. The others are meant by other spellings of themselves alone.
 */
export function repairName(
  given: string,
  known: readonly string[],
  guessed: readonly string[] = known,
): string | undefined {
  if (known.includes(given)) return given;
  const forms = candidates(given);
  const exact = forms.find((form) => known.includes(form));
  if (exact !== undefined) return exact;
  const target = forms.at(-1) ?? "";
  const scored = guessed.map((name) => ({ name, score: similarity(name, target) })).sort((a, b) => b.score - a.score);
  const best = scored[0];
  return best !== undefined && best.score >= 0.7 ? best.name : undefined;
}

/** Each form is the one before it, cleaned a little more. */
function candidates(given: string): string[] {
  const cut = (given.split(/["'<>]/, 1)[0] ?? "").trim().slice(0, 128);
  const snake = cut.replace(/([a-z0-9])([A-Z])/g, "$1_$2");
  const forms = [cut, cut.toLowerCase().replace(/[- ]/g, "_"), snake.toLowerCase().replace(/[- ]/g, "_")];
  let last = forms[2] ?? "";
  for (let round = 0; round < 2; round++) {
    last = last.replace(/(_|-)?tool$/, "");
    forms.push(last);
  }
  return forms.filter((form) => form !== "");
}

/** Share of equal characters in two texts, 0 to 1: twice their longest common subsequence over both lengths. Bounded input only. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length === 0 || b.length === 0) return 0;
  let previous = new Array<number>(b.length + 1).fill(0);
  for (let i = 0; i < a.length; i++) {
    const row = [0];
    let left = 0;
    for (let j = 0; j < b.length; j++) {
      left = a[i] === b[j] ? (previous[j] ?? 0) + 1 : Math.max(previous[j + 1] ?? 0, left);
      row.push(left);
    }
    previous = row;
  }
  return (2 * (previous[b.length] ?? 0)) / (a.length + b.length);
}
