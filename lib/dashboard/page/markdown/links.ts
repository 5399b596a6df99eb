const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The address of a link as a browser would open it, or undefined for everything that is no web page and no mail address. */
export function safeHref(written: string): string | undefined {
  let url: URL;
  try {
    url = new URL(written.trim());
  } catch {
    /* ok to lose: what is no whole address is shown as text */
    return undefined;
  }
  return SCHEMES.has(url.protocol) ? url.href : undefined;
}
