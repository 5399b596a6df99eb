import { BIDI_CONTROLS, spellCharacter } from "../../lib/base/text/bidi.js";

declare const safe: unique symbol;
/** Text that can not act as terminal control. Views take nothing else from outside. */
export type SafeText = string & { readonly [safe]: true };

/** Nothing in it can be anything but what it looks like. */
const PLAIN = /^[\n\t -~]*$/;

/**
 * A sequence as a whole: CSI; OSC, DCS, SOS, PM and APC with what they carry; other escapes. One that is not ended within its line loses only
 * its beginning, so that the rest of a text cannot be hidden in it.
 */
const SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n\r]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Characters without a width that do not belong to a script: they make two texts look the same. */
const HIDDEN =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180d]|[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
/** Joiners belong between emoji and between letters of scripts that use them. */
const JOINER =
  /(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier}|[\u0600-\u0fff]\p{M}*)[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}\u0600-\u0fff])/gu;
/** The flags that are spelled with tags: England, Scotland, Wales. */
const TAGGED = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,8}\u{e007f}/gu;

/**
 * The one door for foreign text: a sequence or control character becomes one `␛`, bidi controls are spelled out, what cannot be seen is gone,
 * broken characters are U+FFFD. Newlines and tabs stay.
 */
export const sanitize = (text: string): SafeText => cleaned(text, () => "");

/** Likewise for commands, paths and anything that the user decides about: what cannot be seen is spelled out. */
export const sanitizeExact = (text: string): SafeText => cleaned(text, spellCharacter);

function cleaned(text: string, hidden: (char: string) => string): SafeText {
  if (PLAIN.test(text)) return text as SafeText; // looked at just now
  const clean = withoutHidden(
    text
      .toWellFormed()
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      .replace(SEQUENCE, "␛"),
    hidden,
  ).replace(BIDI_CONTROLS, spellCharacter);
  return clean as SafeText; // this function is what the brand stands for
}

function withoutHidden(text: string, hidden: (char: string) => string): string {
  const flags = text.match(TAGGED) ?? [];
  const parts = flags.length === 0 ? [text] : text.split(TAGGED);
  return parts.map((part, at) => `${part.replace(HIDDEN, hidden).replace(JOINER, hidden)}${flags[at] ?? ""}`).join("");
}

/** The same on one line. */
export const sanitizeLine = (text: string): SafeText => sanitize(text).replace(/[\n\t]+/g, " ") as SafeText; // blanks add no control
