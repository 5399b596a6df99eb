/** Pages of no server that a page may be: an empty one. */
const EMPTY = new Set(["", "about:blank", "about:srcdoc"]);

/**
 * Why a page must not be brought to this address by its form alone; undefined: it may be tried. Files, pages of the browser itself, sources and `data:`
 * are never shown: they do not belong to the web, and the address guard would not see them.
 */
export function navigationRefusal(url: string): string | undefined {
  if (EMPTY.has(url)) return undefined;
  if (!URL.canParse(url)) return `blocked: ${JSON.stringify(url.slice(0, 100))} is not a valid address`;
  const { protocol } = new URL(url);
  if (protocol === "http:" || protocol === "https:") return undefined;
  return `blocked: the browser opens http:// and https:// addresses, not ${protocol}`;
}
