// The API server and the parser agree on some made-up specs of each kind.
import { agree } from './parity.ts';

agree('schema-parity', { ofTemplate: 120, ofOthers: 40 });
