import { MSGL_LINE } from "../../../fixtures/platforms/faults/lines/msgl.js";
import { holdsUnderFaults } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderFaults(MSGL_LINE);
