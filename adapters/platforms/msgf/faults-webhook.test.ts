import { MSGF_HOOK_LINE } from "../../../fixtures/platforms/faults/lines/msgf.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGF_HOOK_LINE);
