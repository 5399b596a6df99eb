import { BEHAVIOURS } from "../../fixtures/runtimes/behaviours/all.js";
import { conform } from "../../fixtures/runtimes/conform.js";
import { OWN_AGENT } from "../../fixtures/runtimes/own-agent.js";

conform(OWN_AGENT, BEHAVIOURS);
