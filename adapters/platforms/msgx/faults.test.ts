import { MSGX_LINE } from "../../../fixtures/platforms/faults/lines/msgx.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGX_LINE);
