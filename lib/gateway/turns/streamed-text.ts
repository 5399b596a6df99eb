import { markersIn, withoutMarkers } from "../media/file-markers.js";

/** What of an answer is for the program alone: reasoning, files to send, marks (gateway part, 11.4 and 12.1). */
const REASONING = /<(think|thinking|reasoning|thought)>[\s\S]*?(?:<\/\1>|$)/gi;
const CLOSED = /<\/(?:think|thinking|reasoning|thought)>/gi;

/** Beginnings of a tag at the end of a text that goes on. */
const TAG = /<\/?[a-z]{0,9}$/i;
/** Where in an unfinished line something may stand that names a file, or is about to: what the rest of the line brings decides. */
const UNSURE = /MEDIA:|\[?!\[|\[\[|<[iI][mM][gG]|(?:!|\[|M(?:E(?:D(?:IA?)?)?)?)$/;

/**
 * What people see of a text that the model writes. While it goes on (`whole` false), what may become a tag or a mark is held back, so that
 * what was seen once stays. A bare path is a word of the text.
 */
export function seenText(text: string, whole: boolean): string {
  const said = text.replace(REASONING, "").replace(CLOSED, "");
  const certain = whole ? said : beforeUnsure(said.replace(TAG, ""));
  return withoutMarkers(
    certain,
    markersIn(certain).markers.filter(({ bare }) => !bare),
  ).trim();
}

/** Nothing that names a file goes beyond its line. */
function beforeUnsure(text: string): string {
  const line = text.lastIndexOf("\n") + 1;
  const unsure = text.slice(line).search(UNSURE);
  return unsure < 0 ? text : text.slice(0, line + unsure);
}
