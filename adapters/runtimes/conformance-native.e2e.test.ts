import { BEHAVIOURS } from "../../fixtures/runtimes/behaviours/all.js";
import { conform } from "../../fixtures/runtimes/conform.js";
import { NATIVE } from "../../fixtures/runtimes/native.js";

conform(NATIVE, BEHAVIOURS);
