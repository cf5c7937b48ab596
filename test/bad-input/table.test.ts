// The table of troubles; of what services do wrong to single requests, one misbehaviour of each kind.
import { byHandRows } from './rows/by-hand.ts';
import { cloudRows } from './rows/clouds.ts';
import { endpointRows } from './rows/endpoint.ts';
import { jobRows } from './rows/jobs.ts';
import { namesRows } from './rows/names.ts';
import { referenceRows } from './rows/references.ts';
import { valueRows } from './rows/values.ts';
import { wordRows } from './rows/words.ts';
import { troubles } from './troubles.ts';

const rows = [
  ...jobRows,
  ...endpointRows,
  ...cloudRows,
  ...wordRows,
  ...referenceRows,
  ...valueRows,
  ...namesRows,
  ...byHandRows,
];

troubles(rows, 'Unauthorized');
