// Labels of plugins: a run that changes them restores them, because nothing that it deletes has them.
import type { Json, Peer } from '../peer.ts';

const settable = (labels: Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(labels ?? {})
      .filter(([, label]) => label?.mutable !== false)
      .map(([name, { status }]) => [name, { status }]),
  );

/** The body of the PATCH that restores the labels of a plugin. Undefined: the service shows none. */
export async function readLabels(peer: Peer, path: string): Promise<Json> {
  const { status, body } = await peer.get(path);
  const { plugin_labels, version_labels } = body?.plugin ?? {};
  if (status !== 200 || plugin_labels === undefined) return undefined;
  const versions = Object.entries<Json>(version_labels ?? {});
  return {
    plugin_labels: settable(plugin_labels),
    version_labels: Object.fromEntries(versions.map(([version, labels]) => [version, settable(labels)])),
  };
}

/** Resolves to whether anything had to be restored. Throws what the service answers if it refuses. */
export async function restoreLabels(peer: Peer, path: string, before: string): Promise<boolean> {
  if (JSON.stringify(await readLabels(peer, path)) === before) return false;
  const { status, text } = await peer.send('PATCH', path, before);
  if (status >= 300) throw new Error(`cannot restore the labels of ${path}: ${status} ${text}`);
  return true;
}
