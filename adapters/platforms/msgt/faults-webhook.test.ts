import { MSGT_HOOK_LINE } from "../../../fixtures/platforms/faults/lines/msgt.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGT_HOOK_LINE);
