import { configKey } from "../config/config.js";

export const WEB_BACKEND = configKey<string>({
  key: "web.backend",
  kind: { type: "string" },
  default: "",
  help: "Service that searches the web and reads pages; empty: chosen by what has a key. A setting for one of the two wins.",
});

export const WEB_SEARCH_BACKEND = configKey<string>({
  key: "web.search_backend",
  kind: { type: "string" },
  default: "",
  help: "Service that searches the web: firecrawl, parallel, tavily, exa, searxng, brave, duckduckgo, search-vendor, or that of a plugin.",
});

export const WEB_EXTRACT_BACKEND = configKey<string>({
  key: "web.extract_backend",
  kind: { type: "string" },
  default: "",
  help: "Service that reads pages for web_extract: firecrawl, parallel, tavily, exa, or built-in. Empty: web.backend if it reads pages, else built-in.",
});

export const WEB_KEYS = [WEB_BACKEND, WEB_SEARCH_BACKEND, WEB_EXTRACT_BACKEND] as const;
