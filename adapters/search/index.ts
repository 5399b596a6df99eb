import type { PageBackend, SearchBackend } from "../../lib/contracts/web/search.js";
import { brave } from "./brave.js";
import { duckduckgo } from "./duckduckgo.js";
import { exa, exaPages } from "./exa.js";
import { firecrawl, firecrawlPages } from "./firecrawl.js";
import { parallel, parallelPages } from "./parallel.js";
import { searchVendor } from "./search-vendor.js";
import { searxng } from "./searxng.js";
import { tavily, tavilyPages } from "./tavily.js";

/** In the order in which they are tried (core part, 26.1); the last needs nothing. */
export const SEARCH_BACKENDS: readonly SearchBackend[] = [
  firecrawl,
  parallel,
  tavily,
  exa,
  searxng,
  brave,
  searchVendor,
  duckduckgo,
];

/** Services that read pages, where a setting names one. */
export const PAGE_BACKENDS: readonly PageBackend[] = [firecrawlPages, parallelPages, tavilyPages, exaPages];
