/** What of an answer is for the program alone: reasoning, files to send, marks (gateway part, 11.4 and 12.1). */
const REASONING = /<(think|thinking|reasoning|thought)>[\s\S]*?(?:<\/\1>|$)/gi;
const CLOSED = /<\/(?:think|thinking|reasoning|thought)>/gi;
const MARKS = /\[\[(?:audio_as_voice|as_document)\]\]/g;
const FILES = /(^|[\s(])MEDIA:(?:"[^"\n]*"|'[^'\n]*'|[^\s"'`][^\s]*)/g;

/** Beginnings of the above at the end of a text that goes on. */
const TAILS = [
  /<\/?[a-z]{0,9}$/i,
  /\[\[?[a-z_]{0,20}\]?$/,
  /(?:^|(?<=[\s(]))M(?:E(?:D(?:I(?:A(?::(?:"[^"\n]*|'[^'\n]*|[^\s"'`]*))?)?)?)?)?$/,
];

/**
 * What people see of a text that the model writes. While it goes on (`whole` false), what may become a tag or a mark is held back, so that
 * what was seen once stays.
 */
export function seenText(text: string, whole: boolean): string {
  const bare = text.replace(REASONING, "").replace(CLOSED, "").replace(MARKS, "").replace(FILES, "$1").trimStart();
  if (whole) return bare.trimEnd();
  const cut = TAILS.reduce((kept, tail) => kept.replace(tail, ""), bare);
  return cut.trimEnd();
}
