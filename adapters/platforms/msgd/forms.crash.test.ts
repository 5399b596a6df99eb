import { MSGD_LINE } from "../../../fixtures/platforms/faults/lines/msgd.js";
import { holdsFormsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsFormsUnderKills(MSGD_LINE);
