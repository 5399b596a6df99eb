import { MSGG_LINE } from "../../../fixtures/platforms/faults/lines/msgg.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGG_LINE);
