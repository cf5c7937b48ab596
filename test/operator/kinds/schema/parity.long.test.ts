// The API server and the parser agree on more made-up specs of each kind.
import { agree } from './parity.ts';

agree('schema-parity-long', { ofTemplate: 350, ofOthers: 150 });
