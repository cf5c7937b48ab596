// The quick start of the README with Helm, to its end.
import { quickStart } from './quickstart.ts';

quickStart('helm');
