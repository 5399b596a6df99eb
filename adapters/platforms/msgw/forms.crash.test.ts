import { MSGW_LINE } from "../../../fixtures/platforms/faults/lines/msgw.js";
import { holdsFormsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsFormsUnderKills(MSGW_LINE);
