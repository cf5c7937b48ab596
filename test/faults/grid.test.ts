// Whatever goes wrong with a write, on either side: the end is the same as if nothing had. Each kind of fault at each side on real sockets;
// each write is tried with them in simulated worlds, and by `npm run test:all` here, too.

import { overcomes } from './selection.ts';
import { sidesAndDeeds } from './tables/cells.ts';

overcomes('each kind of fault on both sides', sidesAndDeeds);
