// One service as the rest of the operator sees it: its inventory, its budget and the requests of the interface.
import type { Cluster, ClusterScale } from '../wire/cluster.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Image, ImageRegister, ImageTags } from '../wire/image.ts';
import type { Plugin, PluginDetail } from '../wire/plugin.ts';
import type { Budget, Permit } from './budget.ts';
import type { Collection, Inventory, RowOf } from './inventory.ts';

/**
 * Reads take their permits themselves and wait for them; a write is sent with a permit that the caller took before, and does not
 * release it. Nothing is ever sent twice. Everything rejects with a ServiceError only. Answers to writes enter the inventory.
 */
export interface Service {
  readonly dialect: Dialect;
  readonly inventory: Inventory;
  readonly budget: Budget;
  /** POST; the body in neutral words. Resolves with the row only when the answer has one with an id. */
  create<R extends Collection>(route: R, body: unknown, permit: Permit): Promise<RowOf<R>>;
  /** DELETE. */
  remove(route: Collection, id: string, permit: Permit): Promise<void>;
  /** GET of one row. */
  get<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<RowOf<R>>;
  /** PUT (section 4.5). */
  scaleCluster(id: string, body: ClusterScale, permit: Permit): Promise<Cluster>;
  /** POST of section 4.2: registers, or changes the registration. */
  registerImage(id: string, body: ImageRegister, permit: Permit): Promise<Image>;
  tagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  untagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  plugins(signal?: AbortSignal): Promise<readonly Plugin[]>;
  plugin(name: string, version: string, signal?: AbortSignal): Promise<PluginDetail>;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}
