/** An address that a person is asked to open, in the parts that decide whether they trust it. */
export interface UrlParts {
  /** Before the host: scheme, and a user name if there is one. */
  readonly before: string;
  /** As it is looked up: letters of other scripts in their ASCII form (`xn--…`). */
  readonly host: string;
  readonly after: string;
  /** Why to look twice, one line each. */
  readonly warnings: readonly string[];
}

/** Undefined: it is not an address of the web, so nothing may open it. */
export function urlParts(text: string): UrlParts | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  const user = url.username === "" && url.password === "" ? "" : `${url.username}${url.password === "" ? "" : ":…"}@`;
  const warnings = [
    ...(url.hostname.split(".").some((part) => part.startsWith("xn--"))
      ? ["the host has letters that may look like others"]
      : []),
    ...(url.protocol === "http:" ? ["the connection is not encrypted"] : []),
    ...(user === "" ? [] : ["the text before @ is not the host"]),
  ];
  return {
    before: `${url.protocol}//${user}`,
    host: url.host,
    after: `${url.pathname}${url.search}${url.hash}`,
    warnings,
  };
}
