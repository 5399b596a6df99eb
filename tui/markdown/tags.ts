import { decodeEntities } from "../../lib/base/text/entities.js";
import { sanitize } from "../draw/sanitize.js";

const TAG =
  /^<(\/?)([a-z][a-z0-9]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^\s"'=<>`]+))?)*)\s*\/?>/i;

/** A tag of HTML as it is written. */
export interface Tag {
  readonly whole: string;
  readonly name: string;
  readonly closes: boolean;
  readonly attributes: string;
}

/** The tag at a place; undefined: not a tag. */
export function tagAt(text: string, at: number): Tag | undefined {
  const found = TAG.exec(text.slice(at, at + MOST_TAG));
  if (found === null) return undefined;
  const [whole, slash, name = "", attributes = ""] = found;
  return { whole, name: name.toLowerCase(), closes: slash === "/", attributes };
}

const MOST_TAG = 4_000;

/** Whether a text is the tag that ends another one. */
export const closesTag = (text: string, name: string): boolean =>
  text.startsWith("</") && text.slice(2, -1).trimEnd().toLowerCase() === name;

/** The value of an attribute, its entities read; empty without one. */
export function attribute({ attributes }: Tag, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? "");
}

/** A text with its entities read. */
export const decoded = (text: string): string => (text.includes("&") ? text.replace(ENTITY, shownEntity) : text);

const ENTITY = /&[#\w]{1,12};/g;

/** The character that an entity stands for; one that stands for none, or for one that is not seen, stays. */
function shownEntity(entity: string): string {
  const char = decodeEntities(entity);
  return sanitize(char) === char ? char : entity;
}
