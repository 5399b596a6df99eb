import { MSGW_LINE } from "../../../fixtures/platforms/faults/lines/msgw.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGW_LINE);
