import { CODEX_APP_SERVER } from "../../fixtures/runtimes/app-server.js";
import { BEHAVIOURS } from "../../fixtures/runtimes/behaviours/all.js";
import { conform } from "../../fixtures/runtimes/conform.js";

conform(CODEX_APP_SERVER, BEHAVIOURS);
