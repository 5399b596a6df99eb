import { createHash } from "node:crypto";
import { join } from "node:path";
import { readAtMostSync } from "../../base/fs/files.js";
import type { EndpointReply } from "../../http/endpoint.js";

/** Headers of the page and of everything that it loads: nothing from outside, nothing inline, in no frame. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Media types of what a page may load, by the end of its name. */
export const PAGE_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  map: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  ico: "image/x-icon",
  woff: "font/woff",
  woff2: "font/woff2",
};

/** The largest file of a page. */
export const PAGE_FILE_MAX = 16 << 20;

/** The built page: `/` is its document, beside it lie its files. A build while it is served is seen at the next load. */
export function pageFile(dir: string, path: string, known: string | undefined): EndpointReply | undefined {
  const name = path === "/" ? "index.html" : /^\/([a-z0-9][\w-]*(?:\.[\w-]+)*)$/i.exec(path)?.[1];
  const type = PAGE_TYPES[name?.split(".").at(-1) ?? ""];
  if (name === undefined || type === undefined) return undefined;
  const bytes = readAtMostSync(join(dir, name), PAGE_FILE_MAX);
  return bytes === undefined ? undefined : pageReply(bytes, type, known);
}

/** Bytes of a page with its headers, or that the browser has them already. */
export function pageReply(bytes: Buffer, type: string, known: string | undefined): EndpointReply {
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const headers = { ...PAGE_HEADERS, "content-type": type, "cache-control": "no-cache", etag };
  return known === etag ? { status: 304, headers } : { bytes, headers };
}
