// A service on a volume that has room, but no more files.
import { fullOf } from './full-volume.ts';

fullOf('files');
