// The Python of a cluster in pods. Only its image knows which one it is, so one of its machines is asked.
import { messageOf } from '../../../lib/errors.ts';
import { type Engine, type EngineNode, engineOf } from '../../engines/engine.ts';
import type { EngineImage } from '../../engines/image.ts';
import { type PythonTarget, pythonQuestion, readTarget } from '../../engines/packages/python-target.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import { archiveRemedy } from '../packages.ts';
import type { KubeApi } from './api/api.ts';
import { podOfHost } from './api/names.ts';

interface PythonOptions {
  readonly api: Pick<KubeApi, 'exec'>;
  readonly engines: readonly Engine[];
  readonly imageOf: (cluster: ClusterRecord) => EngineImage;
}

/** A container with the image of the programs: those of HDFS beside another engine have one of their own. */
function containerIn(engines: readonly Engine[], nodes: readonly EngineNode[]) {
  for (const node of nodes) {
    const { processes } = engineOf(engines, node.cluster);
    const own = processes.find(({ name, image }) => image === undefined && node.processes.includes(name));
    if (own !== undefined) return { node, container: own.name };
  }
  throw new Error('cannot install Python packages for its cluster: it has no machine that could tell its Python');
}

/** Rejects with `Transient` if the machine does not run now. */
export const pythonIn =
  ({ api, engines, imageOf }: PythonOptions) =>
  async (nodes: readonly EngineNode[], signal: AbortSignal): Promise<PythonTarget> => {
    const { node, container } = containerIn(engines, nodes);
    const [namespace, pod] = podOfHost(node.address);
    const { python = 'python3' } = imageOf(node.cluster);
    const answer = await api.exec({ namespace, pod, container }, [python, '-I', '-c', pythonQuestion], signal);
    try {
      return readTarget(answer);
    } catch (cause) {
      throw new Error(`cannot install Python packages for its cluster: ${messageOf(cause)}: ${archiveRemedy}`, {
        cause,
      });
    }
  };
