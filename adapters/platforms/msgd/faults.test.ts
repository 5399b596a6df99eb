import { MSGD_LINE } from "../../../fixtures/platforms/faults/lines/msgd.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGD_LINE);
