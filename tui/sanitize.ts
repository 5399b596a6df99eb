declare const safe: unique symbol;
/** Text that can not act as terminal control. Views take nothing else from outside. */
export type SafeText = string & { readonly [safe]: true };

// CSI, OSC, DCS and the like as a whole, then every other control character besides tab and newline.
const SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x9b\x90\x9d][^\x07\x1b\x9c]*[\x07\x9c]?|\x1b./g;
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The one door for foreign text: sequences and control characters become `␛`, bidi controls are spelled out. Newlines and tabs stay. */
export function sanitize(text: string): SafeText {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(SEQUENCE, "␛")
    .replace(CONTROL, "␛")
    .replace(BIDI, (c) => `⟪U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟫`);
  return clean as SafeText; // this function is what the brand stands for
}

/** The same on one line. */
export const sanitizeLine = (text: string): SafeText => sanitize(text).replace(/[\n\t]+/g, " ") as SafeText; // blanks add no control
