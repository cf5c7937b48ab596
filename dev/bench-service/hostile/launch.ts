// The service as it is started in a container: the control group first, because Node takes the limit of the heap from it. The arguments are those of the service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { MEMORY_GROUP_ENTRY: entry, HEAP_MIB: heapMiB = '' } = process.env;
if (entry !== undefined) writeFileSync(entry, String(process.pid));
const heap =
  entry === undefined
    ? [`--max-old-space-size=${heapMiB}`, '--max-semi-space-size=1']
    : ['--max-old-space-size-percentage=50'];
const service = join(import.meta.dirname, '..', '..', '..', 'src', 'service', 'program', 'main.ts');
const asks = `--import=${join(import.meta.dirname, 'asks.ts')}`;
process.execve?.(process.execPath, [process.execPath, ...heap, asks, service, ...process.argv.slice(2)], process.env);
throw new Error('cannot become the service: this version of Node has no process.execve');
