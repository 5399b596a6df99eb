import { extname } from "node:path";

const NAME_CHARS = 120;
/** Names that mean something else to one system or another. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A name for a file that a page suggests: one part of a path, without signs that cannot be seen or that turn the line around. */
export function safeName(suggested: string): string {
  const last = suggested.toWellFormed().normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .trim()
    .replace(/^\.+/, "")
    .replace(/[. ]+$/, "");
  const name = plain === "" ? "download" : RESERVED.test(plain) ? `_${plain}` : plain;
  if ([...name].length <= NAME_CHARS) return name;
  const ending = extname(name).slice(0, 16);
  return `${[...name].slice(0, NAME_CHARS - ending.length).join("")}${ending}`;
}
