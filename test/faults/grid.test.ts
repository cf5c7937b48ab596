// Whatever goes wrong with a write, on either side: the end is the same as if nothing had. Each write and each fault once on the real
// API server; their pairs are tried in simulated worlds, and by `npm run test:all` here, too.

import { overcomes } from './selection.ts';
import { writesAndFaults } from './tables/cells.ts';

overcomes('each write and each fault', writesAndFaults);
