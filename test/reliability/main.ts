// What the suites found out about reliability, as one table: `npm run reliability`. It runs none of them.
import { readReport } from '../support/reports.ts';
import { tableOf } from './table.ts';

console.info(tableOf(readReport));
