import { BEHAVIOURS } from "../../fixtures/runtimes/behaviours/all.js";
import { CODEX_ACP } from "../../fixtures/runtimes/codex-acp.js";
import { conform } from "../../fixtures/runtimes/conform.js";

conform(CODEX_ACP, BEHAVIOURS);
