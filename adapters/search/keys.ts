import { configKey } from "../../lib/contracts/config/config.js";

/** Address of a service, which another one may stand in for. */
const address = (name: string, standard: string, help: string, env?: string) =>
  configKey<string>({
    key: `web.${name}.base_url`,
    kind: { type: "string" },
    default: standard,
    ...(env !== undefined && { env }),
    help,
    form: "http_address",
  });

export const FIRECRAWL_URL = address(
  "firecrawl",
  "https://api.firecrawl.dev",
  "Address of Firecrawl, for an instance of your own.",
  "FIRECRAWL_API_URL",
);

export const PARALLEL_URL = address("parallel", "https://api.parallel.ai", "Address of Parallel.");

export const TAVILY_URL = address("tavily", "https://api.tavily.com", "Address of Tavily.");

export const EXA_URL = address("exa", "https://api.exa.ai", "Address of Exa.");

export const SEARXNG_URL = address(
  "searxng",
  "",
  "Address of a SearXNG instance whose settings allow the format json, such as http://127.0.0.1:8888.",
  "SEARXNG_URL",
);

export const BRAVE_URL = address("brave", "https://api.search.brave.com", "Address of Brave Search.");

export const DUCKDUCKGO_URL = address(
  "duckduckgo",
  "https://html.duckduckgo.com",
  "Address of the page of DuckDuckGo that works without scripts.",
);

export const SEARCH_VENDOR_URL = address(
  "search_vendor",
  "https://api.x.ai/v1",
  "Address of the vendor whose model searches the web itself.",
  "SEARCH_VENDOR_BASE_URL",
);

export const SEARCH_VENDOR_MODEL = configKey<string>({
  key: "web.search_vendor.model",
  kind: { type: "string" },
  default: "grok-4-1-fast-non-reasoning",
  help: "Model that searches the web for search-vendor.",
});

export const SEARCH_KEYS = [
  FIRECRAWL_URL,
  PARALLEL_URL,
  TAVILY_URL,
  EXA_URL,
  SEARXNG_URL,
  BRAVE_URL,
  DUCKDUCKGO_URL,
  SEARCH_VENDOR_URL,
  SEARCH_VENDOR_MODEL,
] as const;
