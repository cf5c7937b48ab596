// The writes of all collections, and those of clusters and images. Their answers enter the inventory.
import type { Cluster, ClusterScale } from '../../wire/cluster.ts';
import type { Image, ImageRegister, ImageTags } from '../../wire/image.ts';
import { routes } from '../../wire/routes.ts';
import type { Collection, RowOf } from '../../wire/rows.ts';
import { type CollectionWrite, deleteRow, type Requests, writeRow } from './collection.ts';
import type { Inventory } from './list/inventory.ts';
import type { Permit } from './throttle/budget.ts';

export interface Writes {
  /** POST, with a body in the neutral dialect. Rejects if the answer has no row with an id. */
  create<R extends Collection>(route: R, body: unknown, permit: Permit): Promise<RowOf<R>>;
  /** DELETE. */
  remove(route: Collection, id: string, permit: Permit): Promise<void>;
  scaleCluster(id: string, body: ClusterScale, permit: Permit): Promise<Cluster>;
  /** Registers an image, or changes its registration. */
  registerImage(id: string, body: ImageRegister, permit: Permit): Promise<Image>;
  tagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  untagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
}

export function writesOf(requests: Requests, inventory: Inventory): Writes {
  const write = async <R extends Collection>(route: R, writing: CollectionWrite): Promise<RowOf<R>> => {
    try {
      const row = await writeRow(requests, route, writing);
      inventory.entered(route, row);
      return row;
    } finally {
      inventory.ended();
    }
  };
  const { images, clusters } = routes;
  const postImage = (id: string, verbs: readonly string[], message: Pick<CollectionWrite, 'body' | 'permit'>) =>
    write(images, { method: 'POST', segments: [images.path, id, ...verbs], id, ...message });
  return {
    create: (route, body, permit) => write(route, { method: 'POST', segments: [route.path], body, permit }),
    async remove(route, id, permit) {
      try {
        await deleteRow(requests, route, { id, permit });
        inventory.removed(route, id);
      } finally {
        inventory.ended();
      }
    },
    scaleCluster: (id, body, permit) =>
      write(clusters, { method: 'PUT', segments: [clusters.path, id], id, body, permit }),
    registerImage: (id, body, permit) => postImage(id, [], { body, permit }),
    tagImage: (id, body, permit) => postImage(id, ['tag'], { body, permit }),
    untagImage: (id, body, permit) => postImage(id, ['untag'], { body, permit }),
  };
}
