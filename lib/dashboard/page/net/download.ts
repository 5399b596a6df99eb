import type { Api, Query } from "./api.js";

/** An address that downloads a file of the owner once, within 30 seconds: a link cannot carry the session token, so it carries a ticket for its one path. */
export async function downloadUrl(api: Api, path: string, query: Query = {}): Promise<URL> {
  const { ticket } = await api.send<{ ticket: string }>("POST", "api/auth/ticket", {
    purpose: "download",
    path: api.url(path).pathname,
  });
  return api.url(path, { ...query, ticket });
}

/** Have the browser store what is at an address. */
export function saveAs(url: URL, name: string): void {
  const link = document.createElement("a");
  link.href = url.href;
  link.download = name;
  link.click();
}
