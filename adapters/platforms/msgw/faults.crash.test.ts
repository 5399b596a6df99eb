import { MSGW_LINE } from "../../../fixtures/platforms/faults/lines/msgw.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGW_LINE);
