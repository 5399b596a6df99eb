/** Where a sentence ends, with the quotes and brackets that close with it. */
const SENTENCE_END = /[.!?\u2026\u3002\uff01\uff1f]+["'\u201d\u2019)\]]*(?=\s|$)/g;

/** At most `most` characters of a text, ended after a sentence, else after a word. The text itself if it is short enough. */
export function cutAtSentence(text: string, most: number): string {
  const chars = [...text];
  if (chars.length <= most) return text;
  const head = chars.slice(0, most).join("");
  // The cut may be inside what looks like an end: what follows decides.
  const whole = `${head}${chars[most] ?? ""}`;
  const ends = [...whole.matchAll(SENTENCE_END)].map((found) => found.index + found[0].length);
  const end = ends.filter((at) => at <= head.length).at(-1);
  if (end !== undefined) return head.slice(0, end);
  const space = head.search(/\s\S*$/);
  return space > 0 ? head.slice(0, space) : head;
}

/** What a provider that speaks tags is given: the answer of a model, if it changed nothing but tags. */
export function taggedOnly(original: string, tagged: string): string {
  const words = (text: string) =>
    text
      .replace(/\[[^\][\n]{1,40}\]/g, " ")
      .replace(/\s+/g, " ")
      .trim();
  return words(tagged) === words(original) ? tagged.trim() : original;
}
