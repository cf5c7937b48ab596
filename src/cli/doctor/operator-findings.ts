// What the Lease and the Deployment of the operator tell. PURE.
import { type OperatorState, usualNamespace } from '../operator-state.ts';
import { leaseText } from '../why/causes.ts';
import type { Finding } from './finding.ts';

const area = 'Operator';

interface Context {
  readonly namespace: string;
  /** Of this plugin. */
  readonly version: string;
  /** Objects that it should have looked at for half a minute. */
  readonly unseen: number;
}

export function operatorFindings(state: OperatorState, context: Context): readonly Finding[] {
  return [leadership(state, context), ...deployment(state), ...watching(state, context), ...versions(state, context)];
}

function leadership(state: OperatorState, { unseen }: Context): Finding {
  const text = leaseText(state);
  const look = `kubectl -n ${state.namespace} get deployment,pods -l app.kubernetes.io/name=dataprocessing-operator`;
  if (state.state === 'running') return { area, level: 'ok', text };
  const todo = state.namespace === usualNamespace ? `${look}, or name its namespace with --operator-namespace` : look;
  if (state.state === 'stopped') return { area, level: 'wrong', text: `no operator is running: ${text}`, todo };
  if (unseen > 0)
    return { area, level: 'wrong', text: `${text}, and nobody has looked at ${unseen} of the objects here`, todo };
  const isAbsent = state.state === 'absent';
  return { area, level: 'note', text: isAbsent ? `${text}: one without leader election has none` : text, todo };
}

function deployment({ replicas, namespace }: OperatorState): readonly Finding[] {
  if (replicas === undefined || replicas.ready >= replicas.wanted) return [];
  const text = `${replicas.ready} of ${replicas.wanted} replicas are ready`;
  const todo = `kubectl -n ${namespace} describe pods -l app.kubernetes.io/name=dataprocessing-operator`;
  return [{ area, level: replicas.ready === 0 ? 'wrong' : 'note', text, todo }];
}

function watching({ watched, namespace: own }: OperatorState, { namespace }: Context): readonly Finding[] {
  if (watched === undefined || watched.length === 0 || watched.includes(namespace)) return [];
  const text = `it does not watch namespace ${namespace}, but only ${watched.join(', ')}`;
  const todo = `add it to --namespaces of Deployment dataprocessing-operator in namespace ${own}, with its permissions there`;
  return [{ area, level: 'wrong', text, todo }];
}

/** Only tags that are versions can be compared. */
function versions({ image = '' }: OperatorState, { version }: Context): readonly Finding[] {
  const [, tag] = /:v?(\d+\.\d+\.\d+)$/.exec(image) ?? [];
  if (tag === undefined) return [];
  if (tag === version) return [{ area, level: 'ok', text: `operator and plugin are ${version}` }];
  const text = `the operator is ${tag}, and this plugin is ${version}`;
  return [{ area, level: 'note', text, todo: `use the plugin of ${tag}` }];
}
