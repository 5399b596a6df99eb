import { MSGX_LINE } from "../../../fixtures/platforms/faults/lines/msgx.js";
import { holdsFormsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsFormsUnderKills(MSGX_LINE);
